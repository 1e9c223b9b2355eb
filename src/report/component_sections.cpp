// The sections of a model's report about its components.
#include <algorithm>

#include "report/charts.hpp"
#include "report/model_sections.hpp"
#include "report/text.hpp"
#include "text/text.hpp"

namespace svrmu::report {

template <class Scalar>
Section components_section(const io::Model<Scalar>& model, const Components& components,
                           const std::optional<ImageShape>& image) {
  Section section{"Components", {}};
  section.blocks.push_back(component_block(model.fit, model.feature_names, image));

  BarCharts weights{.name = "weights",
                    .caption = "Weight of each component: its share of the sum of the entries of WH, in %",
                    .charts = {{"", {}}}};
  const bool has_h = model.fit.H.cols() > 0;
  Table table{.name = "components",
              .caption = "Components in numbers",
              .columns = {"component", "sparsity of W", "zeros in W %"},
              .rows = {}};
  if (has_h)
    table.columns = {"component",     "share %",      "sparsity of W",    "zeros in W %",
                     "sparsity of H", "zeros in H %", "dominates samples"};
  // Neighbors of a spectrum's peak are part of it.
  const bool spectra = !numeric_names(model.feature_names).empty();
  if (!model.feature_names.empty())
    table.columns.emplace_back(spectra ? "highest peaks" : "strongest features");
  for (const Component& c : components.list) {
    const std::string name = std::to_string(c.number + 1);
    weights.charts[0].bars.emplace_back("component " + name, 100 * c.share);
    if (has_h)
      table.rows.push_back({double(c.number + 1), 100 * c.share, c.sparsity_w, 100 * c.zeros_w, c.sparsity_h,
                            100 * c.zeros_h, double(c.dominated)});
    else
      table.rows.push_back({double(c.number + 1), c.sparsity_w, 100 * c.zeros_w});
    if (model.feature_names.empty()) continue;
    std::vector<std::string> features;
    for (const Index f :
         spectra ? highest_peaks(model.fit, c.number, 3) : strongest_features(model.fit, c.number, 3))
      features.push_back(visible(feature_name(model.feature_names, f), 40));
    table.rows.back().emplace_back(joined(features, ", "));
  }
  if (has_h) section.blocks.push_back(std::move(weights));
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(Paragraph{
      std::string(
          "Sparsity is Hoyer's measure: 0 when all entries are alike, 1 when a single one is not 0.") +
      (has_h ? " A component dominates a sample if it is the largest part of it." : "")});
  return section;
}

template <class Scalar>
Section similarity_section(const FitResult<Scalar>& fit, const Components& components) {
  const Index shown = std::min<Index>(fit.W.cols(), most_cells_down);
  const std::string note =
      shown_note(static_cast<std::size_t>(shown), static_cast<std::size_t>(fit.W.cols()), "components");
  HeatMap map{.name = "similarity",
              .caption = "Cosine between the components",
              .note = notes({fit.H.cols() > 0 ? "The heaviest first." : "", note}),
              .x_label = "component, in the same order",
              .y_label = "component",
              .value_label = "cosine",
              .rows = shown,
              .columns = shown,
              .values = similarities(fit, components, shown),
              .row_names = {},
              .square = true};
  Table pairs{.name = "similar-components",
              .caption = "The most similar pairs",
              .columns = {"component", "component", "cosine"},
              .rows = {}};
  std::vector<std::pair<Index, Index>> order;
  for (Index i = 0; i < shown; ++i) {
    map.row_names.push_back(std::to_string(components.list[static_cast<std::size_t>(i)].number + 1));
    for (Index j = i + 1; j < shown; ++j) order.emplace_back(i, j);
  }
  const auto cosine = [&](const std::pair<Index, Index>& p) {
    return map.values[static_cast<std::size_t>(p.first * shown + p.second)];
  };
  // The diagonal is 1 and says nothing: the colors are for the rest.
  for (const auto& pair : order) map.most = std::max(map.most, cosine(pair));
  const auto end = order.begin() + std::min<std::ptrdiff_t>(10, std::ptrdiff_t(order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](const auto& a, const auto& b) {
    return cosine(a) > cosine(b) || (cosine(a) == cosine(b) && a < b);
  });
  for (auto pair = order.begin(); pair != end; ++pair)
    pairs.rows.push_back({double(components.list[static_cast<std::size_t>(pair->first)].number + 1),
                          double(components.list[static_cast<std::size_t>(pair->second)].number + 1),
                          cosine(*pair)});
  Section section{"Similarity", {std::move(map)}};
  if (!pairs.rows.empty()) section.blocks.push_back(std::move(pairs));
  return section;
}

template <class Scalar>
Section activations_section(const FitResult<Scalar>& fit, const Components& components) {
  const std::vector<Index> order = by_dominant(fit, components);
  const std::vector<std::size_t> places = spread(order.size(), most_cells_across);
  const std::string samples = shown_note(places.size(), order.size(), "samples");
  const Index rows = std::min<Index>(fit.W.cols(), most_cells_down);
  const std::string parts =
      shown_note(static_cast<std::size_t>(rows), static_cast<std::size_t>(fit.W.cols()), "components");
  HeatMap map{.name = "activations",
              .caption = "How much of each sample each component is",
              .note = notes({samples, parts}),
              .x_label = "samples, in the order of their dominant component",
              .y_label = "component",
              .value_label = "share of the sample",
              .rows = rows,
              .columns = static_cast<Index>(places.size()),
              .values = std::vector<double>(static_cast<std::size_t>(rows) * places.size()),
              .row_names = {}};
  for (std::size_t j = 0; j < places.size(); ++j) {
    const std::vector<double> shares = shares_of_sample(fit, components, order[places[j]]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
      map.values[i * places.size() + j] = shares[i];
  }
  // A few samples of a single component would leave all others pale.
  std::vector<double> sorted = map.values;
  const auto most = sorted.begin() + static_cast<std::ptrdiff_t>(0.995 * double(sorted.size()));
  if (most != sorted.end()) {
    std::nth_element(sorted.begin(), most, sorted.end());
    map.most = *most;
  }
  for (Index i = 0; i < rows; ++i)
    map.row_names.push_back(std::to_string(components.list[static_cast<std::size_t>(i)].number + 1));
  return {"Activations", {std::move(map)}};
}

#define SVRMU_INSTANTIATE(S)                                                      \
  template Section components_section<S>(const io::Model<S>&, const Components&,  \
                                         const std::optional<ImageShape>&);       \
  template Section similarity_section<S>(const FitResult<S>&, const Components&); \
  template Section activations_section<S>(const FitResult<S>&, const Components&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
