// What the numbers of a delimited text may be besides data: an index, numbers of columns, places of entries.
#pragma once

#include "io/table.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

// True if the first column must be read again, as names.
template <class Scalar>
bool holds_index(const Table& table, MatrixFile& file);

// A note where the first line may number the columns.
template <class Scalar>
void note_first_line(const Table& table, MatrixFile& file);

// Refuses (row, column, value) in each line, or makes a note where there are too few lines to tell.
template <class Scalar>
void refuse_triples(const Input& input, const Table& table, MatrixFile& file);

}  // namespace svrmu::io
