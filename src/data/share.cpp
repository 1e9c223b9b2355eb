// One team member's columns of a matrix that every member can see.
#include <utility>

#include "svrmu/source.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Share final : public MatrixSource<Scalar> {
 public:
  Share(const MatrixSource<Scalar>& whole, int member, int size)
      : whole_(whole), member_(member), size_(size) {}

  Index features() const override { return whole_.features(); }
  Index samples() const override { return (whole_.samples() + size_ - 1 - member_) / size_; }
  bool is_sparse() const override { return whole_.is_sparse(); }
  Index stored() const override {
    // Sparse entries are not counted by column: a fair share, which adds up to all of them.
    return is_sparse() ? (whole_.stored() + size_ - 1 - member_) / size_ : features() * samples();
  }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    if (order.columns.empty() && !order.ends.empty())
      for (Index n = 0; n < order.ends.back(); ++n) order.columns.push_back(n);
    for (Index& n : order.columns) n = n * size_ + member_;
    return whole_.open(std::move(order));
  }

 private:
  const MatrixSource<Scalar>& whole_;
  int member_;
  int size_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> share_of(const MatrixSource<Scalar>& whole, const Team& team) {
  return std::make_unique<Share<Scalar>>(whole, team.member(), team.size());
}

template std::unique_ptr<MatrixSource<float>> share_of<float>(const MatrixSource<float>&, const Team&);
template std::unique_ptr<MatrixSource<double>> share_of<double>(const MatrixSource<double>&, const Team&);

}  // namespace svrmu
