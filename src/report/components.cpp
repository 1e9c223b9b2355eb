#include "report/components.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/charts.hpp"

namespace svrmu::report {
namespace {

// Losses that are infinite at 0 keep the floor, which is far below this part of a factor's largest entry.
constexpr double negligible = 0x1p-40;

struct Sums {
  double largest = 0;
  double sum = 0;
  double squares = 0;
  double zeros = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    zeros += value <= negligible * largest ? 1 : 0;
    count += 1;
  }
};

// A share that is not known is left out.
std::string component_title(const Component& c) {
  std::string name = "component " + std::to_string(c.number + 1);
  if (std::isnan(c.share)) return name;
  return name + " (" + number(std::round(1000 * c.share) / 10) + " %)";
}

}  // namespace

std::vector<double> numeric_names(const std::vector<std::string>& names) {
  std::vector<double> out;
  for (const std::string& name : names) {
    double value = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    const bool good = error == std::errc() && end == name.data() + name.size() && std::isfinite(value) &&
                      (out.empty() || value > out.back());
    if (!good) return {};
    out.push_back(value);
  }
  return out;
}

double hoyer_sparsity(double count, double sum, double sum_of_squares) {
  if (!(sum_of_squares > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (count <= 1) return 0;
  const double root = std::sqrt(count);
  return std::clamp((root - sum / std::sqrt(sum_of_squares)) / (root - 1), 0.0, 1.0);
}

template <class Scalar>
Components components_of(const FitResult<Scalar>& fit) {
  const Index K = fit.W.cols(), N = fit.H.cols();
  std::vector<Sums> w(static_cast<std::size_t>(K)), h(static_cast<std::size_t>(K));
  for (Index k = 0; k < K; ++k) {
    w[static_cast<std::size_t>(k)].largest = double(fit.W.col(k).maxCoeff());
    if (N > 0) h[static_cast<std::size_t>(k)].largest = double(fit.H.row(k).maxCoeff());
  }
  for (Index f = 0; f < fit.W.rows(); ++f)
    for (Index k = 0; k < K; ++k) w[static_cast<std::size_t>(k)].add(double(fit.W(f, k)));
  for (Index n = 0; n < N; ++n)
    for (Index k = 0; k < K; ++k) h[static_cast<std::size_t>(k)].add(double(fit.H(k, n)));

  Components out;
  double total = 0;
  for (Index k = 0; k < K; ++k) {
    const Sums &a = w[static_cast<std::size_t>(k)], &b = h[static_cast<std::size_t>(k)];
    out.contribution.push_back(a.sum);
    out.list.push_back({.number = k,
                        .share = a.sum * b.sum,
                        .sparsity_w = hoyer_sparsity(a.count, a.sum, a.squares),
                        .sparsity_h = hoyer_sparsity(b.count, b.sum, b.squares),
                        .zeros_w = a.zeros / std::max(a.count, 1.0),
                        .zeros_h = b.zeros / std::max(b.count, 1.0)});
    total += a.sum * b.sum;
  }
  for (Component& c : out.list) {
    c.share = total > 0 ? c.share / total : 0;
    if (N == 0) c.share = c.zeros_h = std::numeric_limits<double>::quiet_NaN();
  }
  if (N > 0)
    std::stable_sort(out.list.begin(), out.list.end(),
                     [](const Component& a, const Component& b) { return a.share > b.share; });
  for (Index n = 0; n < N; ++n) {
    Index best = -1;
    double most = 0;
    for (std::size_t i = 0; i < out.list.size(); ++i) {
      const Index k = out.list[i].number;
      const double part = double(fit.H(k, n)) * out.contribution[static_cast<std::size_t>(k)];
      if (part > most) most = part, best = static_cast<Index>(i);
    }
    out.dominant.push_back(best);
    if (best >= 0) ++out.list[static_cast<std::size_t>(best)].dominated;
  }
  return out;
}

template <class Scalar>
std::vector<double> similarities(const FitResult<Scalar>& fit, const Components& components, Index count) {
  Matrix<double> shown(fit.W.rows(), count);
  for (Index i = 0; i < count; ++i) {
    shown.col(i) = fit.W.col(components.list[static_cast<std::size_t>(i)].number).template cast<double>();
    if (const double norm = shown.col(i).norm(); norm > 0) shown.col(i) /= norm;
  }
  const Matrix<double> cosines = shown.transpose() * shown;
  std::vector<double> out;
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j) out.push_back(std::min(cosines(i, j), 1.0));
  return out;
}

template <class Scalar>
std::vector<double> shares_of_sample(const FitResult<Scalar>& fit, const Components& components,
                                     Index sample) {
  std::vector<double> out;
  double total = 0;
  for (const Component& c : components.list) {
    out.push_back(double(fit.H(c.number, sample)) *
                  components.contribution[static_cast<std::size_t>(c.number)]);
    total += out.back();
  }
  for (double& share : out) share = total > 0 ? share / total : 0;
  return out;
}

template <class Scalar>
std::vector<Index> by_dominant(const FitResult<Scalar>& fit, const Components& components) {
  std::vector<double> share;
  for (Index n = 0; n < fit.H.cols(); ++n) {
    const Index place = components.dominant[static_cast<std::size_t>(n)];
    share.push_back(place < 0 ? 0 : shares_of_sample(fit, components, n)[static_cast<std::size_t>(place)]);
  }
  std::vector<Index> order(static_cast<std::size_t>(fit.H.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto key = [&](Index n) {
    const Index place = components.dominant[static_cast<std::size_t>(n)];
    return std::pair{place < 0 ? fit.W.cols() : place, -share[static_cast<std::size_t>(n)]};
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  return order;
}

namespace {

// The `count` largest of these entries that are above 0.
template <class Scalar>
std::vector<Index> largest(const FitResult<Scalar>& fit, Index component, Index count,
                           std::vector<Index> features) {
  const auto end = features.begin() + std::min<std::ptrdiff_t>(count, std::ptrdiff_t(features.size()));
  std::partial_sort(features.begin(), end, features.end(), [&](Index a, Index b) {
    const Scalar x = fit.W(a, component), y = fit.W(b, component);
    return x > y || (x == y && a < b);
  });
  features.erase(std::find_if(features.begin(), end, [&](Index f) { return !(fit.W(f, component) > 0); }),
                 features.end());
  return features;
}

}  // namespace

template <class Scalar>
std::vector<Index> strongest_features(const FitResult<Scalar>& fit, Index component, Index count) {
  std::vector<Index> all(static_cast<std::size_t>(fit.W.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return largest(fit, component, count, std::move(all));
}

template <class Scalar>
std::vector<Index> highest_peaks(const FitResult<Scalar>& fit, Index component, Index count) {
  const auto at = [&](Index f) { return f < 0 || f >= fit.W.rows() ? Scalar(0) : fit.W(f, component); };
  std::vector<Index> peaks;
  for (Index f = 0; f < fit.W.rows(); ++f)
    if (at(f) > at(f - 1) && at(f) >= at(f + 1)) peaks.push_back(f);
  return largest(fit, component, count, std::move(peaks));
}

std::string feature_name(const std::vector<std::string>& names, Index feature) {
  return names.empty() ? "feature " + std::to_string(feature + 1) : names[static_cast<std::size_t>(feature)];
}
std::string sample_name(const std::vector<std::string>& names, Index sample) {
  return names.empty() ? "sample " + std::to_string(sample + 1) : names[static_cast<std::size_t>(sample)];
}

template <class Scalar>
Block component_block(const FitResult<Scalar>& fit, const std::vector<std::string>& feature_names,
                      const std::optional<ImageShape>& image) {
  const Components components = components_of(fit);
  const std::size_t shown = std::min(components.list.size(), most_charts);
  const std::string note =
      notes({std::string(fit.H.cols() > 0 ? "The heaviest first, with their share of WH; each"
                                          : "In the order of W: without H they have no weights. Each") +
                 " is scaled to its own largest entry.",
             shown_note(shown, components.list.size(), "components")});
  const auto column = [&](const Component& c) {
    std::vector<double> values;
    for (Index f = 0; f < fit.W.rows(); ++f) values.push_back(double(fit.W(f, c.number)));
    return values;
  };
  if (image) {
    if (image->rows * image->columns != fit.W.rows())
      throw InvalidInput("a picture of " + std::to_string(image->rows) + " x " +
                         std::to_string(image->columns) + " has " +
                         std::to_string(image->rows * image->columns) + " pixels, but there are " +
                         std::to_string(fit.W.rows()) + " features");
    Pictures pictures{
        .name = "components", .caption = "Components as pictures", .note = note, .pictures = {}};
    for (std::size_t i = 0; i < shown; ++i) {
      const Component& c = components.list[i];
      pictures.pictures.push_back({component_title(c), image->rows, image->columns, column(c)});
    }
    return pictures;
  }
  const std::vector<double> x = numeric_names(feature_names);
  if (!feature_names.empty() && x.empty()) {
    BarCharts charts{.name = "components",
                     .caption = "The strongest features of each component, in % of the component's sum",
                     .note = note,
                     .charts = {}};
    for (std::size_t i = 0; i < shown; ++i) {
      const Component& c = components.list[i];
      BarCharts::Chart chart{component_title(c), {}};
      const double sum = components.contribution[static_cast<std::size_t>(c.number)];
      for (const Index f : strongest_features(fit, c.number, 10))
        chart.bars.emplace_back(feature_names[static_cast<std::size_t>(f)],
                                100 * double(fit.W(f, c.number)) / sum);
      charts.charts.push_back(std::move(chart));
    }
    return charts;
  }
  Spectra spectra{.name = "components",
                  .caption = "Components over the features",
                  .note = note,
                  .x_label = x.empty() ? "feature" : "",
                  .x = x,
                  .charts = {}};
  for (std::size_t i = 0; i < shown; ++i)
    spectra.charts.push_back({component_title(components.list[i]), column(components.list[i])});
  return spectra;
}

#define SVRMU_INSTANTIATE(S)                                                                       \
  template Components components_of<S>(const FitResult<S>&);                                       \
  template std::vector<double> similarities<S>(const FitResult<S>&, const Components&, Index);     \
  template std::vector<Index> by_dominant<S>(const FitResult<S>&, const Components&);              \
  template std::vector<double> shares_of_sample<S>(const FitResult<S>&, const Components&, Index); \
  template std::vector<Index> strongest_features<S>(const FitResult<S>&, Index, Index);            \
  template std::vector<Index> highest_peaks<S>(const FitResult<S>&, Index, Index);                 \
  template Block component_block<S>(const FitResult<S>&, const std::vector<std::string>&,          \
                                    const std::optional<ImageShape>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
