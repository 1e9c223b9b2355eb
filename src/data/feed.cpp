#include "data/feed.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "svrmu/error.hpp"

namespace svrmu {

template <class Scalar>
ColumnFeed<Scalar>::ColumnFeed(const MatrixSource<Scalar>& source, const Team& team, std::uint64_t seed,
                               Scalar scale, std::function<bool()> interrupted)
    : source_(source), team_(team), seed_(seed), scale_(scale), stop_wanted_(std::move(interrupted)) {
  total_samples_ = static_cast<Index>(total(static_cast<double>(source.samples())));
  total_stored_ = total(static_cast<double>(source.stored()));
}

template <class Scalar>
Index ColumnFeed<Scalar>::block_size() const {
  // About 2 MB of doubles: the second product of a block finds V still in the cache.
  const double per_column = is_sparse()
                                ? total_stored_ / static_cast<double>(std::max<Index>(total_samples_, 1))
                                : static_cast<double>(features());
  return static_cast<Index>(std::clamp(0x1p18 / std::max(per_column, 1.0), 64.0, 2048.0));
}

template <class Scalar>
std::shared_ptr<const Plan> ColumnFeed<Scalar>::plan(Index batch_size, Order order, Index epoch, Index pass) {
  Batching batching{.samples = total_samples_,
                    .batch_size = batch_size,
                    .order = order,
                    .seed = seed_,
                    .epoch = epoch,
                    .pass = pass,
                    .member = team_.member(),
                    .size = team_.size()};
  if (order != Order::permute_once) return std::make_shared<Plan>(plan_batches(batching));
  if (permuted_size_ != batch_size) permuted_once_ = std::make_shared<Plan>(plan_batches(batching));
  permuted_size_ = batch_size;
  return permuted_once_;
}

namespace {

auto only(std::shared_ptr<const Plan> plan) {
  return [plan = std::move(plan)]() mutable { return std::exchange(plan, nullptr); };
}

}  // namespace

template <class Scalar>
auto ColumnFeed<Scalar>::batches(Index batch_size, Order order, Counted counted) -> Pass {
  return Pass(*this, only(plan(batch_size, order, epoch_, passes_++)), counted, pack_);
}

template <class Scalar>
auto ColumnFeed<Scalar>::steps(Index count, Index batch_size, Order order) -> Pass {
  // Unsigned: an epoch number from a damaged file may be anything.
  const auto before = static_cast<std::uint64_t>(epoch_ - 1) * static_cast<std::uint64_t>(count);
  const auto per_pass = static_cast<std::uint64_t>((total_samples_ + batch_size - 1) / batch_size);
  auto pass = static_cast<Index>(before / per_pass);
  auto begin = static_cast<Index>(before % per_pass);
  const auto next = [=, this, left = count]() mutable -> std::shared_ptr<const Plan> {
    if (left == 0) return nullptr;
    std::shared_ptr<const Plan> whole = plan(batch_size, order, pass + 1, 0);
    const Index end = std::min(begin + left, static_cast<Index>(per_pass));
    if (end - begin < static_cast<Index>(per_pass))
      whole = std::make_shared<Plan>(part_of(*whole, begin, end));
    left -= end - begin;
    begin = 0;
    ++pass;
    return whole;
  };
  return Pass(*this, next, Counted::gradient, pack_);
}

template <class Scalar>
auto ColumnFeed<Scalar>::blocks(Counted counted) -> Pass {
  Batching batching{.samples = total_samples_,
                    .batch_size = block_size() * team_.size(),
                    .order = Order::cyclic,
                    .seed = seed_,
                    .epoch = 0,
                    .pass = 0,
                    .member = team_.member(),
                    .size = team_.size()};
  return Pass(*this, only(std::make_shared<Plan>(plan_batches(batching))), counted);
}

template <class Scalar>
auto ColumnFeed<Scalar>::columns(const std::vector<Index>& chosen, Counted counted) -> Pass {
  const auto plan = std::make_shared<Plan>(plan_columns(chosen, team_.member(), team_.size()));
  return Pass(*this, only(plan), counted);
}

template <class Scalar>
double ColumnFeed<Scalar>::total(double value) const {
  team_.sum(std::span<double>(&value, 1));
  return value;
}

template <class Scalar>
void ColumnFeed<Scalar>::begin_epoch(Index epoch) {
  epoch_ = epoch;
  passes_ = 0;
  interrupted_ = false;
}

template <class Scalar>
void ColumnFeed<Scalar>::set_counts(double gradient_count, Index columns_read) {
  gradient_count_ = gradient_count;
  columns_read_ = columns_read;
}

template <class Scalar>
bool ColumnFeed<Scalar>::look_for_interruption() {
  // All members end at the same batch, or their exchanges would no longer match.
  if (!interrupted_ && stop_wanted_) interrupted_ = team_.max(stop_wanted_() ? 1 : 0) > 0;
  return interrupted_;
}

template <class Scalar>
ColumnFeed<Scalar>::Pass::Pass(ColumnFeed& feed, Plans plans, Counted counted, Pack<Scalar> pack)
    : feed_(feed), plans_(std::move(plans)), counted_(counted), pack_(pack) {
  open_next();
}

template <class Scalar>
bool ColumnFeed<Scalar>::Pass::open_next() {
  std::shared_ptr<const Plan> next = plans_();
  if (next == nullptr) return false;
  stream_ = feed_.source_.open(next->visit);
  plan_ = std::move(next);
  weights_.assign(plan_->multiplicity.begin(), plan_->multiplicity.end());
  at_ = 0;
  return true;
}

template <class Scalar>
bool ColumnFeed<Scalar>::Pass::advance() {
  if (at_ == plan_->totals.size() && !open_next()) return false;
  if (feed_.look_for_interruption()) return false;
  const Index begin = at_ == 0 ? 0 : plan_->visit.ends[at_ - 1];
  batch_ = {};
  const bool served = stream_->next(batch_);
  if (!served || batch_.count != plan_->visit.ends[at_] - begin)
    throw InvalidInput("the source of V served " + std::to_string(served ? batch_.count : 0) +
                       " columns where " + std::to_string(plan_->visit.ends[at_] - begin) +
                       " were asked for");
  const bool dense = std::holds_alternative<DenseColumns<Scalar>>(batch_.data);
  if (dense == feed_.source_.is_sparse() ||
      (!batch_.list.empty() && batch_.list.size() != static_cast<std::size_t>(batch_.count)))
    throw InvalidInput(
        "the source of V served a batch that is not as it said: sparse or dense, or its list of columns");
  const auto first = static_cast<std::size_t>(begin);
  const auto count = static_cast<std::size_t>(batch_.count);
  batch_.features = feed_.features();
  batch_.first_sample = begin;
  if (!plan_->visit.columns.empty())
    batch_.samples = std::span<const Index>(plan_->visit.columns).subspan(first, count);
  if (!weights_.empty()) batch_.weights = std::span<const Scalar>(weights_).subspan(first, count);
  batch_.total = plan_->totals[at_];
  batch_.scale = feed_.scale_;
  if (ScaledBatch<Scalar>::needed(feed_.scale_)) scaled_.take(batch_);
  if (pack_ != nullptr) pack_(batch_, packed_);
  if (counted_ != Counted::nothing)
    feed_.columns_read_ += plan_->different.empty() ? batch_.total : plan_->different[at_];
  if (counted_ == Counted::gradient) feed_.count_gradient(batch_.total);
  ++at_;
  return true;
}

template class ColumnFeed<float>;
template class ColumnFeed<double>;

}  // namespace svrmu
