#include "io/table_judgment.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/input.hpp"

namespace svrmu::io {
namespace {

// The first values of a column.
template <class Scalar>
std::vector<double> column_of(const MatrixFile& file, Index column, Index count) {
  const Scalar* values = std::get<StoredDense<Scalar>>(file.matrix).data;
  std::vector<double> out(static_cast<std::size_t>(std::min(count, file.rows)));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<double>(values[static_cast<Index>(i) * file.columns + column]);
  return out;
}

constexpr Index first_lines = 100;  // that tell most data from an index and from places

template <class Scalar>
std::vector<double> line_of(const MatrixFile& file, Index row) {
  const Scalar* values = std::get<StoredDense<Scalar>>(file.matrix).data + row * file.columns;
  return {values, values + file.columns};
}

}  // namespace

template <class Scalar>
bool holds_index(const Table& table, MatrixFile& file) {
  if (file.columns < 2 || table.row_names) return false;
  const std::string* name = table.column_names.empty() ? nullptr : &table.column_names[0];
  FirstColumn found;
  for (const Index lines : {first_lines, file.rows}) {
    found = judge_first_column(column_of<Scalar>(file, 0, lines), column_of<Scalar>(file, 1, lines), name);
    if (found.note.empty()) return false;
  }
  file.notes = {found.note};
  return found.is_names;
}

template <class Scalar>
void note_first_line(const Table& table, MatrixFile& file) {
  if (!table.column_names.empty() || file.rows < 2) return;
  constexpr Index few = 10;
  std::vector<std::vector<double>> below;
  for (Index row = 1; row < std::min(file.rows, few); ++row) below.push_back(line_of<Scalar>(file, row));
  if (std::string note = judge_first_line(line_of<Scalar>(file, 0), below); !note.empty())
    file.notes.push_back(std::move(note));
}

template <class Scalar>
void refuse_triples(const Input& input, const Table& table, MatrixFile& file) {
  if (file.columns != 3 && file.columns != 4) return;
  for (const Index lines : {first_lines, file.rows})
    if (!are_places(column_of<Scalar>(file, 0, lines), column_of<Scalar>(file, 1, lines))) return;
  const Triples found = judge_triples(column_of<Scalar>(file, 0, file.rows),
                                      column_of<Scalar>(file, 1, file.rows), table.column_names);
  const std::string looks = "the lines look like entries (row, column, value) of a sparse matrix, ";
  const std::string rows = "rows of " + std::to_string(file.columns) + " numbers; ";
  if (found == Triples::yes)
    fail_at_text(input, table.body,
                 looks + "not like " + rows +
                     "save them as Matrix Market (.mtx), or say row_names=none if they are rows");
  if (found == Triples::perhaps)
    file.notes.push_back(looks + "but are so few that they are taken as " + rows +
                         "save them as Matrix Market (.mtx) if they are entries, or say row_names=none");
}

#define SVRMU_INSTANTIATE(S)                                   \
  template bool holds_index<S>(const Table&, MatrixFile&);     \
  template void note_first_line<S>(const Table&, MatrixFile&); \
  template void refuse_triples<S>(const Input&, const Table&, MatrixFile&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
