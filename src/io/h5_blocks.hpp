// Datasets of one or two dimensions, a block at a time.
#pragma once

#include <functional>

#include "io/h5_array.hpp"

namespace svrmu::io {

// A part of a dataset of one dimension (a column) or two.
struct H5Block {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t column = 0;
  std::uint64_t columns = 0;
  const std::byte* data = nullptr;
  std::uint64_t decoded = 0;  // bytes, this block included, that justify asking for memory
};

// What a block becomes in memory, and how large an item is when it is kept.
struct H5Memory {
  hid_t type;
  std::size_t size;
  std::size_t kept;
  hid_t transfer = H5P_DEFAULT;
};

// Reads all blocks in order. Refuses a dataset that its file can never justify.
void for_each_block(const H5Array& array, const H5Memory& memory,
                    const std::function<void(const H5Block&)>& use);

// Where the items of a block go, in a list that grows as what has been decoded justifies it.
template <class Item>
Item* make_room(const H5Array& array, const H5Block& block, std::vector<Item>& items) {
  const std::uint64_t needed = block.row + block.rows;
  if (items.capacity() < needed)
    items.reserve(room_for(array.name, block.decoded, needed, array.sizes[0], sizeof(Item)));
  items.resize(needed);
  return items.data() + block.row;
}

}  // namespace svrmu::io
