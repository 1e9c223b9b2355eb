#include "io/elements.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "io/compress.hpp"

namespace svrmu::io {
namespace {

// IEEE half precision has no type of its own here.
struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    double value = 0;
    if (exponent == 31)
      value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      value = std::ldexp(fraction, -24);
    else
      value = std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
  }
  explicit operator float() const { return static_cast<float>(static_cast<double>(*this)); }
};

struct Boolean {
  std::uint8_t byte;
  explicit operator double() const { return byte != 0; }
  explicit operator float() const { return byte != 0; }
};

template <class Number, class Scalar>
void convert_numbers(const std::byte* from, bool swapped, std::uint64_t count, Scalar* to) {
  if (swapped) {
    for (std::uint64_t i = 0; i < count; ++i)
      to[i] = static_cast<Scalar>(load<Number>(from + i * sizeof(Number), true));
  } else {
    for (std::uint64_t i = 0; i < count; ++i) {
      Number number;
      std::memcpy(&number, from + i * sizeof(Number), sizeof(Number));
      to[i] = static_cast<Scalar>(number);
    }
  }
}

template <class Scalar>
MatrixFile described(const Input& input, Index rows, Index columns, const ReadOptions& options) {
  MatrixFile file;
  file.path = input.name;
  file.rows = rows;
  file.columns = columns;
  file.samples = decide_samples(options.samples, SamplesIn::automatic);
  return file;
}

template <class Scalar>
MatrixFile dense_as(const Input& input, const ElementType& type, Bytes values, Index rows, Index columns,
                    Layout layout, const ReadOptions& options) {
  const auto count = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
  const bool native =
      !type.swapped() && type.element == (sizeof(Scalar) == 8 ? Element::float64 : Element::float32);
  const bool aligned = reinterpret_cast<std::uintptr_t>(values.data()) % alignof(Scalar) == 0;
  if (native && aligned && input.owner) {
    MatrixFile file = described<Scalar>(input, rows, columns, options);
    file.matrix = StoredDense<Scalar>{reinterpret_cast<const Scalar*>(values.data()), layout};
    file.storage = input.owner;
    file.mapped = input.mapped;
    return file;
  }
  check_affordable(input, count, sizeof(Scalar), "the matrix");
  std::shared_ptr<Scalar[]> owned(new Scalar[count]);
  convert(type, values.data(), count, owned.get());
  return owned_dense<Scalar>(input, std::move(owned), rows, columns, layout, options);
}

}  // namespace

std::size_t size_of(Element element) {
  switch (element) {
    case Element::boolean:
    case Element::int8:
    case Element::uint8:
      return 1;
    case Element::int16:
    case Element::uint16:
    case Element::float16:
      return 2;
    case Element::int32:
    case Element::uint32:
    case Element::float32:
      return 4;
    case Element::int64:
    case Element::uint64:
    case Element::float64:
      break;
  }
  return 8;
}

std::string name_of(const ElementType& type) {
  static constexpr const char* names[] = {"bool",   "int8",  "uint8",  "int16",   "uint16",  "int32",
                                          "uint32", "int64", "uint64", "float16", "float32", "float64"};
  const std::string name = names[static_cast<int>(type.element)];
  return type.big_endian && size_of(type.element) > 1 ? name + " big-endian" : name;
}

template <class Scalar>
void convert(const ElementType& type, const std::byte* from, std::uint64_t count, Scalar* to) {
  const bool swapped = type.swapped();
  switch (type.element) {
    case Element::boolean:
      return convert_numbers<Boolean>(from, swapped, count, to);
    case Element::int8:
      return convert_numbers<std::int8_t>(from, swapped, count, to);
    case Element::uint8:
      return convert_numbers<std::uint8_t>(from, swapped, count, to);
    case Element::int16:
      return convert_numbers<std::int16_t>(from, swapped, count, to);
    case Element::uint16:
      return convert_numbers<std::uint16_t>(from, swapped, count, to);
    case Element::int32:
      return convert_numbers<std::int32_t>(from, swapped, count, to);
    case Element::uint32:
      return convert_numbers<std::uint32_t>(from, swapped, count, to);
    case Element::int64:
      return convert_numbers<std::int64_t>(from, swapped, count, to);
    case Element::uint64:
      return convert_numbers<std::uint64_t>(from, swapped, count, to);
    case Element::float16:
      return convert_numbers<Half>(from, swapped, count, to);
    case Element::float32:
      return convert_numbers<float>(from, swapped, count, to);
    case Element::float64:
      return convert_numbers<double>(from, swapped, count, to);
  }
}

bool convert_indices(const ElementType& type, const std::byte* from, std::uint64_t count, Index* to) {
  const bool swapped = type.swapped();
  switch (type.element) {
    case Element::int8:
      return convert_numbers<std::int8_t>(from, swapped, count, to), true;
    case Element::uint8:
      return convert_numbers<std::uint8_t>(from, swapped, count, to), true;
    case Element::int16:
      return convert_numbers<std::int16_t>(from, swapped, count, to), true;
    case Element::uint16:
      return convert_numbers<std::uint16_t>(from, swapped, count, to), true;
    case Element::int32:
      return convert_numbers<std::int32_t>(from, swapped, count, to), true;
    case Element::uint32:
      return convert_numbers<std::uint32_t>(from, swapped, count, to), true;
    case Element::int64:
      return convert_numbers<std::int64_t>(from, swapped, count, to), true;
    case Element::uint64:
      return convert_numbers<std::uint64_t>(from, swapped, count, to), true;
    default:
      return false;
  }
}

bool as_double(const ElementType& type, Precision wanted) {
  if (wanted == Precision::automatic) return type.element != Element::float32;
  return wanted == Precision::float64;
}

SamplesIn decide_samples(SamplesIn wanted, SamplesIn natural) {
  if (wanted != SamplesIn::automatic) return wanted;
  return natural == SamplesIn::automatic ? SamplesIn::columns : natural;
}

void set_natural(MatrixFile& file, SamplesIn natural, const ReadOptions& options) {
  file.natural = natural;
  file.samples = decide_samples(options.samples, natural);
}

MatrixFile dense_matrix(const Input& input, const ElementType& type, Bytes values, Index rows, Index columns,
                        Layout layout, const ReadOptions& options) {
  MatrixFile file = as_double(type, options.precision)
                        ? dense_as<double>(input, type, values, rows, columns, layout, options)
                        : dense_as<float>(input, type, values, rows, columns, layout, options);
  file.elements = name_of(type);
  return file;
}

template <class Scalar>
MatrixFile owned_dense(const Input& input, std::shared_ptr<Scalar[]> values, Index rows, Index columns,
                       Layout layout, const ReadOptions& options) {
  MatrixFile file = described<Scalar>(input, rows, columns, options);
  file.matrix = StoredDense<Scalar>{values.get(), layout};
  file.storage = std::move(values);
  return file;
}

template <class Scalar>
MatrixFile sparse_matrix(const Input& input, OwnedSparse<Scalar> owned, Index rows, Index columns,
                         Layout layout, const ReadOptions& options) {
  sort_and_add_up(owned);
  MatrixFile file = described<Scalar>(input, rows, columns, options);
  const auto kept = std::make_shared<OwnedSparse<Scalar>>(std::move(owned));
  file.matrix = StoredSparse<Scalar>{kept->offsets.data(), kept->indices.data(), kept->values.data(), layout};
  file.storage = kept;
  return file;
}

#define SVRMU_INSTANTIATE(S)                                                                   \
  template void convert<S>(const ElementType&, const std::byte*, std::uint64_t, S*);           \
  template MatrixFile owned_dense<S>(const Input&, std::shared_ptr<S[]>, Index, Index, Layout, \
                                     const ReadOptions&);                                      \
  template MatrixFile sparse_matrix<S>(const Input&, OwnedSparse<S>, Index, Index, Layout,     \
                                       const ReadOptions&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
