#include <algorithm>
#include <cmath>
#include <type_traits>

#include "io/atomic_file.hpp"
#include "io/hdf5.hpp"
#include "io/model_check.hpp"
#include "io/model_file.hpp"
#include "io/model_seal.hpp"
#include "io/model_texts.hpp"

namespace svrmu::io {
namespace {

// An HDF5 file in memory. The image is taken from where HDF5 has it: one copy of the model, not two.
class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path) {
    access_ = h5_memory_access();
    const H5Handle with_seal = made(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(access_ ? H5Pset_userblock(with_seal.id(), seal_size) : -1);
    const std::string name = h5_unique_name("model", access_);
    file_ = made(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, with_seal.id(), access_.id()), H5Fclose);
    creation_ = made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(creation_.id(), false));  // the same model gives the same bytes
    scalar_ = made(H5Screate(H5S_SCALAR), H5Sclose);
  }

  hid_t root() const { return file_.id(); }

  // Valid while this lives and nothing more is written.
  std::string_view image() const {
    const std::span<char> bytes = h5_image(file_, access_);
    if (bytes.empty()) fail();
    seal_model(bytes);
    return {bytes.data(), bytes.size()};
  }

  H5Handle group(hid_t parent, const std::string& name) const {
    return made(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }

  void texts(hid_t object, const Texts& texts) const {
    for (const auto& [name, text] : texts) {
      const bool fits = text.size() <= longest_attribute;
      const H5Handle type = text_type(fits ? text.size() : H5T_VARIABLE);
      const H5Handle attribute =
          made(H5Acreate2(object, name.c_str(), type.id(), scalar_.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
      const char* value = text.c_str();
      check(H5Awrite(attribute.id(), type.id(), fits ? static_cast<const void*>(value) : &value));
    }
  }

  template <class Number>
  void list(hid_t parent, const std::string& name, const Number* values, std::size_t count) const {
    const hsize_t size = count;
    const H5Handle dataset = create(parent, name, H5Number<Number>::stored(), 1, &size);
    if (count > 0)
      check(H5Dwrite(dataset.id(), H5Number<Number>::native(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }

  template <class Scalar>
  void matrix(hid_t parent, const std::string& name, const RowMatrix<Scalar>& M) const {
    const H5Handle dataset = create(parent, name, M);
    if (M.size() > 0)
      check(H5Dwrite(dataset.id(), H5Number<Scalar>::native(), H5S_ALL, H5S_ALL, H5P_DEFAULT, M.data()));
  }

  template <class Scalar>
  void matrix(hid_t parent, const std::string& name, const Matrix<Scalar>& M) const {
    const H5Handle dataset = create(parent, name, M);
    const H5Handle space = made(H5Dget_space(dataset.id()), H5Sclose);
    const Tile tile = tile_of(M.rows());
    RowMatrix<Scalar> part;
    for (Index row = 0; row < M.rows(); row += tile.rows)
      for (Index column = 0; column < M.cols(); column += tile.columns) {
        part = M.block(row, column, std::min(tile.rows, M.rows() - row),
                       std::min(tile.columns, M.cols() - column));
        const hsize_t from[] = {static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
        const hsize_t size[] = {static_cast<hsize_t>(part.rows()), static_cast<hsize_t>(part.cols())};
        check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, from, nullptr, size, nullptr));
        const H5Handle memory = made(H5Screate_simple(2, size, nullptr), H5Sclose);
        check(H5Dwrite(dataset.id(), H5Number<Scalar>::native(), memory.id(), space.id(), H5P_DEFAULT,
                       part.data()));
      }
  }

  void names(hid_t parent, const std::string& name, std::vector<std::string> names) const {
    if (names.empty()) return;
    const bool escaped = std::any_of(names.begin(), names.end(), [](const std::string& text) {
      return text.find('\0') != std::string::npos;
    });
    std::size_t width = 0;
    std::size_t total = 0;
    for (std::string& text : names) {
      if (escaped) text = escape(text);
      width = std::max(width, text.size());
      total += text.size();
    }
    const hsize_t count = names.size();
    const bool fits = count <= (most_padding * total + affordable_padding) / std::max(width, std::size_t{1});
    const H5Handle type = text_type(fits ? width : H5T_VARIABLE);
    const H5Handle dataset = create(parent, name, type.id(), 1, &count);
    const auto write = [&](const void* from) {
      check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, from));
    };
    fits ? write(padded(names, width).data()) : write(pointers(names).data());
    if (escaped) this->texts(dataset.id(), {{escaped_mark, "\\0 is a zero byte, \\\\ is a backslash"}});
  }

 private:
  // HDF5 keeps an attribute of fixed length only up to 64 KB.
  static constexpr std::size_t longest_attribute = std::size_t{1} << 15;
  // One very long name must not make a large file of many short ones.
  static constexpr std::size_t most_padding = 8;
  static constexpr std::size_t affordable_padding = std::size_t{1} << 20;

  // Of fixed length where that can be: texts of variable length lie in a heap of HDF5's, which it may never
  // come back from if it is damaged. Padded by zeros, so that spaces at the end stay.
  H5Handle text_type(std::size_t size) const {
    H5Handle type = made(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type.id(), std::max(size, std::size_t{1})));
    check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD));
    check(H5Tset_cset(type.id(), H5T_CSET_UTF8));
    return type;
  }

  static std::string padded(const std::vector<std::string>& texts, std::size_t size) {
    std::string all(std::max(size * texts.size(), texts.size()), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(all.data() + i * size, size);
    return all;
  }
  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> all;
    all.reserve(texts.size());
    for (const std::string& text : texts) all.push_back(text.c_str());
    return all;
  }

  static std::string escape(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '\0' || c == '\\') out += '\\';
      out += c == '\0' ? '0' : c;
    }
    return out;
  }

  H5Handle create(hid_t parent, const std::string& name, hid_t type, int dimensions,
                  const hsize_t* size) const {
    const H5Handle space = made(H5Screate_simple(dimensions, size, nullptr), H5Sclose);
    return made(H5Dcreate2(parent, name.c_str(), type, space.id(), H5P_DEFAULT, creation_.id(), H5P_DEFAULT),
                H5Dclose);
  }
  template <class M>
  H5Handle create(hid_t parent, const std::string& name, const M& matrix) const {
    const hsize_t size[] = {static_cast<hsize_t>(matrix.rows()), static_cast<hsize_t>(matrix.cols())};
    return create(parent, name, H5Number<typename M::Scalar>::stored(), 2, size);
  }

  H5Handle made(hid_t id, H5Handle::Close close) const {
    if (id < 0) fail();
    return {id, close};
  }
  void check(herr_t code) const {
    if (code < 0) fail();
  }
  [[noreturn]] void fail() const { throw IoError(path_ + ": cannot be written: HDF5 says: " + h5_reason()); }

  const std::string& path_;
  H5Handle access_;
  H5Handle file_;
  H5Handle creation_;
  H5Handle scalar_;
};

void put_history(const Writer& out, const std::vector<EpochRecord>& history) {
  const H5Handle group = out.group(out.root(), "history");
  const bool stream =
      std::any_of(history.begin(), history.end(), [](const EpochRecord& r) { return r.estimated; });
  const bool measured = std::any_of(history.begin(), history.end(),
                                    [](const EpochRecord& r) { return std::isfinite(r.violation); });
  visit_history([&]<class Value>(const char* name, Value EpochRecord::*field) {
    if ((name == estimated && !stream) || (name == violation && !measured)) return;
    using Stored = std::conditional_t<std::is_same_v<Value, bool>, std::uint8_t, Value>;
    std::vector<Stored> column;
    column.reserve(history.size());
    for (const EpochRecord& record : history) column.push_back(record.*field);
    out.list(group.id(), name, column.data(), column.size());
  });
}

template <class Scalar>
void put_outliers(const Writer& out, const FitResult<Scalar>& fit) {
  if (fit.R.size() > 0) out.matrix(out.root(), "R", fit.R);
  const SparseMatrix<Scalar>& R = fit.R_sparse;
  if (R.size() == 0) return;
  const H5Handle group = out.group(out.root(), "R");
  const Index shape[] = {R.rows(), R.cols()};
  const auto held = static_cast<std::size_t>(R.nonZeros());
  out.list(group.id(), "data", R.valuePtr(), held);
  out.list(group.id(), "indices", R.innerIndexPtr(), held);
  out.list(group.id(), "indptr", R.outerIndexPtr(), static_cast<std::size_t>(R.cols()) + 1);
  out.list(group.id(), "shape", shape, 2);
}

template <class Scalar>
void put_iterate(const Writer& out, hid_t parent, const char* name,
                 const typename Checkpoint<Scalar>::Iterate& iterate) {
  const H5Handle group = out.group(parent, name);
  out.matrix(group.id(), "W", iterate.W);
  out.matrix(group.id(), "H", iterate.H);
  if (iterate.R.size() > 0) out.matrix(group.id(), "R", iterate.R);
  if (!iterate.R_values.empty())
    out.list(group.id(), "R_values", iterate.R_values.data(), iterate.R_values.size());
}

template <class Scalar>
void put_checkpoint(const Writer& out, const Checkpoint<Scalar>& checkpoint, const ModelTexts& texts) {
  const H5Handle group = out.group(out.root(), "resume");
  out.texts(group.id(), texts.resume);
  put_iterate<Scalar>(out, group.id(), "current", checkpoint.current);
  if (checkpoint.best) put_iterate<Scalar>(out, group.id(), "best", *checkpoint.best);
  const H5Handle matrices = out.group(group.id(), "matrices");
  for (const auto& [name, M] : checkpoint.matrices) out.matrix(matrices.id(), name, M);
  out.texts(out.group(group.id(), "numbers").id(), texts.numbers);
}

template <class Scalar>
void put_model(const Writer& out, const Model<Scalar>& model) {
  const ModelTexts texts = to_texts(model);
  out.texts(out.root(), texts.root);
  out.matrix(out.root(), "W", model.fit.W);
  out.matrix(out.root(), "H", model.fit.H);
  if (const auto& norms = model.fit.column_norms; !norms.empty())
    out.list(out.root(), "column_norms", norms.data(), norms.size());
  put_outliers(out, model.fit);
  out.names(out.root(), "feature_names", model.feature_names);
  out.names(out.root(), "sample_names", model.sample_names);
  out.names(out.root(), "warnings", model.fit.warnings);
  put_history(out, model.fit.history);
  out.texts(out.group(out.root(), "options").id(), texts.options);
  out.texts(out.group(out.root(), "data").id(), texts.data);
  const H5Handle preprocessing = out.group(out.root(), "preprocessing");
  out.texts(preprocessing.id(), texts.preprocessing);
  for (std::size_t i = 0; i < model.preprocessing.steps.size(); ++i) {
    const std::vector<double>& numbers = model.preprocessing.steps[i].numbers;
    if (!numbers.empty())
      out.list(preprocessing.id(), "numbers_" + std::to_string(i), numbers.data(), numbers.size());
  }
  if (texts.can_resume) put_checkpoint(out, model.fit.checkpoint, texts);
}

}  // namespace

template <class Scalar>
void build_model(const std::string& name, const Model<Scalar>& model,
                 const std::function<void(std::string_view)>& use) {
  with_h5(name + ": there is not enough memory to write it", [&] {
    const Writer writer(name);
    put_model(writer, model);
    use(writer.image());
    return true;
  });
}

template <class Scalar>
void write_model(const std::string& path, const Model<Scalar>& model, const WriteOptions& options,
                 FileSystem& files) {
  try {
    check_model(model);
  } catch (const InvalidInput& error) {
    throw InvalidInput(path + ": the model cannot be written: " + error.what());
  }
  AtomicFile file(path, options.overwrite, files);
  build_model(path, model, [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

template <class Scalar>
void write_model(const std::string& path, const Model<Scalar>& model, const WriteOptions& options) {
  write_model(path, model, options, current_file_system());
}

template <class Scalar>
void write_model(const std::function<void(std::string_view)>& put, const Model<Scalar>& model) {
  try {
    check_model(model);
  } catch (const InvalidInput& error) {
    throw InvalidInput(std::string("the model cannot be written: ") + error.what());
  }
  build_model("the model", model, put);
}

#define SVRMU_INSTANTIATE(S)                                                                           \
  template void build_model<S>(const std::string&, const Model<S>&,                                    \
                               const std::function<void(std::string_view)>&);                          \
  template void write_model<S>(const std::string&, const Model<S>&, const WriteOptions&, FileSystem&); \
  template void write_model<S>(const std::string&, const Model<S>&, const WriteOptions&);              \
  template void write_model<S>(const std::function<void(std::string_view)>&, const Model<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
