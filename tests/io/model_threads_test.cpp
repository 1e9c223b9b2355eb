#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "files.hpp"
#include "models.hpp"

namespace svrmu::io {
namespace {

TEST(ModelThreads, WriteAndReadAtTheSameTime) {
  const ScratchFolder folder;
  const Model<double> model = rich_model();
  std::array<int, 2> failures{};
  const auto work = [&](std::size_t which) {
    const std::string path = folder.file(std::to_string(which) + ".h5");
    for (int i = 0; i < 50; ++i) try {
        write_model(path, model, {.overwrite = true});
        if (std::get<Model<double>>(read_model(path)).fit.W != model.fit.W) ++failures[which];
      } catch (const std::exception& error) {
        ++failures[which];
      }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(failures[0], 0);
  EXPECT_EQ(failures[1], 0);
}

}  // namespace
}  // namespace svrmu::io
