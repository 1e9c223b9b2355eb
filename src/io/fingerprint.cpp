#include "io/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "linalg/parallel.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {
namespace {

constexpr Index tile_entries = Index{1} << 16;
constexpr Index tile_samples = 512;  // whose sums stay in the nearest cache

// One fingerprint per tile of samples, added at the end.
template <class Body>
Fingerprint over_tiles(Index samples, Index size, const Body& body) {
  std::vector<Fingerprint> parts(static_cast<std::size_t>((samples + size - 1) / size));
  const ThreadScope threads(0);
  parallel_tiles(samples, size, [&](Index begin, Index end) {
    body(begin, end, parts[static_cast<std::size_t>(begin / size)]);
  });
  Fingerprint all;
  for (const Fingerprint& part : parts) all.add(part);
  return all;
}

template <class Scalar>
Fingerprint dense_by_samples(const Scalar* values, Index features, Index samples) {
  const Index size = std::max<Index>(1, tile_entries / std::max<Index>(1, features));
  return over_tiles(samples, size, [=](Index begin, Index end, Fingerprint& part) {
    for (Index n = begin; n < end; ++n) {
      std::uint64_t sum = 0;
      for (Index f = 0; f < features; ++f) sum += Fingerprint::entry(f, values[n * features + f]);
      part.add(n, sum);
    }
  });
}

template <class Scalar>
Fingerprint dense_by_features(const Scalar* values, Index features, Index samples) {
  return over_tiles(samples, tile_samples, [=](Index begin, Index end, Fingerprint& part) {
    std::array<std::uint64_t, tile_samples> sums{};
    for (Index f = 0; f < features; ++f)
      for (Index n = begin; n < end; ++n)
        sums[static_cast<std::size_t>(n - begin)] += Fingerprint::entry(f, values[f * samples + n]);
    for (Index n = begin; n < end; ++n) part.add(n, sums[static_cast<std::size_t>(n - begin)]);
  });
}

template <class Scalar>
Fingerprint sparse_by_samples(const StoredSparse<Scalar>& m, Index samples) {
  return over_tiles(samples, tile_samples, [&](Index begin, Index end, Fingerprint& part) {
    for (Index n = begin; n < end; ++n) {
      std::uint64_t sum = 0;
      for (Index p = m.offsets[n]; p < m.offsets[n + 1]; ++p)
        sum += Fingerprint::entry(m.indices[p], m.values[p]);
      part.add(n, sum);
    }
  });
}

template <class Scalar>
Fingerprint sparse_by_features(const StoredSparse<Scalar>& m, Index features, Index samples) {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(samples));
  for (Index f = 0; f < features; ++f)
    for (Index p = m.offsets[f]; p < m.offsets[f + 1]; ++p)
      sums[static_cast<std::size_t>(m.indices[p])] += Fingerprint::entry(f, m.values[p]);
  Fingerprint all;
  for (Index n = 0; n < samples; ++n) all.add(n, sums[static_cast<std::size_t>(n)]);
  return all;
}

}  // namespace

std::uint64_t fingerprint(const MatrixFile& file) {
  const Index features = file.features();
  const Index samples = file.sample_count();
  const bool in_rows = file.samples == SamplesIn::rows;
  return std::visit(
      [&](const auto& m) {
        const bool by_samples = (m.layout == Layout::rows_contiguous) == in_rows;
        Fingerprint all;
        if constexpr (requires { m.offsets; })
          all = by_samples ? sparse_by_samples(m, samples) : sparse_by_features(m, features, samples);
        else
          all = by_samples ? dense_by_samples(m.data, features, samples)
                           : dense_by_features(m.data, features, samples);
        return all.number(features, samples);
      },
      file.matrix);
}

bool describes(const DataDescription& data, const MatrixFile& file) {
  if (data.fingerprint) return *data.fingerprint == fingerprint(file);
  return data.checksum == checksum(file);
}

}  // namespace svrmu::io
