// HDF5 files in general: datasets of two dimensions, and the sparse matrices and tables of programs that are
// known here.
#include <set>

#include "io/h5_readers.hpp"
#include "io/parsers.hpp"
#include "io/tenx.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

// Octave keeps a variable as a group of its type and its value, with dimensions reversed.
bool is_octave(const H5Object& group) { return has_attribute(group, "OCTAVE_NEW_FORMAT"); }

struct Found {
  std::string path;
  std::string what;
  bool is_matrix = false;
};

// Goes through a file, groups before what is in them. Links are not followed.
class Search {
 public:
  explicit Search(const H5Object& root) { look_into(root, 0); }

  const std::vector<Found>& found() const { return found_; }
  bool is_complete() const { return complete_; }

 private:
  static constexpr int deepest = 16;
  static constexpr std::size_t most_objects = 10000;

  void look_into(const H5Object& group, int depth) {
    if (!seen_.insert(address_of(group)).second) return;
    complete_ = complete_ && depth < deepest;
    if (!complete_) return;
    for (const std::string& name : children(group, left_ + 1)) {
      if (left_ == 0) complete_ = false;
      if (!complete_) return;
      --left_;
      const std::optional<H5Object> object = find(group, name);
      if (object) look_at(*object, depth);
    }
  }

  void look_at(const H5Object& object, int depth) {
    if (object.is_dataset()) {
      const H5Array array = open_array(object);
      found_.push_back({object.path, array.describe(), array.is_matrix()});
    } else if (object.is_group()) {
      const std::string sparse = sparse_format(object);
      if (!sparse.empty())
        found_.push_back({object.path, sparse, true});
      else if (is_tenx(object))
        found_.push_back({object.path, "10x counts", true});
      else if (is_octave(object))
        found_.push_back({object.path, "Octave " + octave_value(object), octave_is_matrix(object)});
      else
        look_into(object, depth + 1);
    }
  }

  static std::string octave_value(const H5Object& group) {
    const std::optional<H5Object> value = find(group, "value");
    return value && value->is_dataset() ? open_array(*value).describe() : "structure";
  }
  static bool octave_is_matrix(const H5Object& group) {
    const std::optional<H5Object> value = find(group, "value");
    return value && value->is_dataset() && open_array(*value).is_matrix();
  }

  std::vector<Found> found_;
  std::set<haddr_t> seen_;
  std::size_t left_ = most_objects;
  bool complete_ = true;
};

std::string describe_all(const Search& search) {
  std::vector<std::string> texts;
  for (const bool matrices : {true, false})
    for (const Found& found : search.found())
      if (found.is_matrix == matrices) texts.push_back(found.path + " (" + found.what + ")");
  return short_list(texts, search.is_complete() ? "" : ", and more");
}

std::string the_only_matrix(const H5Object& root) {
  const Search search(root);
  const Found* only = nullptr;
  int matrices = 0;
  for (const Found& found : search.found())
    if (found.is_matrix && ++matrices == 1) only = &found;
  if (matrices == 1 && search.is_complete()) return only->path;
  if (!search.is_complete())
    fail(root.name(), "has too much in it to find its matrix; choose one as " + root.file +
                          ":NAME, there is " + describe_all(search));
  if (matrices == 0) fail(root.name(), "holds no matrix of numbers; there is " + describe_all(search));
  fail(root.name(),
       "holds several matrices; choose one as " + root.file + ":NAME, there are " + describe_all(search));
}

}  // namespace

MatrixFile read_h5(const H5Object& root, const std::string& member, const ReadOptions& options) {
  if (text_attribute(root, "encoding-type") == "anndata") return read_h5ad(root, member, options);
  const bool unnamed = member.find_first_not_of('/') == member.npos;
  const std::string path = unnamed ? the_only_matrix(root) : member;
  const std::optional<H5Object> object = find(root, path);
  if (!object) fail(root.name(), "has no " + in_quotes(path) + "; there is " + describe_all(Search(root)));
  MatrixFile file;
  if (object->is_group() && is_tenx(*object)) return read_tenx(*object, options);
  if (object->is_group() && is_octave(*object))
    file = read_dense(open_array(need(*object, "value")), true, options);
  else
    file = read_anndata_matrix(*object, options);
  file.format = "h5";
  return file;
}

MatrixFile parse_h5(const Input& input, const std::string& member, const ReadOptions& options) {
  return with_h5(h5_got_no_memory(input.name), [&] { return read_h5(open_h5(input), member, options); });
}

MatrixFile parse_h5ad(const Input& input, const std::string& member, const ReadOptions& options) {
  return with_h5(h5_got_no_memory(input.name), [&] { return read_h5ad(open_h5(input), member, options); });
}

MatrixFile parse_mat73(const Input& input, const std::string& variable, const ReadOptions& options) {
  return with_h5(h5_got_no_memory(input.name), [&] { return read_mat73(open_h5(input), variable, options); });
}

void check_names(const std::string& name, const std::vector<std::string>& names, Index count,
                 const std::string& of) {
  if (names.size() != static_cast<std::size_t>(count))
    fail(name,
         "has " + std::to_string(names.size()) + " names, but there are " + std::to_string(count) + " " + of);
}

}  // namespace svrmu::io
