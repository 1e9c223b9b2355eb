#include "model_input.hpp"

#include "console.hpp"
#include "errors.hpp"

namespace svrmu::cli {

io::AnyModel read_model(const std::string& path) {
  io::AnyModel any = reading(path, [&] { return io::read_model(path); });
  if (!std::visit([](const auto& model) { return model.has_checksum; }, any))
    warn(printable(path) +
         ": has no checksum, as models of older versions: damage to it would not be noticed; fit --resume "
         "writes a model with one");
  return any;
}

}  // namespace svrmu::cli
