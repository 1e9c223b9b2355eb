#include "match_features.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"

namespace svrmu::cli {
namespace {

constexpr Index absent = -1;

// For each name its place in the file, or `absent`.
std::vector<Index> places(const io::MatrixFile& file, const std::vector<std::string>& names) {
  std::unordered_map<std::string, Index> place;
  const std::vector<std::string>& have = file.feature_names();
  for (std::size_t i = 0; i < have.size(); ++i) {
    const auto [at, is_new] = place.emplace(have[i], static_cast<Index>(i));
    if (!is_new)
      throw InvalidData(spoken_input(file.path) + ": two features are named '" + printable(have[i]) +
                        "', so that they cannot be matched by name");
  }
  std::vector<Index> from;
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      throw InvalidData("two features of the model are named '" + printable(name) +
                        "', so that they cannot be matched by name");
    const auto found = place.find(name);
    from.push_back(found == place.end() ? absent : found->second);
  }
  return from;
}

// A file that is turned has the names on its other side.
std::string remedy_for(const io::MatrixFile& file, const std::vector<std::string>& names) {
  const std::unordered_set<std::string> wanted(names.begin(), names.end());
  const std::vector<std::string>& others = file.sample_names();
  const bool turned =
      std::any_of(others.begin(), others.end(), [&](const auto& name) { return wanted.count(name) > 0; });
  if (!turned) return "; is it the right way round? (--samples)";
  return std::string(" among the names of its ") + (file.samples == io::SamplesIn::rows
                                                        ? "columns, but its rows have: say --samples columns"
                                                        : "rows, but its columns have: say --samples rows");
}

template <class Scalar>
struct Owned {
  std::vector<Scalar> values;
  std::vector<Index> offsets;
  std::vector<Index> indices;
};

// Dense: entry (feature, sample) of V lies at feature * feature_stride + sample * sample_stride.
template <class Scalar>
io::StoredMatrix chosen(const io::StoredDense<Scalar>& stored, const io::MatrixFile& file,
                        const std::vector<Index>& from, Owned<Scalar>& owned) {
  const bool by_features =
      (stored.layout == Layout::rows_contiguous) == (file.samples == io::SamplesIn::columns);
  const auto F = static_cast<Index>(from.size());
  const Index N = file.sample_count();
  owned.values.assign(static_cast<std::size_t>(F * N), Scalar(0));
  const Index old_feature = by_features ? N : 1;
  const Index old_sample = by_features ? 1 : file.features();
  const Index new_feature = by_features ? N : 1;
  const Index new_sample = by_features ? 1 : F;
  for (Index f = 0; f < F; ++f) {
    const Index at = from[static_cast<std::size_t>(f)];
    if (at == absent) continue;
    for (Index n = 0; n < N; ++n)
      owned.values[static_cast<std::size_t>(f * new_feature + n * new_sample)] =
          stored.data[at * old_feature + n * old_sample];
  }
  return io::StoredDense<Scalar>{owned.values.data(), stored.layout};
}

template <class Scalar>
io::StoredMatrix chosen(const io::StoredSparse<Scalar>& stored, const io::MatrixFile& file,
                        const std::vector<Index>& from, Owned<Scalar>& owned) {
  const bool by_samples =
      (stored.layout == Layout::columns_contiguous) == (file.samples == io::SamplesIn::columns);
  owned.offsets = {0};
  if (!by_samples) {
    for (const Index at : from) {
      if (at != absent) {
        owned.indices.insert(owned.indices.end(), stored.indices + stored.offsets[at],
                             stored.indices + stored.offsets[at + 1]);
        owned.values.insert(owned.values.end(), stored.values + stored.offsets[at],
                            stored.values + stored.offsets[at + 1]);
      }
      owned.offsets.push_back(static_cast<Index>(owned.indices.size()));
    }
  } else {
    std::vector<Index> to(static_cast<std::size_t>(file.features()), absent);
    for (std::size_t f = 0; f < from.size(); ++f)
      if (from[f] != absent) to[static_cast<std::size_t>(from[f])] = static_cast<Index>(f);
    std::vector<std::pair<Index, Scalar>> column;
    for (Index n = 0; n < file.sample_count(); ++n) {
      column.clear();
      for (Index p = stored.offsets[n]; p < stored.offsets[n + 1]; ++p)
        if (const Index f = to[static_cast<std::size_t>(stored.indices[p])]; f != absent)
          column.emplace_back(f, stored.values[p]);
      std::sort(column.begin(), column.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [f, value] : column) {
        owned.indices.push_back(f);
        owned.values.push_back(value);
      }
      owned.offsets.push_back(static_cast<Index>(owned.indices.size()));
    }
  }
  return io::StoredSparse<Scalar>{owned.offsets.data(), owned.indices.data(), owned.values.data(),
                                  stored.layout};
}

}  // namespace

std::vector<Index> find_features(const io::MatrixFile& file, const std::vector<std::string>& names,
                                 bool missing_as_zero) {
  if (file.feature_names() == names) return {};
  std::vector<Index> from = places(file, names);
  const auto missing = std::count(from.begin(), from.end(), absent);
  if (missing == static_cast<Index>(names.size()))
    throw InvalidData(spoken_input(file.path) + ": has none of the model's features" +
                      remedy_for(file, names));
  if (missing > 0 && !missing_as_zero) {
    const std::string& first =
        names[static_cast<std::size_t>(std::find(from.begin(), from.end(), absent) - from.begin())];
    throw InvalidData(spoken_input(file.path) + ": lacks " + std::to_string(missing) + " of the model's " +
                      std::to_string(names.size()) + " features, the first '" + printable(first) +
                      "'; --missing-as-zero takes them as 0");
  }
  const auto left_out = file.features() - (static_cast<Index>(names.size()) - missing);
  say("features matched by name" +
      (missing > 0 ? ", " + std::to_string(missing) + " missing ones taken as 0" : "") +
      (left_out > 0 ? ", " + std::to_string(left_out) + " unknown ones left out" : ""));
  return from;
}

io::MatrixFile with_features(const io::MatrixFile& file, const std::vector<Index>& from) {
  io::MatrixFile matched = file;
  std::visit(
      [&](const auto& stored) {
        const auto owned = std::make_shared<Owned<typename std::decay_t<decltype(stored)>::Value>>();
        matched.matrix = chosen(stored, file, from, *owned);
        matched.storage = owned;
      },
      file.matrix);
  matched.mapped = false;
  (file.samples == io::SamplesIn::rows ? matched.columns : matched.rows) = static_cast<Index>(from.size());
  return matched;
}

}  // namespace svrmu::cli
