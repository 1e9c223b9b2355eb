// Where the writers put their bytes.
#pragma once

#include <string_view>

namespace svrmu::io {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
};

}  // namespace svrmu::io
