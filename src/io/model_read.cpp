#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "io/input.hpp"
#include "io/mapped_file.hpp"
#include "io/model_check.hpp"
#include "io/model_file.hpp"
#include "io/model_texts.hpp"

namespace svrmu::io {
namespace {

constexpr std::size_t most_attributes = 1000;

struct Group {
  H5Handle handle;
  std::string path;  // "" for the root
};

struct Dataset {
  H5Handle handle;
  std::string part;  // for messages: "dataset /W"
  std::vector<hsize_t> size;
};

// Where HDF5 puts texts: freed as a whole, also when reading ends half-way.
struct TextStore {
  std::uint64_t left;
  std::vector<std::unique_ptr<char[]>> texts;

  static void* allocate(std::size_t size, void* store) {
    auto& self = *static_cast<TextStore*>(store);
    if (size > self.left) return nullptr;
    try {
      self.texts.emplace_back(new char[size]);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    self.left -= size;
    return self.texts.back().get();
  }
  static void release(void*, void*) {}
};

// Parts of a file that nobody vouches for. All memory that a size in the file asks for is counted.
class Reader {
 public:
  Reader(const std::string& name, std::uint64_t bytes) : name_(name), left_(affordable(bytes)) {}

  const std::string& name() const { return name_; }

  [[noreturn]] void fail(const std::string& part, const std::string& what) const {
    throw InvalidData(name_ + ", " + part + ": " + what);
  }

  Group root(hid_t file) const {
    Group group{{H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose}, ""};
    if (!group.handle) fail("group /", unreadable());
    return group;
  }

  static bool has(const Group& parent, const std::string& name) {
    return H5Lexists(parent.handle.id(), name.c_str(), H5P_DEFAULT) > 0;
  }

  bool has_group(const Group& parent, const std::string& name) const {
    return has(parent, name) && H5Iget_type(open(parent, name).id()) == H5I_GROUP;
  }

  Group group(const Group& parent, const std::string& name) const {
    Group group{open(parent, name), parent.path + "/" + name};
    if (H5Iget_type(group.handle.id()) != H5I_GROUP) fail("group " + group.path, "it is not a group");
    return group;
  }

  // The texts among the attributes.
  Texts texts(const Group& group) {
    std::vector<std::string> names;
    const auto keep = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
      auto& list = *static_cast<std::vector<std::string>*>(to);
      if (list.size() == most_attributes) return -1;
      try {  // no exception may pass through HDF5
        list.emplace_back(name);
      } catch (const std::bad_alloc&) {
        return -1;
      }
      return 0;
    };
    if (H5Aiterate2(group.handle.id(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, keep, &names) < 0)
      fail("group " + group.path + "/",
           "its attributes cannot be read, or are more than " + std::to_string(most_attributes));
    Texts texts;
    for (const std::string& name : names) read_text(group, name, texts);
    return texts;
  }
  // Of a group that may not be there.
  Texts texts(const Group& parent, const std::string& name) {
    return has(parent, name) ? texts(group(parent, name)) : Texts{};
  }

  template <class Number>
  static bool holds(const Dataset& dataset) {
    const H5Handle type(H5Dget_type(dataset.handle.id()), H5Tclose);
    return type && H5Tequal(type.id(), H5Number<Number>::stored()) > 0;
  }

  Dataset dataset(const Group& parent, const std::string& name, std::size_t dimensions) const {
    Dataset dataset{open(parent, name), "dataset " + parent.path + "/" + name, {}};
    if (H5Iget_type(dataset.handle.id()) != H5I_DATASET) fail(dataset.part, "it is not a dataset");
    // Contiguous numbers need no filter, which could make much of little, and come from no other file.
    const H5Handle creation(H5Dget_create_plist(dataset.handle.id()), H5Pclose);
    const auto layout = creation ? H5Pget_layout(creation.id()) : H5D_LAYOUT_ERROR;
    if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) || H5Pget_external_count(creation.id()) != 0)
      fail(dataset.part, "it is not contiguous, or lies in another file");
    const H5Handle space(H5Dget_space(dataset.handle.id()), H5Sclose);
    std::array<hsize_t, H5S_MAX_RANK> size{};
    const int found = space && H5Sget_simple_extent_type(space.id()) == H5S_SIMPLE
                          ? H5Sget_simple_extent_dims(space.id(), size.data(), nullptr)
                          : -1;
    if (found != static_cast<int>(dimensions))
      fail(dataset.part, "it must have " + std::to_string(dimensions) + " dimensions");
    dataset.size.assign(size.begin(), size.begin() + found);
    return dataset;
  }

  template <class Number>
  std::vector<Number> list(const Group& parent, const std::string& name) {
    const Dataset from = dataset(parent, name, 1);
    check_type<Number>(from);
    take(from, sizeof(Number));
    std::vector<Number> values(from.size[0]);
    read<Number>(from, H5S_ALL, H5S_ALL, values.data());
    return values;
  }

  template <class Scalar>
  void matrix(const Group& parent, const std::string& name, RowMatrix<Scalar>& M) {
    const Dataset from = matrix_dataset<Scalar>(parent, name);
    M.resize(static_cast<Index>(from.size[0]), static_cast<Index>(from.size[1]));
    read<Scalar>(from, H5S_ALL, H5S_ALL, M.data());
  }

  template <class Scalar>
  void matrix(const Group& parent, const std::string& name, Matrix<Scalar>& M) {
    const Dataset from = matrix_dataset<Scalar>(parent, name);
    M.resize(static_cast<Index>(from.size[0]), static_cast<Index>(from.size[1]));
    const H5Handle space(H5Dget_space(from.handle.id()), H5Sclose);
    const Tile tile = tile_of(M.rows());
    RowMatrix<Scalar> part;
    for (Index row = 0; row < M.rows(); row += tile.rows)
      for (Index column = 0; column < M.cols(); column += tile.columns) {
        part.resize(std::min(tile.rows, M.rows() - row), std::min(tile.columns, M.cols() - column));
        const hsize_t begin[] = {static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
        const hsize_t size[] = {static_cast<hsize_t>(part.rows()), static_cast<hsize_t>(part.cols())};
        const H5Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose);
        if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, begin, nullptr, size, nullptr) < 0)
          fail(from.part, unreadable());
        read<Scalar>(from, memory.id(), space.id(), part.data());
        M.block(row, column, part.rows(), part.cols()) = part;
      }
  }

  // Empty if there are none.
  std::vector<std::string> names(const Group& parent, const std::string& name) {
    if (!has(parent, name)) return {};
    const Dataset from = dataset(parent, name, 1);
    const H5Handle stored(H5Dget_type(from.handle.id()), H5Tclose);
    const H5Handle type = text_type(stored);
    if (!type) fail(from.part, "it must hold texts of variable length");
    take(from, sizeof(char*) + sizeof(std::string) + sizeof(std::unique_ptr<char[]>));
    TextStore store{left_ / 2, {}};  // each text is copied once
    const H5Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    std::vector<char*> texts(from.size[0], nullptr);
    if (H5Pset_vlen_mem_manager(transfer.id(), TextStore::allocate, &store, TextStore::release, nullptr) <
            0 ||
        H5Dread(from.handle.id(), type.id(), H5S_ALL, H5S_ALL, transfer.id(), texts.data()) < 0)
      fail(from.part, unreadable());
    const bool escaped = H5Aexists(from.handle.id(), escaped_mark) > 0;
    std::vector<std::string> names;
    names.reserve(texts.size());
    for (const char* text : texts) {
      names.emplace_back(text ? text : "");
      left_ -= std::min<std::uint64_t>(left_, 2 * names.back().size());
      if (escaped) names.back() = unescaped(names.back());
    }
    return names;
  }

  // Counts memory before it is asked for.
  void take(const std::string& part, std::uint64_t count, std::uint64_t size) {
    std::uint64_t bytes = 0;
    if (!multiply(count, size, bytes) || bytes > left_)
      fail(part, "it would need " + std::to_string(count) + " x " + std::to_string(size) +
                     " bytes, far more than the file can mean; it is damaged, or its sizes are wrong");
    left_ -= bytes;
  }

 private:
  // Only what is in this file: no links to elsewhere.
  H5Handle open(const Group& parent, const std::string& name) const {
    const std::string part = "part " + parent.path + "/" + name;
    if (!has(parent, name)) fail(part, "it is missing");
    H5L_info_t info;
    if (H5Lget_info(parent.handle.id(), name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
      fail(part, "it is a link to somewhere else");
    H5Handle object(H5Oopen(parent.handle.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) fail(part, unreadable());
    return object;
  }

  static std::string unreadable() { return "it cannot be read; HDF5 says: " + h5_reason(); }

  // The type in memory of texts of variable length; nothing for all other types.
  static H5Handle text_type(const H5Handle& stored) {
    if (!stored || H5Tget_class(stored.id()) != H5T_STRING || H5Tis_variable_str(stored.id()) <= 0) return {};
    H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    const bool made = type && H5Tset_size(type.id(), H5T_VARIABLE) >= 0 &&
                      H5Tset_cset(type.id(), H5Tget_cset(stored.id())) >= 0;
    return made ? std::move(type) : H5Handle();
  }

  void read_text(const Group& group, const std::string& name, Texts& texts) {
    const std::string part = "attribute " + group.path + "/" + in_quotes(name);
    const H5Handle attribute(H5Aopen(group.handle.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
    if (!attribute) fail(part, unreadable());
    const H5Handle stored(H5Aget_type(attribute.id()), H5Tclose);
    const H5Handle space(H5Aget_space(attribute.id()), H5Sclose);
    const H5Handle type = text_type(stored);
    if (!type || !space || H5Sget_simple_extent_type(space.id()) != H5S_SCALAR) return;
    char* text = nullptr;
    if (H5Aread(attribute.id(), type.id(), &text) < 0) fail(part, unreadable());
    const std::unique_ptr<char, decltype(&H5free_memory)> owned(text, H5free_memory);
    const std::string_view seen(text ? text : "");
    take(part, seen.size(), 1);
    texts.emplace(name, seen);
  }

  template <class Number>
  void check_type(const Dataset& dataset) const {
    if (!holds<Number>(dataset))
      fail(dataset.part, "its numbers must be " + std::string(H5Number<Number>::name));
  }

  void take(const Dataset& dataset, std::uint64_t size) {
    std::uint64_t count = 1;
    for (const hsize_t side : dataset.size)
      if (!multiply(count, side, count)) fail(dataset.part, "its sizes are too large");
    take(dataset.part, count, size);
  }

  template <class Scalar>
  Dataset matrix_dataset(const Group& parent, const std::string& name) {
    Dataset from = dataset(parent, name, 2);
    check_type<Scalar>(from);
    // A matrix without numbers could still claim any number of rows.
    if (from.size[0] == 0 || from.size[1] == 0) from.size = {0, 0};
    take(from, sizeof(Scalar));
    return from;
  }

  template <class Number>
  void read(const Dataset& from, hid_t memory, hid_t space, Number* to) const {
    if (std::find(from.size.begin(), from.size.end(), hsize_t{0}) != from.size.end()) return;
    if (H5Dread(from.handle.id(), H5Number<Number>::native(), memory, space, H5P_DEFAULT, to) < 0)
      fail(from.part, unreadable());
  }

  static std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool pair = text[i] == '\\' && i + 1 < text.size();
      const char c = pair ? text[++i] : text[i];
      out += pair && c == '0' ? '\0' : c;
    }
    return out;
  }

  const std::string& name_;
  std::uint64_t left_;
};

std::vector<EpochRecord> get_history(Reader& in, const Group& root) {
  const Group group = in.group(root, "history");
  std::vector<EpochRecord> history;
  bool first = true;
  visit_history([&]<class Value>(const char* name, Value EpochRecord::*field) {
    using Stored = std::conditional_t<std::is_same_v<Value, bool>, std::uint8_t, Value>;
    const std::vector<Stored> column = in.list<Stored>(group, name);
    const std::string part = "dataset /history/" + std::string(name);
    if (std::exchange(first, false)) {
      in.take(part, column.size(), sizeof(EpochRecord));
      history.resize(column.size());
    }
    if (column.size() != history.size())
      in.fail(part, "it has " + std::to_string(column.size()) + " entries, but epoch has " +
                        std::to_string(history.size()));
    for (std::size_t i = 0; i < column.size(); ++i) history[i].*field = static_cast<Value>(column[i]);
  });
  return history;
}

template <class Scalar>
void get_sparse_outliers(Reader& in, const Group& root, FitResult<Scalar>& fit) {
  const Group group = in.group(root, "R");
  const Index rows = fit.W.rows();
  const Index columns = fit.H.cols();
  if (in.list<Index>(group, "shape") != std::vector<Index>{rows, columns})
    in.fail("dataset /R/shape", "it must be that of V");
  const auto offsets = in.list<Index>(group, "indptr");
  const auto indices = in.list<Index>(group, "indices");
  const auto values = in.list<Scalar>(group, "data");
  const auto held = static_cast<Index>(values.size());
  if (indices.size() != values.size()) in.fail("dataset /R/indices", "it must be as long as /R/data");
  bool fits = offsets.size() == static_cast<std::size_t>(columns) + 1 && offsets.front() == 0 &&
              offsets.back() == held && std::is_sorted(offsets.begin(), offsets.end());
  if (!fits) in.fail("dataset /R/indptr", "it must lead from 0 to the number of entries, column by column");
  for (Index column = 0; column < columns; ++column)
    for (Index p = offsets[static_cast<std::size_t>(column)];
         p < offsets[static_cast<std::size_t>(column) + 1]; ++p) {
      const Index row = indices[static_cast<std::size_t>(p)];
      const bool is_first = p == offsets[static_cast<std::size_t>(column)];
      const Index least = is_first ? 0 : indices[static_cast<std::size_t>(p) - 1] + 1;
      if (row < least || row >= rows)
        in.fail("dataset /R/indices", "entry " + std::to_string(p) + " (counted from 0) is " +
                                          std::to_string(row) + ", but must lie between " +
                                          std::to_string(least) + " and " + std::to_string(rows - 1));
    }
  in.take("group /R", offsets.size() + indices.size() + values.size(), sizeof(Index));
  fit.R_sparse = Eigen::Map<const SparseMatrix<Scalar>>(rows, columns, held, offsets.data(), indices.data(),
                                                        values.data());
}

template <class Scalar>
typename Checkpoint<Scalar>::Iterate get_iterate(Reader& in, const Group& group) {
  typename Checkpoint<Scalar>::Iterate iterate;
  in.matrix(group, "W", iterate.W);
  in.matrix(group, "H", iterate.H);
  if (Reader::has(group, "R")) in.matrix(group, "R", iterate.R);
  if (Reader::has(group, "R_values")) iterate.R_values = in.list<Scalar>(group, "R_values");
  return iterate;
}

template <class Scalar>
void get_checkpoint(Reader& in, const Group& group, FitResult<Scalar>& fit) {
  Checkpoint<Scalar>& checkpoint = fit.checkpoint;
  checkpoint.current = get_iterate<Scalar>(in, in.group(group, "current"));
  if (Reader::has(group, "best")) checkpoint.best = get_iterate<Scalar>(in, in.group(group, "best"));
  // Only what the solver knows: nothing else reaches it.
  const Group matrices = in.group(group, "matrices");
  const std::map<std::string, double> numbers = std::exchange(checkpoint.numbers, {});
  for (const StatePart& part : state_parts(fit)) {
    if (part.kind == StatePart::Kind::matrix)
      in.matrix(matrices, part.name, checkpoint.matrices[part.name]);
    else if (const auto found = numbers.find(part.name); found != numbers.end())
      checkpoint.numbers.insert(*found);
  }
}

// Calls a check, and puts the file's name in front of what it says.
template <class Check>
void checked(const Reader& in, const Check& check) {
  try {
    check();
  } catch (const InvalidData&) {
    throw;
  } catch (const InvalidInput& error) {
    throw InvalidData(in.name() + ", " + error.what());
  }
}

template <class Scalar>
Model<Scalar> read_as(Reader& in, const Group& root, const ModelTexts& texts) {
  Model<Scalar> model;
  FitResult<Scalar>& fit = model.fit;
  parse_texts(in.name(), texts, model);
  in.matrix(root, "W", fit.W);
  in.matrix(root, "H", fit.H);
  checked(in, [&] { check_factors(fit); });
  if (in.has_group(root, "R"))
    get_sparse_outliers(in, root, fit);
  else if (Reader::has(root, "R"))
    in.matrix(root, "R", fit.R);
  fit.history = get_history(in, root);
  fit.warnings = in.names(root, "warnings");
  model.feature_names = in.names(root, "feature_names");
  model.sample_names = in.names(root, "sample_names");
  for (std::size_t i = 0; i < model.preprocessing.steps.size(); ++i) {
    auto& [step, numbers] = model.preprocessing.steps[i];
    if (numbers_learnt(step, fit.W.rows()) > 0)
      numbers = in.list<double>(in.group(root, "preprocessing"), "numbers_" + std::to_string(i));
  }
  if (texts.can_resume) {
    checked(in, [&] { check_resolved(fit.solver, fit.H.cols()); });
    get_checkpoint(in, in.group(root, "resume"), fit);
  }
  checked(in, [&] { check_model(model); });
  return model;
}

}  // namespace

AnyModel read_model(hid_t file, const std::string& name, std::uint64_t bytes) {
  const H5Silence silence;
  Reader in(name, bytes);
  const Group root = in.root(file);
  ModelTexts texts;
  texts.root = in.texts(root);
  check_format(name, texts.root);
  texts.options = in.texts(root, "options");
  texts.data = in.texts(root, "data");
  texts.preprocessing = in.texts(root, "preprocessing");
  texts.can_resume = Reader::has(root, "resume");
  if (texts.can_resume) {
    const Group resume = in.group(root, "resume");
    texts.resume = in.texts(resume);
    texts.numbers = in.texts(resume, "numbers");
  }
  const Dataset W = in.dataset(root, "W", 2);
  if (Reader::holds<float>(W)) return read_as<float>(in, root, texts);
  if (Reader::holds<double>(W)) return read_as<double>(in, root, texts);
  in.fail(W.part, "its numbers must be float32 or float64");
}

AnyModel read_model(const std::string& path) {
  // IoError if it is not there, or not to be read.
  const std::uint64_t bytes = map_file(path).bytes.size();
  const H5Silence silence;
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_sieve_buf_size(access.id(), 1);  // rows of a tile are read from their places
  const H5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (!file) throw InvalidData(path + ": is not a model of svrmu, or damaged; HDF5 says: " + h5_reason());
  return read_model(file.id(), path, bytes);
}

}  // namespace svrmu::io
