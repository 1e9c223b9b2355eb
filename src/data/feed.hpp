// What a solver sees of V: batches of columns, totals over the team, and nothing else. It counts the work and
// ends a pass early when the fit is interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/order.hpp"
#include "data/scaled_batch.hpp"
#include "svrmu/source.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

// What a pass adds to: the gradient count (it feeds a gradient of W) and the columns read; the columns read
// only; or nothing, where work is repeated that was counted when it was first done.
enum class Counted { gradient, columns, nothing };

// Brings the columns of a batch together where they lie scattered over the memory, in `into`. It is a matter
// of threads, which the feed does not know.
template <class Scalar>
using Pack = void (*)(Batch<Scalar>& batch, std::vector<Scalar>& into);

template <class Scalar>
class ColumnFeed {
 public:
  ColumnFeed(const MatrixSource<Scalar>& source, const Team& team, std::uint64_t seed, Scalar scale,
             std::function<bool()> interrupted);

  Index features() const { return source_.features(); }
  Index samples() const { return source_.samples(); }  // this member's
  Index total_samples() const { return total_samples_; }
  // Samples that W is learned from, to which its penalties refer: on a stream more than are served here.
  double all_samples() const { return all_samples_ > 0 ? all_samples_ : static_cast<double>(total_samples_); }
  void set_all_samples(double samples) { all_samples_ = samples; }
  std::uint64_t seed() const { return seed_; }
  int member() const { return team_.member(); }
  int members() const { return team_.size(); }
  bool is_sparse() const { return source_.is_sparse(); }
  double total_stored() const { return total_stored_; }  // entries of V, over the whole team
  Index global_sample(Index local) const { return local * team_.size() + team_.member(); }
  // Nothing where another member holds it.
  std::optional<Index> local_sample(Index global) const {
    if (global % team_.size() != team_.member()) return std::nullopt;
    return global / team_.size();
  }

  // How batches() and steps() bring columns together, before a solver reads them several times.
  void set_pack(Pack<Scalar> pack) { pack_ = pack; }

  // One pass over the columns, as a range of batches. Every member gets the same number of them.
  class Pass;
  Pass batches(Index batch_size, Order order, Counted counted = Counted::gradient);
  // `count` batches in each epoch, which go on where those of the last epoch ended: the first pass after the
  // other, each as batches() makes the first of an epoch. Only what is used is read.
  Pass steps(Index count, Index batch_size, Order order);
  // One pass in storage order, in blocks of a size that suits the caches.
  Pass blocks(Counted counted = Counted::gradient);
  Index block_size() const;
  // Only these columns (increasing, counted over the whole team), as one batch.
  Pass columns(const std::vector<Index>& chosen, Counted counted = Counted::columns);

  // Replaces every argument by its total over the team, in one exchange.
  template <class... Arrays>
  void total(Arrays&... arrays) const;
  double total(double value) const;

  void begin_epoch(Index epoch);
  Index epoch() const { return epoch_; }
  bool interrupted() const { return interrupted_; }
  // For long work between two passes; every member has to ask.
  bool look_for_interruption();
  // For work that a pass made earlier already: svrmu's snapshot reuses the sums of the last evaluation.
  void count_gradient(Index columns) {
    gradient_count_ += static_cast<double>(features()) * static_cast<double>(columns);
  }

  double gradient_count() const { return gradient_count_; }
  Index columns_read() const { return columns_read_; }
  void set_counts(double gradient_count, Index columns_read);

 private:
  std::shared_ptr<const Plan> plan(Index batch_size, Order order, Index epoch, Index pass);

  const MatrixSource<Scalar>& source_;
  const Team& team_;
  std::uint64_t seed_;
  Scalar scale_;
  std::function<bool()> stop_wanted_;
  Pack<Scalar> pack_ = nullptr;
  Index total_samples_;
  double all_samples_ = 0;
  double total_stored_;
  Index epoch_ = 0;
  Index passes_ = 0;
  std::shared_ptr<const Plan> permuted_once_;  // the same in every pass
  Index permuted_size_ = 0;
  double gradient_count_ = 0;
  Index columns_read_ = 0;
  bool interrupted_ = false;
};

template <class Scalar>
class ColumnFeed<Scalar>::Pass {
 public:
  // Plans of which the next is made when one has been served; the last is null.
  using Plans = std::function<std::shared_ptr<const Plan>()>;
  Pass(ColumnFeed& feed, Plans plans, Counted counted, Pack<Scalar> pack = nullptr);

  class iterator {
   public:
    explicit iterator(Pass& pass) : pass_(&pass), more_(pass.advance()) {}
    const Batch<Scalar>& operator*() const { return pass_->batch_; }
    iterator& operator++() {
      more_ = pass_->advance();
      return *this;
    }
    bool operator!=(std::default_sentinel_t) const { return more_; }

   private:
    Pass* pass_;
    bool more_;
  };
  iterator begin() { return iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  bool open_next();
  bool advance();

  ColumnFeed& feed_;
  Plans plans_;
  std::shared_ptr<const Plan> plan_;  // its lists back the batches, so it outlives the stream
  Counted counted_;
  std::unique_ptr<BatchStream<Scalar>> stream_;
  std::vector<Scalar> weights_;
  Batch<Scalar> batch_;
  ScaledBatch<Scalar> scaled_;
  Pack<Scalar> pack_;
  std::vector<Scalar> packed_;
  std::size_t at_ = 0;
};

template <class Scalar>
template <class... Arrays>
void ColumnFeed<Scalar>::total(Arrays&... arrays) const {
  if (team_.size() == 1) return;
  std::vector<Scalar> packed;
  (packed.insert(packed.end(), arrays.data(), arrays.data() + arrays.size()), ...);
  team_.sum(std::span<Scalar>(packed));
  const Scalar* from = packed.data();
  const auto unpack = [&](auto& array) {
    std::copy(from, from + array.size(), array.data());
    from += array.size();
  };
  (unpack(arrays), ...);
}

}  // namespace svrmu
