// Learning from a stream of columns: what fit --stream and update have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "input_flags.hpp"
#include "interrupt.hpp"
#include "io/descriptor.hpp"
#include "io/npy_writer.hpp"
#include "read_ahead.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/io/stream.hpp"
#include "svrmu/update.hpp"

namespace svrmu::cli {

// What is said and written.
struct LearningFlags {
  StreamOptions<double> options;  // what does not depend on the precision
  std::string output, save_w, save_h, trace;
  bool force = false, json = false;
  bool same_model = false;  // output is the model that goes in, and is replaced

  std::vector<std::string> outputs() const { return {output, save_w, save_h, trace}; }
};

// --forget-factor and --window.
void add_learning_flags(CLI::App& command, StreamOptions<double>& options, const char* group);
// Refuses outputs that cannot be made, before anything is read.
void check_learning_targets(const LearningFlags& flags);

// A stream that the command line names, whose beginning has been read.
class OpenedStream {
 public:
  OpenedStream(const InputFlags& flags, std::stop_token stop);

  io::StreamFile& file() { return *file_; }
  const io::StreamHeader& header() const { return file_->header(); }

 private:
  std::unique_ptr<io::Descriptor> descriptor_;  // none for standard input
  std::unique_ptr<ReadAhead> bytes_;
  std::unique_ptr<io::StreamFile> file_;
};

// "samples of 500 features, as they come", and a second line about how they come.
void introduce(const io::StreamHeader& header);

// One run over samples that are seen once, with all that belongs to it: interrupts, progress, H.
template <class Scalar>
class Learning {
 public:
  // `stop` is asked to stop at an interrupt.
  Learning(const LearningFlags& flags, Index rank, std::stop_source stop);

  // Calls learn() with the options, and lets interrupts wait from then on until all is written.
  void run(const std::function<FitResult<Scalar>(const StreamOptions<Scalar>&)>& learn);
  // The same for a stream. What ended it too early is kept; if nothing was learned, it is thrown.
  void run(const std::string& name, io::FileColumns<Scalar>& columns,
           const std::function<FitResult<Scalar>(const StreamOptions<Scalar>&)>& learn);

  FitResult<Scalar>& result() { return result_; }
  // Writes what was asked for, says what was found, and returns the exit code.
  int finish(const io::Model<Scalar>& model);

 private:
  void write(const io::Model<Scalar>& model);
  void tell(const io::Model<Scalar>& model) const;
  int complain_of_fault() const;

  const LearningFlags& flags_;
  std::stop_source stop_;
  Index columns_ = 0;  // learned from
  double seconds_ = 0;
  std::unique_ptr<io::NpyWriter<Scalar>> h_;
  std::optional<LateInterrupts> saving_;
  FitResult<Scalar> result_;
  std::exception_ptr fault_;
};

}  // namespace svrmu::cli
