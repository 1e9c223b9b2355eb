// The sections of a model's report about single samples: residuals and outliers.
#include <algorithm>
#include <numeric>

#include "report/model_sections.hpp"
#include "report/residuals.hpp"

namespace svrmu::report {
namespace {

constexpr Index worst_listed = 20;
constexpr Index worst_drawn = 6;

// Samples, the largest value first.
std::vector<Index> largest_first(const std::vector<double>& values, Index count) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min<std::ptrdiff_t>(count, std::ptrdiff_t(order.size()));
  const auto value = [&](Index i) { return values[static_cast<std::size_t>(i)]; };
  std::partial_sort(order.begin(), end, order.end(),
                    [&](Index a, Index b) { return value(a) > value(b) || (value(a) == value(b) && a < b); });
  order.erase(end, order.end());
  return order;
}

// A line of pictures for each sample: as it is, as the model has it, what is left, and the outliers.
template <class Scalar>
Pictures sample_pictures(const io::Model<Scalar>& model, const ImageShape& image,
                         const MatrixSource<Scalar>& V, std::vector<Index> samples, const char* name,
                         const char* caption) {
  const FitResult<Scalar>& fit = model.fit;
  const Matrix<Scalar> v = columns_of(V, samples);
  const Matrix<Scalar> r = outliers_of(fit, samples);
  Pictures out{.name = name, .caption = caption, .pictures = {}, .per_line = has_r(fit) ? 4 : 3};
  const auto add = [&](const std::string& what, const Matrix<Scalar>& column) {
    Picture picture{what, image.rows, image.columns, {}};
    for (Index f = 0; f < column.rows(); ++f) picture.pixels.push_back(double(column(f, 0)));
    out.pictures.push_back(std::move(picture));
  };
  Matrix<Scalar> wh(fit.W.rows(), v.cols());
  for (Index j = 0; j < v.cols(); ++j) wh.col(j) = fit.W * fit.H.col(samples[static_cast<std::size_t>(j)]);
  const Matrix<Scalar> left = (v - wh - r).cwiseAbs();
  out.most = v.size() > 0 ? double(v.maxCoeff()) : 0;
  // What is left is often too little to be seen on that scale.
  int gain = 1;
  for (const int more : {2, 5, 10, 20, 50, 100})
    if (left.size() > 0 && more * double(left.maxCoeff()) <= out.most) gain = more;
  for (Index j = 0; j < v.cols(); ++j) {
    add(sample_name(model.sample_names, samples[static_cast<std::size_t>(j)]), v.col(j));
    add("WH", wh.col(j));
    add(gain == 1 ? "what is left" : std::to_string(gain) + " × what is left", Scalar(gain) * left.col(j));
    if (has_r(fit)) add("outliers", r.col(j));
  }
  out.note = "All on one scale, from 0 to " + number(out.most) + ".";
  return out;
}

// What sample_residuals() gives, as a formula.
template <class Scalar>
std::string residual_text(const FitResult<Scalar>& fit) {
  if (fit.loss.is_frobenius()) return has_r(fit) ? "||v − Wh − r|| / ||v||" : "||v − Wh|| / ||v||";
  const std::string divergence = "its " + to_string(fit.loss) + " divergence from Wh";
  if (fit.loss.beta == 1) return divergence + " / sum of v";
  if (fit.loss.beta == 0) return divergence + " / number of features";
  return divergence + " / sum of v^" + number(fit.loss.beta);
}

}  // namespace

std::string percent(double share) { return number(100 * share) + " %"; }

template <class Scalar>
Section residual_section(const io::Model<Scalar>& model, const Components& components,
                         const ModelReportOptions<Scalar>& options) {
  const std::vector<double> residuals = sample_residuals(*options.V, model.fit);
  const std::vector<Index> worst = largest_first(residuals, worst_listed);
  const std::string what = residual_text(model.fit);
  Table table{.name = "worst-samples",
              .caption = "The samples that are fitted worst",
              .columns = {"sample", "residual", "dominant component"},
              .rows = {}};
  const bool named = !model.sample_names.empty();
  if (named) table.columns.insert(table.columns.begin() + 1, "name");
  for (const Index n : worst) {
    const Index place = components.dominant[static_cast<std::size_t>(n)];
    table.rows.push_back({double(n + 1), residuals[static_cast<std::size_t>(n)],
                          place < 0
                              ? std::string("none")
                              : std::to_string(components.list[static_cast<std::size_t>(place)].number + 1)});
    if (named) table.rows.back().insert(table.rows.back().begin() + 1, sample_name(model.sample_names, n));
  }
  Section section{"Residuals", {}};
  section.blocks.push_back(Dots{.name = "residuals",
                                .caption = "Residual of each sample, " + what,
                                .x_label = "sample",
                                .y_label = "residual",
                                .values = residuals});
  section.blocks.push_back(Histogram{.name = "residual-histogram",
                                     .caption = "How the residuals are distributed",
                                     .x_label = "residual",
                                     .y_label = "samples",
                                     .values = residuals});
  section.blocks.push_back(std::move(table));
  if (options.image)
    section.blocks.push_back(sample_pictures(
        model, *options.image, *options.V,
        {worst.begin(), worst.begin() + std::min<std::ptrdiff_t>(worst_drawn, std::ptrdiff_t(worst.size()))},
        "worst-samples", "The worst samples, what the model makes of them, and what is left"));
  return section;
}

template <class Scalar>
Section outlier_section(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options) {
  const FitResult<Scalar>& fit = model.fit;
  std::vector<double> sums(static_cast<std::size_t>(fit.H.cols())), counts(sums.size()), largest(sums.size());
  const bool dense = fit.R.size() > 0;
  // The multiplicative rule never reaches 0: what is small there is no outlier.
  const double least = dense ? 0.01 * double(fit.R.maxCoeff()) : 0;
  const auto add = [&](Index n, double value) {
    if (!(value > least)) return;
    const auto i = static_cast<std::size_t>(n);
    sums[i] += value;
    counts[i] += 1;
    largest[i] = std::max(largest[i], value);
  };
  for (Index n = 0; n < fit.H.cols(); ++n) {
    if (dense)
      for (Index f = 0; f < fit.R.rows(); ++f) add(n, double(fit.R(f, n)));
    else
      for (typename SparseMatrix<Scalar>::InnerIterator it(fit.R_sparse, n); it; ++it)
        add(n, double(it.value()));
  }
  const double found = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto touched = double(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; }));
  const double entries = double(fit.W.rows()) * double(fit.H.cols());
  Section section{"Outliers", {}};
  section.blocks.push_back(Highlights{
      {{"outliers found", number(found), percent(found / std::max(entries, 1.0)) + " of the entries"},
       {"samples with outliers", number(touched),
        percent(touched / std::max(double(fit.H.cols()), 1.0)) + " of the samples"}}});
  if (dense)
    section.blocks.push_back(
        Paragraph{"Counted are entries of R above 1 % of the largest, " + number(least) + "."});
  const std::vector<Index> worst = largest_first(sums, worst_listed);
  Table table{.name = "outliers",
              .caption = "The samples with the most outliers",
              .columns = {"sample", "name", "outliers", "their sum", "the largest"},
              .rows = {}};
  std::vector<Index> drawn;
  for (const Index n : worst) {
    const auto i = static_cast<std::size_t>(n);
    if (counts[i] == 0) break;
    table.rows.push_back({double(n + 1), sample_name(model.sample_names, n), counts[i], sums[i], largest[i]});
    if (static_cast<Index>(drawn.size()) < worst_drawn) drawn.push_back(n);
  }
  if (table.rows.empty()) {
    section.blocks.push_back(Paragraph{"No entry of V is an outlier under this penalty."});
    return section;
  }
  section.blocks.push_back(std::move(table));
  if (options.image && options.V != nullptr)
    section.blocks.push_back(sample_pictures(model, *options.image, *options.V, drawn, "outliers",
                                             "Samples with the most outliers, what the model makes of them, "
                                             "what is left, and the outliers"));
  return section;
}

#define SVRMU_INSTANTIATE(S)                                                   \
  template Section residual_section<S>(const io::Model<S>&, const Components&, \
                                       const ModelReportOptions<S>&);          \
  template Section outlier_section<S>(const io::Model<S>&, const ModelReportOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
