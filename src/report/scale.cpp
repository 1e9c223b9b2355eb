#include "report/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svrmu/report/page.hpp"

namespace svrmu::report {

double Scale::operator()(double value) const {
  const double share = log ? (std::log10(value) - std::log10(least)) / (std::log10(most) - std::log10(least))
                           : value / (most - least) - least / (most - least);
  return from + std::clamp(share, -0.5, 1.5) * (to - from);
}

Scale scale_of(const std::vector<double>& values, double from, double to, bool log, bool with_zero) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double v : values) {
    if (!std::isfinite(v) || (log && v <= 0)) continue;
    least = std::min(least, v);
    most = std::max(most, v);
  }
  if (!(least <= most)) return {log ? 0.1 : 0.0, 1, from, to, log};
  if (log) {
    // Half or twice a number near the ends of the range of double is no longer a finite number above 0.
    least = std::clamp(least, 1e-300, 1e300);
    most = std::clamp(most, 1e-300, 1e300);
    if (least == most) return {least / 2, most * 2, from, to, true};
    return {least, most, from, to, true};
  }
  if (with_zero) least = std::min(least, 0.0), most = std::max(most, 0.0);
  least = std::max(least, -8e307), most = std::min(most, 8e307);
  if (least == most) {
    const double room = most == 0 ? 1 : std::abs(most) / 2;
    return {with_zero && most >= 0 ? 0.0 : least - room, most + room, from, to, false};
  }
  return {least, most, from, to, false};
}

std::vector<Tick> ticks(const Scale& scale, int wanted) {
  std::vector<Tick> out;
  if (scale.log) {
    const int first = static_cast<int>(std::ceil(std::log10(scale.least) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(scale.most) + 1e-9));
    if (last - first + 1 >= 2) {
      const int step = std::max(1, (last - first + wanted) / std::max(wanted, 1));
      for (int power = first; power <= last; power += step) {
        const double value = std::pow(10.0, power);
        out.push_back({value, number(value)});
      }
      return out;
    }
  }
  // Less than two powers of ten: round numbers, as on an even axis.
  const double raw = (scale.most - scale.least) / std::max(wanted, 1);
  if (!(raw > 0) || !std::isfinite(raw)) return {{scale.least, number(scale.least)}};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = power;
  for (const double multiple : {1.0, 2.0, 5.0, 10.0}) {
    step = multiple * power;
    if (step >= raw) break;
  }
  if (!(step > 0) || !std::isfinite(step)) return {{scale.least, number(scale.least)}};
  const double first = std::ceil(scale.least / step - 1e-9);
  for (double i = first; i * step <= scale.most + step * 1e-9 && out.size() < 50; ++i) {
    const double value = std::abs(i) < 0.5 ? 0.0 : i * step;
    out.push_back({value, number(value)});
  }
  return out;
}

std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t shown = std::min(count, std::max<std::size_t>(most, 2));
  for (std::size_t i = 0; i < shown; ++i)
    places.push_back(shown == count ? i
                                    : static_cast<std::size_t>(
                                          std::llround(double(i) * double(count - 1) / double(shown - 1))));
  return places;
}

}  // namespace svrmu::report
