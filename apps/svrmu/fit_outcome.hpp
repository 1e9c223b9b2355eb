// What svrmu fit says and writes.
#pragma once

#include "fit_flags.hpp"
#include "json.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu::cli {

// --dry-run: what would be done.
template <class Scalar>
void tell_plan(const FitFlags& flags, const io::MatrixFile& file, const MatrixSource<Scalar>& V,
               const SolverOptions& solver, const Choice& choice, const FitOptions<Scalar>& options);

// The factors and the history, to files or to standard output, as asked for.
enum class Outputs { files, stream };
template <class Scalar>
void write_outputs(const FitFlags& flags, const io::Model<Scalar>& model, Outputs which);

// The history, for --trace.
template <class Scalar>
std::string trace_text(const io::Model<Scalar>& model);

// What JSON says of every model: what was asked for, and how good it is.
template <class Scalar>
Json model_json(const io::Model<Scalar>& model);

// `chosen`: why this algorithm, empty where it was named.
template <class Scalar>
void tell_result(const FitFlags& flags, const io::Model<Scalar>& model, const std::string& chosen,
                 double seconds);

// The exit code of learning that ended by itself. A numerical failure is an error, told even with --quiet.
int code_of_end(StopReason reason, const std::string& model_path);

}  // namespace svrmu::cli
