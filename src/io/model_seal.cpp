#include "io/model_seal.hpp"

#include <algorithm>
#include <cstring>

#include "io/digest.hpp"
#include "io/hdf5.hpp"

namespace svrmu::io {
namespace {

// Not text, and changed by whatever changes line ends, as the mark of PNG.
constexpr std::string_view mark = "\x89svrmu model\r\n\x1a\n";
constexpr std::uint64_t seal_version = 1;

// Places in the seal; what is behind them is zero.
constexpr std::size_t at_version = 16;
constexpr std::size_t at_length = 24;
constexpr std::size_t at_digest = 32;
constexpr std::size_t at_end = 40;
static_assert(mark.size() == at_version);

std::uint64_t number_at(std::string_view file, std::size_t place) {
  std::uint64_t number = 0;
  std::memcpy(&number, file.data() + place, sizeof number);
  return number;
}

// Over all bytes but its own.
std::uint64_t digest_of(std::string_view file) {
  Digest digest;
  digest.add(file.data(), at_digest);
  digest.add(file.data() + at_end, file.size() - at_end);
  return digest.number();
}

const std::string what_to_do = "copy it again from where it is whole, or fit it again";

[[noreturn]] void damaged(const Input& input, const std::string& what) {
  fail(input, "is damaged: " + what + "; " + what_to_do);
}

}  // namespace

bool begins_like_model(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < std::min(mark.size(), text.size()); ++i) equal += text[i] == mark[i];
  return equal >= mark.size() / 2;
}

void seal_model(std::span<char> file) {
  const std::uint64_t length = file.size();
  std::fill_n(file.begin(), seal_size, '\0');
  std::copy(mark.begin(), mark.end(), file.begin());
  std::memcpy(file.data() + at_version, &seal_version, sizeof seal_version);
  std::memcpy(file.data() + at_length, &length, sizeof length);
  const std::uint64_t digest = digest_of({file.data(), file.size()});
  std::memcpy(file.data() + at_digest, &digest, sizeof digest);
}

bool check_seal(const Input& input) {
  const std::string_view file = input.text();
  if (begins_like_model(input.bytes)) {
    if (file.size() < seal_size + h5_signature.size())
      damaged(input, "it has only its first " + std::to_string(file.size()) + " bytes");
    if (!file.starts_with(mark)) damaged(input, "its first bytes are not those of a model");
    if (const std::uint64_t version = number_at(file, at_version); version != seal_version)
      fail(input, "is sealed by rules of version " + std::to_string(version) + ", and this svrmu knows " +
                      std::to_string(seal_version) +
                      ": a newer svrmu wrote it and can read it, or it is damaged");
    if (const std::uint64_t length = number_at(file, at_length); length != file.size())
      damaged(input, "it has " + std::to_string(file.size()) + " bytes, and " + std::to_string(length) +
                         " were written");
    if (number_at(file, at_digest) != digest_of(file))
      damaged(input, "its bytes are not those that were written, as its checksum tells");
    if (!file.substr(seal_size).starts_with(h5_signature))
      fail(input, "is not a model of svrmu: there is no HDF5 file behind its first " +
                      std::to_string(seal_size) + " bytes");
    return true;
  }
  if (file.starts_with(h5_signature)) return false;
  // HDF5 would look for its part there.
  for (std::size_t place = seal_size; place < file.size(); place *= 2)
    if (file.substr(place).starts_with(h5_signature))
      fail(input, "is not a model of svrmu, or damaged: HDF5 begins at byte " + std::to_string(place) +
                      ", but the mark and the checksum of a model are not before it; " + what_to_do);
  fail(input, "is not a model of svrmu, or damaged: it begins neither like one nor like HDF5");
}

}  // namespace svrmu::io
