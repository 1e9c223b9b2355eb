// V of a caller's: a source in either precision, with what it stands on.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "c/dense.hpp"
#include "c/packed_texts.hpp"
#include "svrmu/c.h"
#include "svrmu/io/files.hpp"
#include "svrmu/source.hpp"

namespace svrmu::c {

template <class Scalar>
using Source = std::unique_ptr<MatrixSource<Scalar>>;

struct Data {
  std::variant<Source<float>, Source<double>> source{};
  Index copied_bytes = 0;
  std::optional<io::MatrixFile> file{};  // where it was read from

  bool is_double() const { return source.index() == 1; }
};

// "float32"
template <class Scalar>
constexpr const char* type_name = sizeof(Scalar) == 4 ? "float32" : "float64";

// V in the precision of a model; InvalidInput if it has another one.
template <class Scalar>
const MatrixSource<Scalar>& source_in(const Data& data) {
  if (const auto* source = std::get_if<Source<Scalar>>(&data.source)) return **source;
  throw InvalidInput(std::string("V is ") +
                     type_name<std::conditional_t<sizeof(Scalar) == 4, double, float>> +
                     ", but the model is " + type_name<Scalar> + "; hand over V in the type of the model");
}

// V by a function of the caller's.
template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> reader_source(const svrmu_reader& reader);

}  // namespace svrmu::c

// Jobs share the data: a matrix may be freed while one of them runs, if what it views stays.
struct svrmu_matrix {
  std::shared_ptr<const svrmu::c::Data> data;
  mutable svrmu::c::KeptTexts texts{};
};
