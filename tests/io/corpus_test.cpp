// Seeds and findings of the fuzz targets, as ordinary tests.
#include <gtest/gtest.h>

#include "../../fuzz/parsers.hpp"
#include "files.hpp"

namespace svrmu::io {
namespace {

TEST(Corpus, EveryFileEndsWithAMatrixOrInvalidInput) {
  std::size_t files = 0;
  for (const auto& parser : std::filesystem::directory_iterator(SVRMU_CORPUS))
    for (const auto& entry : std::filesystem::directory_iterator(parser)) {
      const std::string content = read_text(entry.path().string());
      SCOPED_TRACE(entry.path().string());
      EXPECT_NO_THROW(read_untrusted(parser.path().filename().string(), std::as_bytes(std::span(content))));
      ++files;
    }
  EXPECT_GE(files, 30u);
}

}  // namespace
}  // namespace svrmu::io
