#include "io/h5_blocks.hpp"

#include <algorithm>

#include "io/h5_types.hpp"

namespace svrmu::io {
namespace {

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
    if (filter < 0) fail(array.name, "its filters cannot be read: " + h5_failure());
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
    fail(array.name, "its chunks cannot be found: " + h5_failure());
  std::vector<hsize_t> all = storage.chunk;
  all.push_back(chunks);
  storage.backed = saturated_product(all, H5Tget_size(array.type.id()));
  return storage;
}

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

void read_block(const H5Array& array, const H5Memory& memory, const H5Block& block, std::byte* to) {
  const auto rank = static_cast<int>(array.sizes.size());
  const hsize_t start[2] = {block.row, block.column};
  const hsize_t count[2] = {block.rows, block.columns};
  const H5Handle from(H5Dget_space(array.dataset.id()), H5Sclose);
  const H5Handle into(H5Screate_simple(rank, count, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dread(array.dataset.id(), memory.type, into.id(), from.id(), memory.transfer, to) < 0)
    fail(array.name, "cannot be read from row " + std::to_string(block.row + 1) +
                         " (counted from 1) on: " + h5_failure());
}

}  // namespace

void for_each_block(const H5Array& array, const H5Memory& memory,
                    const std::function<void(const H5Block&)>& use) {
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
  for (H5Block block; block.row < array.sizes[0]; block.row += extent.rows) {
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

}  // namespace svrmu::io
