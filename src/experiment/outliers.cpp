#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/random.hpp"
#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

void check(bool good, const char* name, double value, const char* rule) {
  if (!good) throw InvalidInput(std::string(name) + " is " + number_text(value) + "; it must " + rule);
}

void check(const SpoilOptions& o) {
  const double most_dense = o.draw == OutlierDraw::exact ? 1 : 10;
  check(o.density >= 0 && o.density <= most_dense, "density", o.density,
        o.draw == OutlierDraw::exact ? "lie between 0 and 1" : "lie between 0 and 10");
  check(o.least >= 0 && std::isfinite(o.least), "the least outlier", o.least, "be finite and not negative");
  check(o.most >= o.least && std::isfinite(o.most), "the largest outlier", o.most,
        "be finite and not below the least");
  check(o.ceiling > 0 && std::isfinite(o.ceiling), "ceiling", o.ceiling, "be finite and above 0");
  if (o.draw == OutlierDraw::author && (o.least != std::floor(o.least) || o.most != std::floor(o.most)))
    throw InvalidInput("the author's outliers are whole numbers; " + number_text(o.least) + " to " +
                       number_text(o.most) + " are not");
}

// `count` different places, by the first steps of a shuffle.
std::vector<Index> different_places(Index features, Index count, Index sample, const Random& random) {
  std::vector<Index> places(static_cast<std::size_t>(features));
  std::iota(places.begin(), places.end(), Index{0});
  for (Index d = 0; d < count; ++d)
    std::swap(places[static_cast<std::size_t>(d)],
              places[static_cast<std::size_t>(d + random.integer(features - d, 2 * d, sample))]);
  places.resize(static_cast<std::size_t>(count));
  return places;
}

}  // namespace

Matrix<double> spoil(const Matrix<double>& clean, const SpoilOptions& o) {
  check(o);
  const Random random(o.seed, Purpose::made_outliers);
  const Index features = clean.rows();
  const auto draws = static_cast<Index>(o.density * static_cast<double>(features) + 1e-9);
  Matrix<double> V = clean;
  for (Index n = 0; n < clean.cols(); ++n) {
    if (o.draw == OutlierDraw::author) {
      for (Index d = 0; d < draws; ++d) {
        const Index place = random.integer(features, 2 * d, n);
        const auto size =
            static_cast<double>(random.integer(std::llround(o.most - o.least) + 1, 2 * d + 1, n));
        V(place, n) = clean(place, n) + o.least + size;
      }
    } else {
      const std::vector<Index> places = different_places(features, draws, n, random);
      for (Index d = 0; d < draws; ++d) {
        const Index place = places[static_cast<std::size_t>(d)];
        V(place, n) = clean(place, n) + o.least + (o.most - o.least) * random.uniform(2 * d + 1, n);
      }
    }
  }
  return V.cwiseMin(o.ceiling);
}

Matrix<double> scaled_to(const Matrix<double>& V, double most) {
  const double largest = V.size() > 0 ? V.maxCoeff() : 0;
  if (!(largest > 0) || !std::isfinite(largest))
    throw InvalidData("the largest value is " + number_text(largest) + "; data to scale need a positive one");
  return V * (most / largest);
}

}  // namespace svrmu::experiment
