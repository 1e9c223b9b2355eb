#include "stream_learning.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "console.hpp"
#include "errors.hpp"
#include "fit_outcome.hpp"
#include "json.hpp"
#include "list_flags.hpp"
#include "progress_line.hpp"
#include "rescue.hpp"

namespace svrmu::cli {

void add_learning_flags(CLI::App& command, StreamOptions<double>& options, const char* group) {
  for (const char* option : {"forget_factor", "window"}) add_flag_of(command, options, option)->group(group);
}

void check_learning_targets(const LearningFlags& flags) {
  if (flags.output == standard_stream)
    throw UsageError("a model cannot be written to standard output; name a file");
  check_target(flags.output, flags.force || flags.same_model);
  if (!flags.save_w.empty()) check_matrix_target(flags.save_w, flags.force);
  if (!flags.save_h.empty()) {
    if (!flags.save_h.ends_with(".npy"))
      throw UsageError("--save-h " + printable(flags.save_h) +
                       ": H of a stream is written as it comes, which only .npy can be");
    check_target(flags.save_h, flags.force);
  }
  if (!flags.trace.empty()) check_target(flags.trace, flags.force);
  int streams = flags.json ? 1 : 0;
  for (const std::string* path : {&flags.save_w, &flags.trace})
    if (*path == standard_stream) ++streams;
  if (streams > 1) throw UsageError("only one output can go to standard output");
}

OpenedStream::OpenedStream(const InputFlags& flags, std::stop_token stop) {
  const io::ReadOptions options = read_options(flags);
  const std::string name = spoken_input(flags.path);
  int number = STDIN_FILENO;
  if (flags.path != standard_stream) {
    number = ::open(flags.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number < 0) throw io::IoError(name + ": cannot be read: " + std::strerror(errno));
    descriptor_ = std::make_unique<io::Descriptor>(number);
  }
  try {
    bytes_ = std::make_unique<ReadAhead>(number, name, std::move(stop));
    const auto read = [bytes = bytes_.get()](std::byte* to, std::size_t most) {
      return bytes->read(to, most);
    };
    file_ = std::make_unique<io::StreamFile>(read, name, options);
  } catch (const InvalidData& error) {
    throw InvalidData(with_flags(error.what()));
  } catch (const InvalidInput& error) {
    throw UsageError(with_flags(error.what()));
  }
  introduce(header());
  for (const std::string& what : header().notes) note(printable(with_flags(what)));
}

void introduce(const io::StreamHeader& header) {
  say(bold("samples of " + counted(static_cast<double>(header.features), "feature", "features")) +
      ", each seen once");
  say("  " + header.name + ": " + header.format + ", " + header.elements +
      (header.sparse ? ", sparse" : ", dense") + (header.feature_names.empty() ? "" : ", named features"));
}

template <class Scalar>
Learning<Scalar>::Learning(const LearningFlags& flags, Index rank, std::stop_source stop)
    : flags_(flags), stop_(std::move(stop)) {
  if (!flags.save_h.empty()) h_ = std::make_unique<io::NpyWriter<Scalar>>(flags.save_h, rank, flags.force);
}

template <class Scalar>
void Learning<Scalar>::run(const std::function<FitResult<Scalar>(const StreamOptions<Scalar>&)>& learn) {
  StreamOptions<Scalar> options;
  options.forget_factor = flags_.options.forget_factor;
  options.window = flags_.options.window;
  options.time_limit_seconds = flags_.options.time_limit_seconds;
  options.threads = flags_.options.threads;
  options.stop = stop_.get_token();
  if (h_) options.keep_h = [&](Index, const Matrix<Scalar>& h) { h_->append(h); };
  ProgressLine line;
  const bool verbose = Console::get().verbosity == Verbosity::verbose;
  options.observer = [&](const EpochRecord& record) {
    if (verbose)
      say("  " + counted(static_cast<double>(record.columns_read), "sample", "samples") + "  error about " +
          short_number(record.relative_error) + "  objective about " + short_number(record.objective));
    return Flow::keep_going;
  };
  options.progress = [&](const StreamProgress& at) {
    columns_ = at.columns;
    if (verbose) return;
    line.show([&](double seconds) {
      ProgressLine::Parts parts = {counted(static_cast<double>(at.columns), "sample", "samples"),
                                   "error about " + short_number(at.relative_error)};
      if (seconds > 0)
        parts.push_back(short_number(static_cast<double>(at.columns) / seconds) + " samples/s");
      return parts;
    });
  };
  const GentleInterrupts gently([&] { stop_.request_stop(); });
  try {
    result_ = learn(options);
  } catch (const InvalidData&) {
    throw;
  } catch (const InvalidInput& error) {
    throw UsageError(in_flags(error.what()));
  }
  if (columns_ == 0 && result_.reason != StopReason::numerical_failure) throw InvalidData("holds no samples");
  saving_.emplace();
  seconds_ = line.seconds();
}

template <class Scalar>
void Learning<Scalar>::run(const std::string& name, io::FileColumns<Scalar>& columns,
                           const std::function<FitResult<Scalar>(const StreamOptions<Scalar>&)>& learn) {
  try {
    run(learn);
  } catch (const InvalidData& error) {
    // The library only sees that there are no columns.
    if (columns.fault() && columns.served() == 0) std::rethrow_exception(columns.fault());
    if (columns.cancelled()) throw Cancelled("before anything was learned");
    throw InvalidData(name + ": " + error.what());
  }
  fault_ = columns.fault();
  if (fault_ || columns.cancelled()) result_.reason = StopReason::cancelled;
}

template <class Scalar>
int Learning<Scalar>::finish(const io::Model<Scalar>& model) {
  write(model);
  tell(model);
  if (fault_) return complain_of_fault();
  if (model.fit.reason == StopReason::cancelled) return interrupted;
  return code_of_end(model.fit.reason, flags_.output);
}

template <class Scalar>
void Learning<Scalar>::write(const io::Model<Scalar>& model) {
  write_or_rescue(flags_.output, flags_.force || flags_.same_model,
                  [&](const std::string& path, bool overwrite) {
                    io::write_model(path, model, {.overwrite = overwrite});
                  });
  try {
    if (h_) h_->commit();
    const auto put = [&](bool to_stream) {
      const auto due = [&](const std::string& path) {
        return !path.empty() && (path == standard_stream) == to_stream;
      };
      const bool named = !model.feature_names.empty();
      if (due(flags_.save_w))
        write_dense(
            flags_.save_w, io::dense_view(model.fit.W),
            {model.feature_names, named ? component_names(model.fit.rank) : std::vector<std::string>()},
            flags_.force);
      if (due(flags_.trace)) write_text(flags_.trace, trace_text(model), flags_.force);
    };
    put(false);
    saving_.reset();
    put(true);
  } catch (...) {
    say("the model itself is saved: " + printable(flags_.output));
    throw;
  }
}

template <class Scalar>
void Learning<Scalar>::tell(const io::Model<Scalar>& model) const {
  const FitResult<Scalar>& fit = model.fit;
  const EpochRecord& at = fit.record();
  const StreamState& seen = fit.checkpoint.stream;
  const Quality found = quality(fit);
  std::vector<std::string> notes = report::cautions(model);
  for (const std::string& note : notes) say(bold("note:") + " " + note);
  const double rate = seconds_ > 0 ? static_cast<double>(columns_) / seconds_ : 0;
  if (flags_.json) {
    notes.insert(notes.end(), fit.warnings.begin(), fit.warnings.end());
    Json files = {{"model", flags_.output}};
    for (const auto& [what, path] :
         {std::pair{"w", &flags_.save_w}, std::pair{"h", &flags_.save_h}, std::pair{"trace", &flags_.trace}})
      if (!path->empty()) files[what] = *path;
    Json json = {{"input", model.data.path},
                 {"columns", columns_},
                 {"columns_ever", seen.columns},
                 {"windows_ever", seen.windows},
                 {"precision", precision_name<Scalar>},
                 {"chosen_because", fit.choice}};
    json.update(model_json(model));
    json.update(Json{{"estimated", at.estimated},
                     {"gradient_count", at.gradient_count},
                     {"columns_read", at.columns_read},
                     {"columns_evaluated", at.columns_evaluated},
                     {"solver_seconds", at.solver_seconds},
                     {"evaluate_seconds", at.evaluate_seconds},
                     {"seconds", seconds_},
                     {"columns_per_second", rate},
                     {"warnings", notes},
                     {"files", files}});
    write_text("-", dump(json), false);
  }
  if (!fit.choice.empty())
    say("algorithm " + bold(printable(model.algorithm)) + ": " + printable(fit.choice));
  say(bold(printable(model.algorithm)) + ", " + counted(static_cast<double>(columns_), "sample", "samples") +
      " in " + duration(seconds_) + " (" + short_number(rate) +
      "/s): " + report::stop_text(fit, model.stopping));
  say(found.measure + " about " + bold(short_number(found.value)) + "; objective about " +
      short_number(at.objective) + ": estimates, from each sample when it was seen");
  for (const std::string& warning : fit.warnings) say("note: " + printable(warning));
  say("model " + printable(flags_.output));
  for (const auto& [what, path] : {std::pair{"W     ", &flags_.save_w}, std::pair{"H     ", &flags_.save_h},
                                   std::pair{"trace ", &flags_.trace}})
    if (!path->empty() && *path != standard_stream) say(what + printable(*path));
  say("go on svrmu update " + shell_word(flags_.output) + " NEW");
}

// The model is there, but the stream was not what it should be.
template <class Scalar>
int Learning<Scalar>::complain_of_fault() const {
  const std::string saved = "; what was learned from the " +
                            counted(static_cast<double>(columns_), "column", "columns") +
                            " before is saved: " + printable(flags_.output);
  try {
    std::rethrow_exception(fault_);
  } catch (const io::IoError& error) {
    complain(error.what() + saved);
    return cannot_read_write;
  } catch (const std::exception& error) {
    complain(with_flags(error.what()) + saved);
    return bad_input;
  }
}

template class Learning<float>;
template class Learning<double>;

}  // namespace svrmu::cli
