// A model in HDF5: what docs/model-file.md describes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "io/file_system.hpp"
#include "io/hdf5.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

// What histories of older files lack.
constexpr const char* columns_evaluated = "columns_evaluated";
// Only in histories of streams.
constexpr const char* estimated = "estimated";

// Only in histories of runs that were to stop by it.
constexpr const char* violation = "violation";

// The columns of /history, by name.
template <class Visit>
void visit_history(const Visit& visit) {
  visit("epoch", &EpochRecord::epoch);
  visit("objective", &EpochRecord::objective);
  visit("cost", &EpochRecord::cost);
  visit("relative_error", &EpochRecord::relative_error);
  visit("relative_change", &EpochRecord::relative_change);
  visit("kkt", &EpochRecord::kkt);
  visit(violation, &EpochRecord::violation);
  visit("gradient_count", &EpochRecord::gradient_count);
  visit("columns_read", &EpochRecord::columns_read);
  visit(columns_evaluated, &EpochRecord::columns_evaluated);
  visit("solver_seconds", &EpochRecord::solver_seconds);
  visit("evaluate_seconds", &EpochRecord::evaluate_seconds);
  visit("step", &EpochRecord::step);
  visit("rollbacks", &EpochRecord::rollbacks);
  visit("rolled_back", &EpochRecord::rolled_back);
  visit("partial", &EpochRecord::partial);
  visit(estimated, &EpochRecord::estimated);
}

// Types of numbers in the file and in memory.
template <class Number>
struct H5Number;
template <>
struct H5Number<float> {
  static hid_t stored() { return H5T_IEEE_F32LE; }
  static hid_t native() { return H5T_NATIVE_FLOAT; }
  static constexpr const char* name = "float32";
};
template <>
struct H5Number<double> {
  static hid_t stored() { return H5T_IEEE_F64LE; }
  static hid_t native() { return H5T_NATIVE_DOUBLE; }
  static constexpr const char* name = "float64";
};
template <>
struct H5Number<Index> {
  static hid_t stored() { return H5T_STD_I64LE; }
  static hid_t native() { return H5T_NATIVE_INT64; }
  static constexpr const char* name = "int64";
};
template <>
struct H5Number<std::uint8_t> {
  static hid_t stored() { return H5T_STD_U8LE; }
  static hid_t native() { return H5T_NATIVE_UINT8; }
  static constexpr const char* name = "uint8";
};

// Matrices by columns are turned into the rows of the file in tiles, so that no second copy is needed.
struct Tile {
  Index rows;
  Index columns;
};
inline Tile tile_of(Index rows) {
  const Index height = rows < 1024 ? rows : 1024;
  return {height, (Index{1} << 20) / (height > 0 ? height : 1)};
}

// Names with zero bytes, which HDF5's texts cannot hold: "\0" stands for the byte, "\\" for a backslash. The
// dataset then has this attribute.
constexpr const char* escaped_mark = "escaped";

// Makes the file in memory and calls use(its bytes): one copy of the model in all.
template <class Scalar>
void build_model(const std::string& name, const Model<Scalar>& model,
                 const std::function<void(std::string_view)>& use);

template <class Scalar>
void write_model(const std::string& path, const Model<Scalar>& model, const WriteOptions& options,
                 FileSystem& files);

// Reads the bytes of a file.
AnyModel read_model(const Input& input);

}  // namespace svrmu::io
