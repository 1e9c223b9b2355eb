#include "start_file.hpp"

#include "child_reader.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "linalg/validity.hpp"
#include "spool.hpp"
#include "text/text.hpp"

namespace svrmu::cli {

template <class Scalar>
Matrix<Scalar> read_start(const std::string& path, Index rows, Index columns, const InputFlags& flags) {
  const io::Precision precision = sizeof(Scalar) == 4 ? io::Precision::float32 : io::Precision::float64;
  const auto file = reading(path, [&] {
    const io::ReadOptions options{io::SamplesIn::columns, precision, flags.threads};
    return is_pipe(path) ? read_pipe(path, options, flags.trusted)
                         : read_matrix(path, options, flags.trusted);
  });
  if (file.rows != rows || file.columns != columns)
    throw InvalidData(printable(path) + ": is " + shape_text(file.rows, file.columns) +
                      ", but a start here must be " + shape_text(rows, columns));
  Matrix<Scalar> start = dense_values<Scalar>(file);
  const Index at = first_invalid(start.data(), start.size());
  if (at < start.size())
    throw InvalidData(printable(path) + ", row " + std::to_string(at % rows + 1) + ", column " +
                      std::to_string(at / rows + 1) + " (counted from 1): holds " +
                      short_number(static_cast<double>(start.data()[at])) +
                      "; a start must be finite and not negative");
  return start;
}

template Matrix<float> read_start<float>(const std::string&, Index, Index, const InputFlags&);
template Matrix<double> read_start<double>(const std::string&, Index, Index, const InputFlags&);

}  // namespace svrmu::cli
