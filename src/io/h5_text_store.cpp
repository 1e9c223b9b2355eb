#include "io/h5_text_store.hpp"

#include <new>

namespace svrmu::io {

H5TextStore::H5TextStore(std::uint64_t limit) : limit_(limit), list_(H5Pcreate(H5P_DATASET_XFER), H5Pclose) {
  const auto keep = [](void*, void*) noexcept {};
  H5Pset_vlen_mem_manager(list_.id(), take, this, keep, this);
}

// Called by C: nothing may be thrown through it.
void* H5TextStore::take(std::size_t size, void* self) noexcept {
  auto& store = *static_cast<H5TextStore*>(self);
  store.used_ += size;
  store.full_ = store.used_ > store.limit_;
  if (store.full_) {
    H5Silence::note_refusal();
    return nullptr;
  }
  try {
    store.blocks_.push_back(std::make_unique<char[]>(size));
    return store.blocks_.back().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace svrmu::io
