#include "solvers/initial_scaling.hpp"

namespace svrmu {

template <class Scalar>
void scale_start(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
  Sums<Scalar> sums;
  all_sums(term, feed, Counted::columns, f, sums);
  const double fit = inner_product(f.W, sums.up);
  const double size = inner_product(WtW(f.W), sums.HHt);
  if (!(fit > 0) || !(size > 0)) return;
  f.W *= static_cast<Scalar>(fit / size);
  const Matrix<Scalar> gram_W = WtW(f.W);
  for (Index k = 0; k < f.W.cols(); ++k) {
    const double w = std::sqrt(static_cast<double>(gram_W(k, k)));
    const double h = std::sqrt(static_cast<double>(sums.HHt(k, k)));
    if (!(w > 0) || !(h > 0)) continue;
    const auto balance = static_cast<Scalar>(std::sqrt(h / w));
    f.W.col(k) *= balance;
    f.H.row(k) /= balance;
  }
}

template void scale_start<float>(const DataTerm<float>&, ColumnFeed<float>&, Factors<float>&);
template void scale_start<double>(const DataTerm<double>&, ColumnFeed<double>&, Factors<double>&);

}  // namespace svrmu
