#include "model_input.hpp"

#include "child_process.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "io/old_model.hpp"

namespace svrmu::cli {

io::AnyModel read_model(const std::string& path) {
  return reading(path, [&] {
    if (!io::lacks_seal(path)) return io::read_model(path);
    warn(printable(path) +
         ": has no checksum, as models of older versions: damage to it would not be noticed; fit --resume "
         "writes a model with one");
    if (!children_are_used) return io::read_model(path);
    return io::model_of_bytes(path, in_child(path, [&] { return io::sealed_bytes(path); }));
  });
}

}  // namespace svrmu::cli
