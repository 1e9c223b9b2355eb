// svrmu convert: the same matrix in another file format.
#include "child_reader.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "input_flags.hpp"
#include "model_input.hpp"

namespace svrmu::cli {
namespace {

struct ConvertFlags {
  InputFlags input;
  std::string output;
  bool transpose = false;
  bool force = false;
};

// A factor of a model has the names that --save-w, --save-h and --save-r give it.
void name_factor(const InputFlags& input, io::MatrixFile& file) {
  const std::string& path = input.path;
  const std::size_t colon = path.rfind(':');
  if (colon == std::string::npos) return;
  const std::string model_path = path.substr(0, colon);
  std::string_view member = std::string_view(path).substr(colon + 1);
  while (member.starts_with('/')) member.remove_prefix(1);
  if ((member != "W" && member != "H" && member != "R") || !is_model(model_path, input.trusted)) return;
  const io::AnyModel any = read_model(model_path);
  std::visit(
      [&](const auto& model) {
        if (member == "H" && model.fit.H.cols() == 0)
          throw InvalidData(printable(path) + ": the model learned from a stream, and has no H; svrmu " +
                            "transform gives that of any samples");
        const auto components = [&](bool named) {
          return named ? component_names(model.fit.rank) : std::vector<std::string>();
        };
        file.row_names = member == "H" ? components(!model.sample_names.empty()) : model.feature_names;
        file.column_names = member == "W" ? components(!model.feature_names.empty()) : model.sample_names;
      },
      any);
}

template <class Scalar>
void write(const io::MatrixFile& file, const ConvertFlags& flags) {
  io::MatrixNames names{file.row_names, file.column_names};
  if (flags.transpose) std::swap(names.rows, names.columns);
  if (file.is_sparse()) {
    SparseMatrix<Scalar> values = sparse_values<Scalar>(file);
    if (flags.transpose) values = SparseMatrix<Scalar>(values.transpose());
    write_sparse(flags.output, values, names, flags.force);
  } else {
    // Dense values are only viewed: transposing swaps what a row is.
    const auto& stored = std::get<io::StoredDense<Scalar>>(file.matrix);
    io::DenseView<Scalar> values{stored.data, file.rows, file.columns, stored.layout};
    if (flags.transpose)
      values = {
          stored.data, file.columns, file.rows,
          stored.layout == Layout::rows_contiguous ? Layout::columns_contiguous : Layout::rows_contiguous};
    write_dense(flags.output, values, names, flags.force);
  }
  const bool named = !file.row_names.empty() || !file.column_names.empty();
  if (named && (flags.output.ends_with(".npy") || flags.output.ends_with(".mtx")))
    warn("names are left out: " + printable(flags.output) + " has no room for them; .csv and .tsv have");
}

}  // namespace

Run add_convert(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("convert", "The same matrix in another format");
  const auto flags = std::make_shared<ConvertFlags>();
  app.description(
      "Write a matrix that can be read as .npy, .csv, .tsv or .mtx. Rows stay rows.\n\n"
      "Examples:\n"
      "  svrmu convert cells.h5ad cells.mtx\n"
      "  svrmu convert faces.mat:fea faces.npy --transpose\n"
      "  svrmu convert counts.mtx.gz - | head\n"
      "  svrmu convert counts.svrmu.h5:W W.csv\n");
  app.add_option("INPUT", flags->input.path, "matrix; - reads a stream")->required();
  app.add_option("OUTPUT", flags->output, "file to write; - writes comma-separated text")->required();
  app.add_flag("--transpose", flags->transpose, "rows become columns");
  add_reading_flags(app, flags->input, "Input");
  add_precision_flag(app, flags->input.precision);
  add_trusted_flag(app, flags->input.trusted);
  add_threads_flag(app, flags->input.threads);
  add_force_flag(app, flags->force);
  return [flags] {
    check_matrix_target(flags->output, flags->force);
    check_distinct({flags->input.path}, {flags->output});
    io::MatrixFile file = read_input(flags->input);
    name_factor(flags->input, file);
    file.is_double() ? write<double>(file, *flags) : write<float>(file, *flags);
    if (flags->output != standard_stream)
      say(std::to_string(flags->transpose ? file.columns : file.rows) + " rows x " +
          std::to_string(flags->transpose ? file.rows : file.columns) + " columns  " +
          printable(flags->output));
    return int{done};
  };
}

}  // namespace svrmu::cli
