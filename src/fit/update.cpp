// fit_stream() and update(): learning from columns that are seen once.
#include "svrmu/update.hpp"

#include "fit/stream_run.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

// The columns of a source, once and in their order.
template <class Scalar>
class SourceStream final : public ColumnStream<Scalar> {
 public:
  explicit SourceStream(const MatrixSource<Scalar>& source) : source_(source) {}

  Index features() const override { return source_.features(); }
  bool is_sparse() const override { return source_.is_sparse(); }
  // The same number is asked for every time.
  bool next(Index most_columns, Batch<Scalar>& batch) override {
    if (!stream_) {
      PassOrder order;
      for (Index end = 0; end < source_.samples();)
        order.ends.push_back(end = std::min(end + most_columns, source_.samples()));
      stream_ = source_.open(std::move(order));
    }
    return source_.samples() > 0 && stream_->next(batch);
  }

 private:
  const MatrixSource<Scalar>& source_;
  std::unique_ptr<BatchStream<Scalar>> stream_;
};

}  // namespace

std::vector<std::string> streaming_solvers() {
  std::vector<std::string> names;
  for (const SolverInfo& info : catalog())
    if (algorithm_of(info.options).traits().streams) names.push_back(info.name);
  return names;
}

template <class Scalar>
FitResult<Scalar> fit_stream(ColumnStream<Scalar>& V, const SolverOptions& solver,
                             const StreamStart<Scalar>& start, const StreamOptions<Scalar>& options) {
  const ThreadScope threads(options.threads);
  return StreamRun<Scalar>(V, options).from_nothing(solver, start);
}

template <class Scalar>
FitResult<Scalar> update(const FitResult<Scalar>& model, ColumnStream<Scalar>& V,
                         const StreamOptions<Scalar>& options) {
  const ThreadScope threads(options.threads);
  return StreamRun<Scalar>(V, options).from_model(model);
}

template <class Scalar>
FitResult<Scalar> update(const FitResult<Scalar>& model, const MatrixSource<Scalar>& V,
                         const StreamOptions<Scalar>& options) {
  SourceStream<Scalar> stream(V);
  return update(model, stream, options);
}

template <class Scalar>
FitResult<Scalar> fit_stream(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                             const StreamStart<Scalar>& start, const StreamOptions<Scalar>& options) {
  SourceStream<Scalar> stream(V);
  return fit_stream(stream, solver, start, options);
}

#define SVRMU_INSTANTIATE(S)                                                                               \
  template FitResult<S> fit_stream<S>(ColumnStream<S>&, const SolverOptions&, const StreamStart<S>&,       \
                                      const StreamOptions<S>&);                                            \
  template FitResult<S> fit_stream<S>(const MatrixSource<S>&, const SolverOptions&, const StreamStart<S>&, \
                                      const StreamOptions<S>&);                                            \
  template FitResult<S> update<S>(const FitResult<S>&, ColumnStream<S>&, const StreamOptions<S>&);         \
  template FitResult<S> update<S>(const FitResult<S>&, const MatrixSource<S>&, const StreamOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
