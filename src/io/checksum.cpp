#include "io/digest.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

std::uint64_t checksum(const MatrixFile& file) {
  const auto size = [](Index number) { return static_cast<std::size_t>(number); };
  Digest digest;
  digest.add(size(file.rows));
  digest.add(size(file.columns));
  digest.add(file.samples == SamplesIn::rows ? 1 : 0);
  std::visit(
      [&](const auto& m) {
        digest.add(m.layout == Layout::columns_contiguous ? 1 : 0);
        if constexpr (requires { m.offsets; }) {
          const Index majors = m.layout == Layout::columns_contiguous ? file.columns : file.rows;
          digest.add(m.offsets, size(majors + 1));
          digest.add(m.indices, size(m.offsets[majors]));
          digest.add(m.values, size(m.offsets[majors]));
        } else {
          digest.add(m.data, size(file.rows * file.columns));
        }
      },
      file.matrix);
  return digest.number();
}

}  // namespace svrmu::io
