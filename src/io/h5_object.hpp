// Groups, datasets and attributes of an HDF5 file from outside: nothing in it is trusted, and no other file
// is opened for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "io/input.hpp"

namespace svrmu::io {

// A group or a dataset of a file; the file itself is its group "/".
struct H5Object {
  std::string file;             // for messages
  std::string path;             // within the file, "/a/b"
  std::uint64_t file_size = 0;  // no dataset holds more bytes than its file
  H5Handle handle;
  std::shared_ptr<const Input> pages{};  // of the file, if it is mapped

  std::string name() const;
  hid_t id() const { return handle.id(); }
  bool is_group() const;
  bool is_dataset() const;
};

// Opens a mapped file by its name, models and other bytes where they are; these must outlive it.
H5Object open_h5(const Input& input);
H5Object h5_root(const std::string& name, H5Handle file);

// Null if there is no such thing. Links within the file are followed, links to other files are refused.
std::optional<H5Object> find(const H5Object& parent, const std::string& path);
H5Object need(const H5Object& parent, const std::string& path);
bool has(const H5Object& group, const std::string& name);
// Names in a group that are no links, at most `most`, sorted.
std::vector<std::string> children(const H5Object& group, std::size_t most);
// The same object has the same address wherever it is linked.
haddr_t address_of(const H5Object& object);

bool has_attribute(const H5Object& object, const char* name);
// Null if it is not there or is something else.
std::optional<std::string> text_attribute(const H5Object& object, const char* name);
std::vector<Index> integer_attribute(const H5Object& object, const char* name);

// Why HDF5's last call failed, for a message about an untrusted file.
std::string h5_failure();

// Names for a message, shortened when there are many.
std::string short_list(const std::vector<std::string>& names, const std::string& more = {});

}  // namespace svrmu::io
