#include "io/h5_types.hpp"

#include <algorithm>

namespace svrmu::io {
namespace {

// Half, single or double of IEEE 754, and not something else of that size.
bool is_ieee(hid_t type, std::size_t size) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) < 0) return false;
  const std::size_t wanted = size == 2 ? 10 : size == 4 ? 23 : 52;
  const std::size_t bits = 8 * size;
  return fraction == 0 && fraction_bits == wanted && exponent == wanted &&
         exponent_bits == bits - 1 - wanted && sign == bits - 1 &&
         H5Tget_ebias(type) == (std::size_t{1} << (exponent_bits - 1)) - 1 &&
         H5Tget_norm(type) == H5T_NORM_IMPLIED && H5Tget_precision(type) == bits && H5Tget_offset(type) == 0;
}

// h5py's bool: an enumeration of FALSE = 0 and TRUE = 1 in a byte.
bool is_boolean(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  std::uint8_t no = 2, yes = 2;
  return H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 &&
         yes == 1;
}

std::optional<ElementType> integer_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0) return std::nullopt;
  const bool big_endian = H5Tget_order(type) == H5T_ORDER_BE;
  const bool has_sign = H5Tget_sign(type) == H5T_SGN_2;
  switch (size) {
    case 1:
      return ElementType{has_sign ? Element::int8 : Element::uint8, big_endian};
    case 2:
      return ElementType{has_sign ? Element::int16 : Element::uint16, big_endian};
    case 4:
      return ElementType{has_sign ? Element::int32 : Element::uint32, big_endian};
    case 8:
      return ElementType{has_sign ? Element::int64 : Element::uint64, big_endian};
    default:
      return std::nullopt;
  }
}

std::optional<ElementType> float_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const H5T_order_t order = H5Tget_order(type);
  if ((size != 2 && size != 4 && size != 8) || !is_ieee(type, size)) return std::nullopt;
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return std::nullopt;
  const Element element = size == 2 ? Element::float16 : size == 4 ? Element::float32 : Element::float64;
  return ElementType{element, order == H5T_ORDER_BE};
}

bool is_complex(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  for (const unsigned member : {0u, 1u})
    if (H5Tget_member_class(type, member) != H5T_FLOAT) return false;
  const auto has_field = [&](const char* name) { return H5Tget_member_index(type, name) >= 0; };
  return (has_field("r") && has_field("i")) || (has_field("real") && has_field("imag"));
}

}  // namespace

std::optional<ElementType> element_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_type(type);
    case H5T_FLOAT:
      return float_type(type);
    case H5T_ENUM:
      return is_boolean(type) ? std::optional(ElementType{Element::boolean, false}) : std::nullopt;
    case H5T_BITFIELD:  // PyTables' bool
      return H5Tget_size(type) == 1 ? std::optional(ElementType{Element::boolean, false}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string contents_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
      return "numbers of an unusual type";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_STRING:
      return "texts";
    case H5T_COMPOUND:
      return is_complex(type) ? "complex numbers" : "records";
    case H5T_REFERENCE:
      return "references";
    case H5T_VLEN:
    case H5T_ARRAY:
      return "lists";
    default:
      return "bytes of an unknown meaning";
  }
}

std::string fixed_text(const char* from, std::size_t size, H5T_str_t padding) {
  std::string text(from, std::find(from, from + size, '\0'));
  if (padding == H5T_STR_SPACEPAD) text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace svrmu::io
