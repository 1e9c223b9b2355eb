#include "io/h5_input.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "io/compress.hpp"
#include "io/inflate.hpp"
#include "svrmu/io/files.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

std::string reason() {
  const std::string text = h5_reason();
  return text.empty() ? "HDF5 cannot read it" : printable(text);
}

// A file that another process has open for writing is left alone; where the file system has no locks, none
// are needed.
H5Handle open_by_name(const std::string& path) {
  const auto open = [&](hid_t access) {
    return H5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  };
  H5Handle file = open(H5P_DEFAULT);
  const std::string why = file ? "" : reason();
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

// What came through a pipe. Images of the same name would be taken for the same file: each gets a number,
// that of its property list, which HDF5 gives out once.
H5Handle open_image(const Input& input) {
  constexpr std::size_t increment = 1 << 16;
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), increment, false);
  // The call wants to be able to change them, but copies them.
  H5Pset_file_image(access.id(), const_cast<std::byte*>(input.bytes.data()), input.bytes.size());
  const std::string unique = input.name + "#" + std::to_string(access.id());
  return {H5Fopen(unique.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
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
  fail(parent.name(), in_quotes(path) + " cannot be opened: " + reason());
}

std::string joined(const std::string& parent, const std::string& path) {
  return parent == "/" ? "/" + path : parent + "/" + path;
}

std::string without_slashes(const std::string& path) {
  const std::size_t begin = path.find_first_not_of('/');
  if (begin == path.npos) return {};
  return path.substr(begin, path.find_last_not_of('/') - begin + 1);
}

struct Names {
  std::vector<std::string> all;
  std::size_t most = 0;
};

// Called by C: nothing may be thrown through it.
herr_t take_name(hid_t, const char* name, const H5L_info_t* info, void* to) noexcept {
  auto& names = *static_cast<Names*>(to);
  if (names.all.size() == names.most) return 1;
  if (info->type == H5L_TYPE_HARD) names.all.emplace_back(name);
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

// What C++ calls the bytes of a text of fixed length.
std::string fixed_text(const char* from, std::size_t size, H5T_str_t padding) {
  std::string text(from, std::find(from, from + size, '\0'));
  if (padding == H5T_STR_SPACEPAD) text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Half, single or double of IEEE 754, and not something else of that size.
bool is_ieee(hid_t type, std::size_t size) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) < 0) return false;
  const std::size_t wanted = size == 2 ? 10 : size == 4 ? 23 : 52;
  const std::size_t bits = 8 * size;
  return fraction == 0 && fraction_bits == wanted && exponent == wanted &&
         exponent_bits == bits - 1 - wanted && sign == bits - 1 &&
         H5Tget_ebias(type) == (std::size_t{1} << (exponent_bits - 1)) - 1 &&
         H5Tget_norm(type) == H5T_NORM_IMPLIED && H5Tget_precision(type) == bits && H5Tget_offset(type) == 0;
}

// h5py's bool: an enumeration of FALSE = 0 and TRUE = 1 in a byte.
bool is_boolean(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  std::uint8_t no = 2, yes = 2;
  return H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 &&
         yes == 1;
}

std::optional<ElementType> integer_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0) return std::nullopt;
  const bool big_endian = H5Tget_order(type) == H5T_ORDER_BE;
  const bool has_sign = H5Tget_sign(type) == H5T_SGN_2;
  switch (size) {
    case 1:
      return ElementType{has_sign ? Element::int8 : Element::uint8, big_endian};
    case 2:
      return ElementType{has_sign ? Element::int16 : Element::uint16, big_endian};
    case 4:
      return ElementType{has_sign ? Element::int32 : Element::uint32, big_endian};
    case 8:
      return ElementType{has_sign ? Element::int64 : Element::uint64, big_endian};
    default:
      return std::nullopt;
  }
}

std::optional<ElementType> float_type(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  const H5T_order_t order = H5Tget_order(type);
  if ((size != 2 && size != 4 && size != 8) || !is_ieee(type, size)) return std::nullopt;
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return std::nullopt;
  const Element element = size == 2 ? Element::float16 : size == 4 ? Element::float32 : Element::float64;
  return ElementType{element, order == H5T_ORDER_BE};
}

std::optional<ElementType> element_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_type(type);
    case H5T_FLOAT:
      return float_type(type);
    case H5T_ENUM:
      return is_boolean(type) ? std::optional(ElementType{Element::boolean, false}) : std::nullopt;
    case H5T_BITFIELD:  // PyTables' bool
      return H5Tget_size(type) == 1 ? std::optional(ElementType{Element::boolean, false}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

bool is_complex(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  for (const unsigned member : {0u, 1u})
    if (H5Tget_member_class(type, member) != H5T_FLOAT) return false;
  const auto has_field = [&](const char* name) { return H5Tget_member_index(type, name) >= 0; };
  return (has_field("r") && has_field("i")) || (has_field("real") && has_field("imag"));
}

std::string contents_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
      return "numbers of an unusual type";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_STRING:
      return "texts";
    case H5T_COMPOUND:
      return is_complex(type) ? "complex numbers" : "records";
    case H5T_REFERENCE:
      return "references";
    case H5T_VLEN:
    case H5T_ARRAY:
      return "lists";
    default:
      return "bytes of an unknown meaning";
  }
}

// How a dataset lies in the file.
struct Storage {
  std::vector<hsize_t> chunk;  // empty: not in chunks
  bool filtered = false;
  std::uint64_t stored = 0;  // bytes in the file
  std::uint64_t backed = 0;  // bytes that they decode to; the rest is fill value
};

void check_filters(const H5Array& array) {
  const int count = H5Pget_nfilters(array.properties.id());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, settings = 0;
    std::size_t none = 0;
    char name[64] = "";
    std::size_t* const no_values = &none;
    const H5Z_filter_t filter = H5Pget_filter2(array.properties.id(), static_cast<unsigned>(i), &flags,
                                               no_values, nullptr, sizeof(name), name, &settings);
    if (filter < 0) fail(array.name, "its filters cannot be read: " + reason());
    if (H5Zfilter_avail(filter) > 0) continue;
    fail(array.name,
         "is compressed by the HDF5 filter " + std::to_string(filter) +
             (*name ? " " + in_quotes(fixed_text(name, sizeof(name), H5T_STR_NULLTERM)) : "") +
             ", which is not installed here; set HDF5_PLUGIN_PATH to its plugin, or store it with "
             "gzip: h5repack -f GZIP=4");
  }
}

std::uint64_t saturated_product(const std::vector<hsize_t>& factors, std::uint64_t start) {
  std::uint64_t product = start;
  for (const hsize_t factor : factors)
    if (!multiply(product, factor, product)) return ~std::uint64_t{0};
  return product;
}

Storage storage_of(const H5Array& array) {
  Storage storage;
  storage.stored = std::min<std::uint64_t>(H5Dget_storage_size(array.dataset.id()), array.file_size);
  storage.backed = storage.stored;
  if (H5Pget_layout(array.properties.id()) != H5D_CHUNKED) return storage;
  check_filters(array);
  storage.filtered = H5Pget_nfilters(array.properties.id()) > 0;
  const auto rank = static_cast<int>(array.sizes.size());
  storage.chunk.resize(array.sizes.size());
  if (H5Pget_chunk(array.properties.id(), rank, storage.chunk.data()) != rank ||
      std::count(storage.chunk.begin(), storage.chunk.end(), 0u) > 0)
    fail(array.name, "its chunks make no sense");
  const H5Handle space(H5Dget_space(array.dataset.id()), H5Sclose);
  hsize_t chunks = 0;
  if (H5Dget_num_chunks(array.dataset.id(), space.id(), &chunks) < 0)
    fail(array.name, "its chunks cannot be found: " + reason());
  std::vector<hsize_t> all = storage.chunk;
  all.push_back(chunks);
  storage.backed = saturated_product(all, H5Tget_size(array.type.id()));
  return storage;
}

// A part of a dataset of one dimension (a column) or two.
struct Block {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t column = 0;
  std::uint64_t columns = 0;
  const std::byte* data = nullptr;
  std::uint64_t decoded = 0;  // bytes, this block included, that justify asking for memory
};

constexpr std::uint64_t block_bytes = std::uint64_t{8} << 20;
// HDF5 keeps a record of some hundred bytes for every chunk that a call touches.
constexpr std::uint64_t block_chunks = 1024;

struct Extent {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

// Blocks of whole chunks, so that none is unpacked twice.
Extent block_extent(const H5Array& array, const Storage& storage, std::uint64_t item) {
  const std::uint64_t items = std::max<std::uint64_t>(1, block_bytes / item);
  const std::uint64_t all_columns = array.sizes.size() == 2 ? array.sizes[1] : 1;
  Extent grain;
  const bool whole_chunks =
      !storage.chunk.empty() && (storage.filtered || saturated_product(storage.chunk, 1) <= items);
  if (whole_chunks) {
    grain.rows = std::min<std::uint64_t>(storage.chunk[0], array.sizes[0]);
    if (array.sizes.size() == 2) grain.columns = std::min<std::uint64_t>(storage.chunk[1], all_columns);
  }
  const std::uint64_t grains = whole_chunks ? block_chunks : items;
  Extent block;
  const std::uint64_t across = std::max<std::uint64_t>(
      1, std::min(grains, items / std::max<std::uint64_t>(1, grain.rows) / grain.columns));
  block.columns = std::min(all_columns, grain.columns * across);
  const std::uint64_t used = (block.columns + grain.columns - 1) / grain.columns;
  const bool whole_rows = block.columns == all_columns;
  const std::uint64_t down =
      whole_rows ? std::max<std::uint64_t>(1, std::min(grains / used, items / grain.rows / block.columns))
                 : 1;
  block.rows = std::min(array.sizes[0], grain.rows * down);
  return block;
}

// What a block becomes in memory, and how large an item is when it is kept.
struct Memory {
  hid_t type;
  std::size_t size;
  std::size_t kept;
  hid_t transfer = H5P_DEFAULT;
};

void read_block(const H5Array& array, const Memory& memory, const Block& block, std::byte* to) {
  const auto rank = static_cast<int>(array.sizes.size());
  const hsize_t start[2] = {block.row, block.column};
  const hsize_t count[2] = {block.rows, block.columns};
  const H5Handle from(H5Dget_space(array.dataset.id()), H5Sclose);
  const H5Handle into(H5Screate_simple(rank, count, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dread(array.dataset.id(), memory.type, into.id(), from.id(), memory.transfer, to) < 0)
    fail(array.name, "cannot be read from row " + std::to_string(block.row) + " on: " + reason());
}

template <class Use>
void for_each_block(const H5Array& array, const Memory& memory, const Use& use) {
  const Storage storage = storage_of(array);
  const std::uint64_t columns = array.sizes.size() == 2 ? array.sizes[1] : 1;
  if (array.sizes[0] == 0 || columns == 0) return;
  std::uint64_t total = 0;
  if (!multiply(array.sizes[0], columns, total)) fail(array.name, "is too large: " + array.describe());
  // Refuses at once what can never be justified: fill value takes no room in a file.
  check_affordable(array.name, std::max(storage.stored, storage.backed), total, memory.kept, "the content");
  const std::size_t item = H5Tget_size(array.type.id());
  const Extent extent = block_extent(array, storage, std::max(item, memory.size));
  // Some filters ask for the whole chunk before they have seen a byte of it.
  if (storage.filtered)
    check_affordable(array.name, storage.stored, saturated_product(storage.chunk, 1), item, "a chunk");
  check_affordable(array.name, storage.stored, extent.rows * extent.columns, std::max(item, memory.size),
                   "a part of it");
  std::vector<std::byte> buffer(extent.rows * extent.columns * memory.size);
  std::uint64_t decoded = 0;
  for (Block block; block.row < array.sizes[0]; block.row += extent.rows) {
    block.rows = std::min(extent.rows, array.sizes[0] - block.row);
    for (block.column = 0; block.column < columns; block.column += extent.columns) {
      block.columns = std::min(extent.columns, columns - block.column);
      read_block(array, memory, block, buffer.data());
      decoded += block.rows * block.columns * item;
      block.decoded = std::max(storage.stored, std::min(decoded, storage.backed));
      block.data = buffer.data();
      use(block);
    }
  }
}

template <class Item>
Item* make_room(const H5Array& array, const Block& block, std::vector<Item>& items) {
  const std::uint64_t needed = block.row + block.rows;
  if (items.capacity() < needed)
    items.reserve(room_for(array.name, block.decoded, needed, array.sizes[0], sizeof(Item)));
  items.resize(needed);
  return items.data() + block.row;
}

void check_one_dimension(const H5Array& array) {
  if (array.sizes.size() != 1)
    fail(array.name, "must have one dimension, but has " + std::to_string(array.sizes.size()));
}

// Takes the texts of variable length that HDF5 hands out, up to a limit.
class TextStore {
 public:
  explicit TextStore(std::uint64_t limit) : limit_(limit), list_(H5Pcreate(H5P_DATASET_XFER), H5Pclose) {
    H5Pset_vlen_mem_manager(list_.id(), take, this, give_back, this);
  }
  TextStore(const TextStore&) = delete;
  TextStore& operator=(const TextStore&) = delete;

  hid_t transfer() const { return list_.id(); }
  bool is_full() const { return full_; }
  void clear() { blocks_.clear(); }  // what was taken still counts

 private:
  // Called by C: nothing may be thrown through it.
  static void* take(std::size_t size, void* self) noexcept {
    auto& store = *static_cast<TextStore*>(self);
    store.used_ += size;
    store.full_ = store.used_ > store.limit_;
    if (store.full_) return nullptr;
    try {
      store.blocks_.push_back(std::make_unique<char[]>(size));
      return store.blocks_.back().get();
    } catch (const std::bad_alloc&) {
      store.full_ = true;
      return nullptr;
    }
  }
  static void give_back(void*, void*) noexcept {}

  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  bool full_ = false;
  std::vector<std::unique_ptr<char[]>> blocks_;
  H5Handle list_;
};

std::vector<std::string> integers_as_texts(const H5Array& array) {
  std::vector<std::string> texts;
  for_each_block(array, {array.type.id(), size_of(array.element->element), sizeof(std::string)},
                 [&](const Block& block) {
                   std::vector<Index> numbers(block.rows);
                   if (!convert_indices(*array.element, block.data, block.rows, numbers.data()))
                     fail(array.name, "must hold texts, not " + array.contents);
                   std::string* to = make_room(array, block, texts);
                   for (const Index number : numbers) *to++ = std::to_string(number);
                 });
  return texts;
}

// The type of the texts: of the dataset, or of a field of its records.
H5Handle text_type(const H5Array& array, const std::string& field) {
  H5Handle type;
  if (field.empty()) {
    type = H5Handle(H5Tcopy(array.type.id()), H5Tclose);
  } else {
    const int member = H5Tget_class(array.type.id()) == H5T_COMPOUND
                           ? H5Tget_member_index(array.type.id(), field.c_str())
                           : -1;
    if (member < 0) fail(array.name, "must be a table with a field " + in_quotes(field));
    type = H5Handle(H5Tget_member_type(array.type.id(), static_cast<unsigned>(member)), H5Tclose);
  }
  if (H5Tget_class(type.id()) != H5T_STRING) fail(array.name, "must hold texts, not " + array.contents);
  return type;
}

template <class Scalar>
MatrixFile dense_as(const H5Array& array, bool reversed, const ReadOptions& options) {
  const std::uint64_t rows = array.sizes[0];
  const std::uint64_t columns = array.sizes[1];
  const std::size_t item = size_of(array.element->element);
  const auto values = std::make_shared<Buffer>();
  for_each_block(array, {array.type.id(), item, sizeof(Scalar)}, [&](const Block& block) {
    const std::uint64_t needed = (block.row + block.rows) * columns;
    if (values->size() / sizeof(Scalar) < needed)
      values->resize(sizeof(Scalar) *
                     room_for(array.name, block.decoded, needed, rows * columns, sizeof(Scalar)));
    Scalar* const to = reinterpret_cast<Scalar*>(values->data());
    for (std::uint64_t i = 0; i < block.rows; ++i)
      convert(*array.element, block.data + i * block.columns * item, block.columns,
              to + (block.row + i) * columns + block.column);
  });
  std::shared_ptr<Scalar[]> owned(values, reinterpret_cast<Scalar*>(values->data()));
  const auto slow = static_cast<Index>(rows), fast = static_cast<Index>(columns);
  const Input input{array.name, {}, nullptr, false, {}};
  return reversed
             ? owned_dense<Scalar>(input, std::move(owned), fast, slow, Layout::columns_contiguous, options)
             : owned_dense<Scalar>(input, std::move(owned), slow, fast, Layout::rows_contiguous, options);
}

std::uint64_t length(const std::optional<H5Array>& array) {
  if (!array) return 0;
  check_one_dimension(*array);
  return array->sizes[0];
}

template <class Scalar>
MatrixFile compressed_as(const H5Compressed& arrays, Index rows, Index columns, Layout layout,
                         const ReadOptions& options) {
  const Index majors = layout == Layout::rows_contiguous ? rows : columns;
  const Index minors = layout == Layout::rows_contiguous ? columns : rows;
  OwnedSparse<Scalar> owned;
  owned.offsets = read_indices(arrays.offsets);
  if (arrays.values) owned.values = read_numbers<Scalar>(*arrays.values);
  if (arrays.indices) owned.indices = read_indices(*arrays.indices);
  if (const std::string wrong = defect(owned, majors, minors); !wrong.empty()) fail(arrays.name, wrong);
  const Input input{arrays.name, {}, nullptr, false, {}};
  return sparse_matrix(input, std::move(owned), rows, columns, layout, options);
}

}  // namespace

std::string H5Object::name() const { return path == "/" ? file : file + ":" + printable(path); }

bool H5Object::is_group() const {
  const H5I_type_t type = H5Iget_type(handle.id());
  return type == H5I_GROUP || type == H5I_FILE;
}

bool H5Object::is_dataset() const { return H5Iget_type(handle.id()) == H5I_DATASET; }

H5Object open_h5(const Input& input) {
  H5Handle file = input.mapped ? open_by_name(input.name) : open_image(input);
  if (!file) fail(input, "is not a whole HDF5 file: " + reason());
  return h5_root(input.name, std::move(file));
}

H5Object h5_root(const std::string& name, H5Handle file) {
  hsize_t size = 0;
  if (H5Fget_filesize(file.id(), &size) < 0) fail(name, "is not a whole HDF5 file: " + reason());
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
  return H5Object{parent.file, joined(parent.path, inside), parent.file_size, std::move(handle)};
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
  Names names{{}, most};
  hsize_t at = 0;
  if (H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, &at, take_name, &names) < 0)
    fail(group.name(), "its content cannot be listed: " + reason());
  return std::move(names.all);
}

haddr_t address_of(const H5Object& object) {
  H5O_info_t info;
  if (H5Oget_info2(object.id(), &info, H5O_INFO_BASIC) < 0)
    fail(object.name(), "cannot be opened: " + reason());
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

std::string H5Array::describe() const {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text + (text.empty() ? "" : " ") + contents;
}

H5Array open_array(const H5Object& object) {
  H5Array array{object.name(), object.file_size, {}, {}, {}, {}, {}, {}};
  if (!object.is_dataset()) fail(array.name, "must be a dataset");
  // One more owner of the same identifier.
  H5Iinc_ref(object.id());
  array.dataset = H5Handle(object.id(), H5Oclose);
  array.properties = H5Handle(H5Dget_create_plist(object.id()), H5Pclose);
  array.type = H5Handle(H5Dget_type(object.id()), H5Tclose);
  if (!array.properties || !array.type) fail(array.name, "cannot be opened: " + reason());
  if (H5Pget_layout(array.properties.id()) == H5D_VIRTUAL ||
      H5Pget_external_count(array.properties.id()) > 0) {
    array.contents = "numbers in another file";
    return array;
  }
  const H5Handle space(H5Dget_space(object.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0) fail(array.name, "its sizes cannot be read: " + reason());
  hsize_t sizes[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space.id(), sizes, nullptr) < 0)
    fail(array.name, "its sizes cannot be read: " + reason());
  for (const hsize_t size : std::span(sizes, static_cast<std::size_t>(rank))) {
    if (size > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
      fail(array.name, "a size of " + std::to_string(size));
    array.sizes.push_back(size);
  }
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) {
    array.contents = "nothing";
    return array;
  }
  array.element = element_of(array.type.id());
  array.contents = array.element ? name_of(*array.element) : contents_of(array.type.id());
  return array;
}

template <class Scalar>
std::vector<Scalar> read_numbers(const H5Array& array) {
  check_one_dimension(array);
  if (!array.element) fail(array.name, "must hold numbers, not " + array.contents);
  std::vector<Scalar> numbers;
  for_each_block(array, {array.type.id(), size_of(array.element->element), sizeof(Scalar)},
                 [&](const Block& block) {
                   convert(*array.element, block.data, block.rows, make_room(array, block, numbers));
                 });
  return numbers;
}

std::vector<Index> read_indices(const H5Array& array) {
  check_one_dimension(array);
  if (!array.element) fail(array.name, "must hold integers, not " + array.contents);
  std::vector<Index> numbers;
  for_each_block(
      array, {array.type.id(), size_of(array.element->element), sizeof(Index)}, [&](const Block& block) {
        if (!convert_indices(*array.element, block.data, block.rows, make_room(array, block, numbers)))
          fail(array.name, "must hold integers, not " + array.contents);
      });
  return numbers;
}

std::vector<std::string> read_texts(const H5Array& array, const std::string& field) {
  check_one_dimension(array);
  if (field.empty() && array.element) return integers_as_texts(array);
  const H5Handle text = text_type(array, field);
  const bool variable = H5Tis_variable_str(text.id()) > 0;
  const std::size_t size = H5Tget_size(text.id());
  const H5T_str_t padding = H5Tget_strpad(text.id());
  H5Handle record;
  if (!field.empty()) {
    record = H5Handle(H5Tcreate(H5T_COMPOUND, size), H5Tclose);
    if (H5Tinsert(record.id(), field.c_str(), 0, text.id()) < 0) fail(array.name, reason());
  }
  TextStore store(affordable(array.file_size));
  std::vector<std::string> texts;
  const auto use = [&](const Block& block) {
    std::string* to = make_room(array, block, texts);
    for (std::uint64_t i = 0; i < block.rows; ++i) {
      const auto* from = reinterpret_cast<const char*>(block.data + i * size);
      if (variable) {
        const char* pointer = nullptr;
        std::memcpy(&pointer, from, sizeof(pointer));
        if (pointer) to[i] = pointer;
      } else {
        to[i] = fixed_text(from, size, padding);
      }
    }
    store.clear();
  };
  try {
    for_each_block(
        array, {field.empty() ? text.id() : record.id(), size, sizeof(std::string), store.transfer()}, use);
  } catch (const InvalidInput&) {
    if (store.is_full()) fail(array.name, "its texts are far longer than its file; the file is damaged");
    throw;
  }
  return texts;
}

MatrixFile read_dense(const H5Array& array, bool reversed, const ReadOptions& options) {
  if (!array.element) fail(array.name, "holds " + array.contents + ", not numbers that can be used");
  if (array.sizes.size() != 2)
    fail(array.name, "has " + std::to_string(array.sizes.size()) + " dimensions; a matrix has 2");
  MatrixFile file = as_double(*array.element, options.precision) ? dense_as<double>(array, reversed, options)
                                                                 : dense_as<float>(array, reversed, options);
  file.elements = name_of(*array.element);
  return file;
}

MatrixFile read_compressed(const H5Compressed& arrays, Index rows, Index columns, Layout layout,
                           const ReadOptions& options) {
  if (rows < 0 || columns < 0)
    fail(arrays.name, "a shape of " + std::to_string(rows) + " x " + std::to_string(columns));
  // Both directions: it may have to be transposed.
  for (const Index size : {rows, columns})
    check_affordable(arrays.name, arrays.offsets.file_size, static_cast<std::uint64_t>(size) + 1,
                     sizeof(Index), "the matrix");
  const auto majors = static_cast<std::uint64_t>(layout == Layout::rows_contiguous ? rows : columns);
  check_one_dimension(arrays.offsets);
  if (arrays.offsets.sizes[0] != majors + 1)
    fail(arrays.offsets.name, "must have " + std::to_string(majors + 1) + " offsets for " +
                                  std::to_string(majors) +
                                  (layout == Layout::rows_contiguous ? " rows" : " columns") + ", but has " +
                                  std::to_string(arrays.offsets.sizes[0]));
  if (length(arrays.values) != length(arrays.indices))
    fail(arrays.name, "there are " + std::to_string(length(arrays.indices)) + " indices, but " +
                          std::to_string(length(arrays.values)) + " values");
  const ElementType type = arrays.values && arrays.values->element ? *arrays.values->element : ElementType{};
  MatrixFile file = as_double(type, options.precision)
                        ? compressed_as<double>(arrays, rows, columns, layout, options)
                        : compressed_as<float>(arrays, rows, columns, layout, options);
  file.elements = name_of(type);
  return file;
}

std::string short_list(const std::vector<std::string>& names, const std::string& more) {
  constexpr std::size_t most = 20;
  if (names.empty()) return "nothing";
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  if (names.size() > most) shown.push_back(std::to_string(names.size() - most) + " more");
  return printable(list_text(shown)) + more;
}

template std::vector<float> read_numbers<float>(const H5Array&);
template std::vector<double> read_numbers<double>(const H5Array&);

}  // namespace svrmu::io
