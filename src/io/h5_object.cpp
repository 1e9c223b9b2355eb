#include "io/h5_object.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "io/h5_types.hpp"
#include "io/model_seal.hpp"
#include "svrmu/io/files.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

// A file that another process has open for writing is left alone; where the file system has no locks, none
// are needed.
H5Handle open_by_name(const std::string& path) {
  const auto open = [&](hid_t access) {
    return H5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  };
  H5Handle file = open(H5P_DEFAULT);
  const std::string why = file ? "" : h5_failure();
  if (why.find("unable to lock file") == why.npos) return file;
  if (why.find("temporarily unavailable") != why.npos)
    throw IoError(path + ": cannot be read: another program is writing it");
#if H5_VERSION_GE(1, 10, 7)
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), false, true);
  file = open(access.id());
#endif
  return file;
}

// Properties for following links, which tell if one leads to another file.
class LinkAccess {
 public:
  LinkAccess() : list_(H5Pcreate(H5P_LINK_ACCESS), H5Pclose) {
    H5Pset_elink_cb(list_.id(), refuse, &leads_away_);
  }
  LinkAccess(const LinkAccess&) = delete;
  LinkAccess& operator=(const LinkAccess&) = delete;

  hid_t id() const { return list_.id(); }
  bool leads_away() const { return leads_away_; }

 private:
  static herr_t refuse(const char*, const char*, const char*, const char*, unsigned*, hid_t, void* told) {
    *static_cast<bool*>(told) = true;
    return -1;
  }

  bool leads_away_ = false;
  H5Handle list_;
};

[[noreturn]] void fail_to_open(const H5Object& parent, const std::string& path, const LinkAccess& access) {
  if (access.leads_away())
    fail(parent.name(), in_quotes(path) + " is a link to another file; such links are not followed");
  fail(parent.name(), in_quotes(path) + " cannot be opened: " + h5_failure());
}

std::string joined(const std::string& parent, const std::string& path) {
  return parent == "/" ? "/" + path : parent + "/" + path;
}

std::string without_slashes(const std::string& path) {
  const std::size_t begin = path.find_first_not_of('/');
  if (begin == path.npos) return {};
  return path.substr(begin, path.find_last_not_of('/') - begin + 1);
}

struct ChildNames {
  std::vector<std::string> all;
  std::size_t most = 0;
  bool lacks_memory = false;
};

// Called by C: nothing may be thrown through it.
herr_t take_name(hid_t, const char* name, const H5L_info_t* info, void* to) noexcept {
  auto& names = *static_cast<ChildNames*>(to);
  if (names.all.size() == names.most) return 1;
  try {
    if (info->type == H5L_TYPE_HARD) names.all.emplace_back(name);
  } catch (const std::bad_alloc&) {
    names.lacks_memory = true;
    return -1;
  }
  return 0;
}

H5Handle open_attribute(const H5Object& object, const char* name) {
  if (H5Aexists(object.id(), name) <= 0) return {};
  return {H5Aopen(object.id(), name, H5P_DEFAULT), H5Aclose};
}

// 0 if it has no values, or too many for an attribute.
std::size_t values_in(const H5Handle& attribute, hid_t type) {
  constexpr std::uint64_t most = 4096;
  const H5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  std::uint64_t bytes = 0;
  if (count <= 0 || !multiply(static_cast<std::uint64_t>(count), H5Tget_size(type), bytes) || bytes > most)
    return 0;
  return static_cast<std::size_t>(count);
}

}  // namespace

std::string H5Object::name() const { return path == "/" ? file : file + ":" + printable(path); }

bool H5Object::is_group() const {
  const H5I_type_t type = H5Iget_type(handle.id());
  return type == H5I_GROUP || type == H5I_FILE;
}

bool H5Object::is_dataset() const { return H5Iget_type(handle.id()) == H5I_DATASET; }

H5Object open_h5(const Input& input) {
  const bool sealed = begins_like_model(input.bytes) && check_seal(input);
  const bool by_name = input.mapped && !sealed;  // sealed: the bytes that were looked at, and no others
  H5Handle file = by_name ? open_by_name(input.name) : open_h5_image(input.name, input.bytes);
  if (!file) fail(input, "is not a whole HDF5 file: " + h5_failure());
  H5Object root = h5_root(input.name, std::move(file));
  if (by_name) root.pages = std::make_shared<const Input>(input);
  return root;
}

H5Object h5_root(const std::string& name, H5Handle file) {
  hsize_t size = 0;
  if (H5Fget_filesize(file.id(), &size) < 0) fail(name, "is not a whole HDF5 file: " + h5_failure());
  return {name, "/", size, std::move(file)};
}

std::optional<H5Object> find(const H5Object& parent, const std::string& path) {
  const std::string inside = without_slashes(path);
  if (inside.empty()) return std::nullopt;
  const LinkAccess access;
  for (std::size_t end = 0; end != inside.npos;) {
    end = inside.find('/', end + 1);
    if (H5Lexists(parent.id(), inside.substr(0, end).c_str(), access.id()) > 0) continue;
    if (access.leads_away()) fail_to_open(parent, inside, access);
    return std::nullopt;
  }
  H5Handle handle(H5Oopen(parent.id(), inside.c_str(), access.id()), H5Oclose);
  if (!handle) fail_to_open(parent, inside, access);
  return H5Object{parent.file, joined(parent.path, inside), parent.file_size, std::move(handle),
                  parent.pages};
}

H5Object need(const H5Object& parent, const std::string& path) {
  std::optional<H5Object> object = find(parent, path);
  if (!object) fail(parent.name(), "has no " + in_quotes(path));
  return std::move(*object);
}

bool has(const H5Object& group, const std::string& name) {
  return H5Lexists(group.id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> children(const H5Object& group, std::size_t most) {
  ChildNames names{{}, most};
  hsize_t at = 0;
  const bool listed = H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, &at, take_name, &names) >= 0;
  if (names.lacks_memory) throw std::bad_alloc();
  if (!listed) fail(group.name(), "its content cannot be listed: " + h5_failure());
  return std::move(names.all);
}

haddr_t address_of(const H5Object& object) {
  H5O_info_t info;
  if (H5Oget_info2(object.id(), &info, H5O_INFO_BASIC) < 0)
    fail(object.name(), "cannot be opened: " + h5_failure());
  return info.addr;
}

bool has_attribute(const H5Object& object, const char* name) { return H5Aexists(object.id(), name) > 0; }

std::optional<std::string> text_attribute(const H5Object& object, const char* name) {
  const H5Handle attribute = open_attribute(object, name);
  if (!attribute) return std::nullopt;
  const H5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING || values_in(attribute, type.id()) != 1) return std::nullopt;
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.id(), type.id(), &text) < 0 || !text) return std::nullopt;
    const std::unique_ptr<char, herr_t (*)(void*)> owner(text, H5free_memory);
    return std::string(text);
  }
  const std::size_t size = H5Tget_size(type.id());
  std::string text(size, '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) return std::nullopt;
  return fixed_text(text.data(), size, H5Tget_strpad(type.id()));
}

std::vector<Index> integer_attribute(const H5Object& object, const char* name) {
  const H5Handle attribute = open_attribute(object, name);
  if (!attribute) return {};
  const H5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const std::optional<ElementType> element = element_of(type.id());
  const std::size_t count = values_in(attribute, type.id());
  if (!element || count == 0) return {};
  std::vector<std::byte> bytes(count * size_of(element->element));
  if (H5Aread(attribute.id(), type.id(), bytes.data()) < 0) return {};
  std::vector<Index> numbers(count);
  if (!convert_indices(*element, bytes.data(), count, numbers.data())) return {};
  return numbers;
}

std::string h5_failure() {
  const std::string text = h5_reason();
  return text.empty() ? "HDF5 cannot read it" : printable(text);
}

std::string short_list(const std::vector<std::string>& names, const std::string& more) {
  constexpr std::size_t most = 20;
  if (names.empty()) return "nothing";
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  if (names.size() > most) shown.push_back(std::to_string(names.size() - most) + " more");
  return printable(list_text(shown)) + more;
}

}  // namespace svrmu::io
