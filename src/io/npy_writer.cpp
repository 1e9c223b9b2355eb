#include "io/npy_writer.hpp"

#include <bit>

namespace svrmu::io {

template <class Scalar>
NpyWriter<Scalar>::NpyWriter(const std::string& path, Index rows, bool overwrite)
    : file_(path, overwrite), rows_(rows) {
  file_.write(header());
}

template <class Scalar>
NpyWriter<Scalar>::~NpyWriter() = default;

template <class Scalar>
void NpyWriter<Scalar>::append(const Matrix<Scalar>& columns) {
  const auto bytes = static_cast<std::size_t>(columns.size()) * sizeof(Scalar);
  file_.write({reinterpret_cast<const char*>(columns.data()), bytes});
  columns_ += columns.cols();
}

template <class Scalar>
void NpyWriter<Scalar>::commit() {
  file_.rewrite(header());
  file_.commit();
}

template <class Scalar>
std::string NpyWriter<Scalar>::header() const {
  constexpr std::size_t size = 128;  // the dictionary takes 100 at most
  const bool little = std::endian::native == std::endian::little;
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(size - 10);
  text += '\0';
  text += std::string("{'descr': '") + (little ? '<' : '>') + 'f' + std::to_string(sizeof(Scalar)) +
          "', 'fortran_order': True, 'shape': (" + std::to_string(rows_) + ", " + std::to_string(columns_) +
          "), }";
  text.append(size - 1 - text.size(), ' ');
  return text + '\n';
}

template class NpyWriter<float>;
template class NpyWriter<double>;

}  // namespace svrmu::io
