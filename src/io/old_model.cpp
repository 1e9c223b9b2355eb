#include "io/old_model.hpp"

#include "io/input.hpp"
#include "io/mapped_file.hpp"
#include "io/model_file.hpp"

namespace svrmu::io {

bool lacks_seal(const std::string& path) { return first_bytes(path, h5_signature.size()) == h5_signature; }

std::string sealed_bytes(const std::string& path) {
  std::string bytes;
  std::visit(
      [&](const auto& model) { build_model(path, model, [&](std::string_view file) { bytes = file; }); },
      read_model(path));
  return bytes;
}

AnyModel model_of_bytes(const std::string& name, const std::string& bytes) {
  const Bytes all = std::as_bytes(std::span(bytes));
  return read_model(Input{name, all, nullptr, false, {}});
}

}  // namespace svrmu::io
