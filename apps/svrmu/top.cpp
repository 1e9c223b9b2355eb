// svrmu top: the strongest features of each component.
#include <algorithm>
#include <iostream>
#include <numeric>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "input_flags.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/report/model_page.hpp"

namespace svrmu::cli {
namespace {

struct TopFlags {
  std::string model;
  NameFlags names;
  Index count = 10;
  bool json = false;
};

template <class Scalar>
std::string name_of_feature(const io::Model<Scalar>& model, Index feature) {
  if (model.feature_names.empty()) return "feature " + std::to_string(feature + 1);
  return model.feature_names[static_cast<std::size_t>(feature)];
}

// Indices of the largest positive values, largest first; equal ones in their order.
template <class Column>
std::vector<Index> strongest(const Column& column, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(column.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min<Index>(count, column.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) {
    return column(a) > column(b) || (column(a) == column(b) && a < b);
  });
  order.erase(std::find_if(order.begin(), end, [&](Index i) { return !(column(i) > 0); }), order.end());
  return order;
}

template <class Scalar>
void print(const io::Model<Scalar>& model, const TopFlags& flags) {
  const auto& W = model.fit.W;
  const auto& H = model.fit.H;
  const bool weighed = H.cols() > 0;  // a model of a stream has no H
  // The share of a component in all of WH: what it puts into the sum of the entries.
  std::vector<double> weight(static_cast<std::size_t>(model.fit.rank));
  for (Index k = 0; k < model.fit.rank; ++k)
    weight[static_cast<std::size_t>(k)] =
        W.col(k).template cast<double>().sum() * H.row(k).template cast<double>().sum();
  const double total = std::max(std::accumulate(weight.begin(), weight.end(), 0.0), 1e-300);

  const Quality found = quality(model.fit);
  const std::vector<std::string> notes = report::cautions(model);
  for (const std::string& note : notes) say(bold("note:") + " " + note);
  const bool estimated = model.fit.record().estimated;
  say(found.measure + (estimated ? " about " : " ") + short_number(found.value) + ": " + found.meaning);
  Json json = Json::array();
  for (Index k = 0; k < model.fit.rank; ++k) {
    const double share = weight[static_cast<std::size_t>(k)] / total;
    const std::vector<Index> best = strongest(W.col(k), flags.count);
    const double sum = W.col(k).template cast<double>().sum();
    if (flags.json) {
      Json features = Json::array();
      for (const Index f : best) {
        const bool named = !model.feature_names.empty();
        features.push_back({{"feature", f + first_index},
                            {"name", named ? Json(name_of_feature(model, f)) : Json(nullptr)},
                            {"share", static_cast<double>(W(f, k)) / sum}});
      }
      json.push_back({{"component", k + first_index},
                      {"share", weighed ? Json(share) : Json(nullptr)},
                      {"features", features}});
      continue;
    }
    std::cout << "component " << k + 1;
    if (weighed) std::cout << " (" << short_number(100 * share) << " % of WH)";
    std::cout << "\n";
    if (best.empty()) std::cout << "  empty\n";
    for (const Index f : best) {
      const std::string percent = short_number(100 * static_cast<double>(W(f, k)) / sum);
      std::cout << "  " << std::string(percent.size() < 9 ? 9 - percent.size() : 0, ' ') << percent << " %  "
                << printable(name_of_feature(model, f)) << "\n";
    }
  }
  if (flags.json)
    std::cout << dump({{"model", flags.model},
                       {"loss", to_string(model.fit.loss)},
                       {"cost", number_or_null(model.fit.record().cost)},
                       {"explained", number_or_null(found.explained)},
                       {"explained_of", found.baseline},
                       {"warnings", notes},
                       {counted_from, first_index},
                       {"components", json}});
}

}  // namespace

Run add_top(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("top", "The strongest features of each component");
  const auto flags = std::make_shared<TopFlags>();
  app.description(
      "The strongest features of each component of a model, with their share of the component.\n\n"
      "Examples:\n"
      "  svrmu top news.svrmu.h5\n"
      "  svrmu top news.svrmu.h5 -n 5 --json\n");
  app.add_option("MODEL", flags->model, "model file of svrmu fit")->required();
  app.add_option("-n,--count", flags->count, "features for each component [10]")
      ->type_name("INTEGER")
      ->check(CLI::Range(Index{1}, Index{1000000000}));
  add_feature_names_flag(app, flags->names, "Options");
  add_json_flag(app, flags->json);
  return [flags] {
    io::AnyModel any = read_model(flags->model);
    std::visit(
        [&](auto& model) {
          if (!flags->names.features.empty())
            model.feature_names = read_feature_names(flags->names, model.fit.W.rows());
          if (model.feature_names.empty())
            note("the model has no names of features; --feature-names FILE gives them, here or to svrmu fit");
          print(model, *flags);
        },
        any);
    return int{done};
  };
}

}  // namespace svrmu::cli
