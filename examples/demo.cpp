// Finding the parts of 256 stick figures with several algorithms from one start, with a picture of the
// outcome: demo [--quick] [picture.svg]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <svrmu/svrmu.hpp>
#include <vector>

namespace {

using svrmu::Index;
namespace swimmer = svrmu::swimmer;
using Pixels = svrmu::Matrix<float>;

constexpr Index rank = swimmer::rank;  // a torso and 16 limbs
constexpr double found_at = 0.9;

struct Entry {
  std::string name;
  std::string colour;
  svrmu::FitResult<float> result;
  std::vector<Index> component;  // for each limb position the most similar component
  std::vector<double> cosine;    // and how similar it is

  Index found() const {
    return std::count_if(cosine.begin(), cosine.end(), [](double c) { return c > found_at; });
  }
};

// Compares every limb position with the components. The torso is in every picture, so that it may hide in any
// component: its pixels are left out of the comparison.
void match_limbs(const svrmu::RowMatrix<float>& parts, Entry& entry) {
  const auto outside = 1 - parts.col(0).array();
  for (Index l = 1; l < parts.cols(); ++l) {
    const Eigen::VectorXf limb = (parts.col(l).array() * outside).matrix().normalized();
    double best = -1;
    Index at = 0;
    for (Index k = 0; k < rank; ++k) {
      const Eigen::VectorXf part = (entry.result.W.col(k).array() * outside).matrix();
      const double cosine = part.norm() > 0 ? double(limb.dot(part)) / double(part.norm()) : 0;
      if (cosine > best) {
        best = cosine;
        at = k;
      }
    }
    entry.component.push_back(at);
    entry.cosine.push_back(best);
  }
}

// Components in the order of the limbs that they look like, each once.
std::vector<Index> display_order(const Entry& entry) {
  std::vector<Index> order;
  const auto add = [&](Index k) {
    if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
  };
  for (const Index k : entry.component) add(k);
  for (Index k = 0; k < rank; ++k) add(k);
  return order;
}

// ---- the picture ----

constexpr double tile = 46;
constexpr double pitch = 50;
constexpr double left = 128;

template <class Column>
void draw_tile(std::ostream& svg, double x, double y, const Column& pixels, const char* frame = nullptr) {
  constexpr int levels = 24;
  const float most = std::max(pixels.maxCoeff(), 1e-30F);
  svg << "<g transform='translate(" << x << ',' << y << ") scale(" << tile / double(swimmer::side) << ")'>"
      << "<rect width='32' height='32' rx='1.5' fill='#18222d'/>";
  std::vector<std::string> paths(levels + 1);
  for (Index row = 0; row < swimmer::side; ++row)
    for (Index begin = 0, end = 0; begin < swimmer::side; begin = end) {
      const auto level = [&](Index column) {
        return int(std::lround(levels * pixels(column * swimmer::side + row) / most));
      };
      const int now = level(begin);
      for (end = begin; end < swimmer::side && level(end) == now; ++end) {
      }
      if (now == 0) continue;
      std::ostringstream run;
      run << 'M' << begin << ' ' << row << 'h' << end - begin << "v1h-" << end - begin << 'z';
      paths[std::size_t(now)] += run.str();
    }
  for (int i = 1; i <= levels; ++i)
    if (!paths[std::size_t(i)].empty()) {
      const double t = double(i) / levels;  // from the tile's dark blue to a warm white
      svg << "<path shape-rendering='crispEdges' fill='rgb(" << int(24 + t * 231) << ',' << int(34 + t * 212)
          << ',' << int(45 + t * 185) << ")' d='" << paths[std::size_t(i)] << "'/>";
    }
  if (frame != nullptr)
    svg << "<rect x='-0.6' y='-0.6' width='33.2' height='33.2' rx='2' fill='none' stroke='" << frame
        << "' stroke-width='1.4'/>";
  svg << "</g>\n";
}

void text(std::ostream& svg, double x, double y, const std::string& words, const std::string& style = "") {
  svg << "<text x='" << x << "' y='" << y << "' " << style << '>' << words << "</text>\n";
}

void draw_curves(std::ostream& svg, const std::vector<Entry>& entries, double top, double counts_per_pass) {
  constexpr double width = 690;
  constexpr double height = 250;
  double least = 1;
  double most = 0;
  double passes = 0;
  for (const Entry& entry : entries)
    for (const auto& report : entry.result.history) {
      least = std::min(least, std::max(report.relative_error, 1e-6));
      most = std::max(most, report.relative_error);
      passes = std::max(passes, report.gradient_count / counts_per_pass);
    }
  const double low = std::floor(std::log10(least));
  const double high = std::max(std::ceil(std::log10(most)), low + 1);
  const auto x_of = [&](double pass) { return left + width * pass / passes; };
  const auto y_of = [&](double error) {
    return top + height * (high - std::log10(std::max(error, std::pow(10, low)))) / (high - low);
  };

  for (double power = low; power <= high; ++power) {
    const double y = y_of(std::pow(10, power));
    svg << "<path d='M" << left << ' ' << y << 'h' << width << "' stroke='#e3e6ea'/>\n";
    text(svg, left - 8, y + 4, "10<tspan dy='-5' font-size='9'>" + std::to_string(int(power)) + "</tspan>",
         "text-anchor='end' class='small'");
  }
  for (int i = 0; i <= 5; ++i) {
    const double pass = passes * i / 5;
    svg << "<path d='M" << x_of(pass) << ' ' << top + height << "v5' stroke='#9aa3ad'/>\n";
    text(svg, x_of(pass), top + height + 18, std::to_string(int(std::lround(pass))),
         "text-anchor='middle' class='small'");
  }
  svg << "<path d='M" << left << ' ' << top << 'v' << height << 'h' << width
      << "' fill='none' stroke='#9aa3ad'/>\n";
  text(svg, left + width / 2, top + height + 36, "gradient count, in passes over V",
       "text-anchor='middle' class='small'");
  for (const Entry& entry : entries) {
    svg << "<polyline fill='none' stroke-width='2.2' stroke-linejoin='round' stroke='" << entry.colour
        << "' points='";
    for (const auto& report : entry.result.history)
      svg << x_of(report.gradient_count / counts_per_pass) << ',' << y_of(report.relative_error) << ' ';
    svg << "'/>\n";
  }
  double y = top + 14;
  for (const Entry& entry : entries) {
    const double x = left + width + 24;
    svg << "<path d='M" << x << ' ' << y - 4 << "h24' stroke-width='3' stroke-linecap='round' stroke='"
        << entry.colour << "'/>\n";
    text(svg, x + 34, y, entry.name, "class='label'");
    std::ostringstream error;
    error << std::setprecision(2) << entry.result.report().relative_error;
    text(svg, x + 34, y + 16, "ends at " + error.str(), "class='small'");
    y += 44;
  }
}

std::string draw(const Pixels& V, const std::vector<Entry>& entries, Index features, Index samples) {
  const double rows_top = 186;
  const double row_height = 64;
  const double curves_top = rows_top + row_height * double(entries.size()) + 62;
  const double height = curves_top + 312;
  std::ostringstream svg;
  svg << std::setprecision(5);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1010 " << height << "' width='1010' height='"
      << height << "' font-family='Helvetica, Arial, sans-serif' fill='#1f2933'>\n"
      << "<style>.small{font-size:12px;fill:#52606d}.label{font-size:14px;font-weight:bold}"
      << ".head{font-size:15px;font-weight:bold}</style>\n"
      << "<rect width='1010' height='" << height << "' rx='10' fill='#ffffff'/>\n";
  text(svg, 30, 40, "Parts of a swimmer", "font-size='24' font-weight='bold'");
  text(svg, 30, 62,
       "256 pictures of 32 x 32 pixels, factorized as V ~ WH with K = 17, every algorithm from the same "
       "random "
       "start",
       "class='small'");

  text(svg, 30, 110, "pictures", "class='label'");
  text(svg, 30, 126, "17 of 256", "class='small'");
  for (Index i = 0; i < rank; ++i)
    draw_tile(svg, left + pitch * double(i), 84, V.col((i * 91 + 27) % V.cols()));

  text(svg, left, rows_top - 16,
       "Columns of W, in the order of the limbs. Framed: a limb found (cosine above 0.9, torso pixels left "
       "out).",
       "class='small'");
  double y = rows_top;
  for (const Entry& entry : entries) {
    text(svg, 30, y + 21, entry.name, "class='label'");
    text(svg, 30, y + 37, std::to_string(entry.found()) + " of 16 limbs", "class='small'");
    const std::vector<Index> order = display_order(entry);
    for (std::size_t i = 0; i < order.size(); ++i) {
      bool found = false;
      for (std::size_t l = 0; l < entry.cosine.size(); ++l)
        found = found || (entry.component[l] == order[i] && entry.cosine[l] > found_at);
      draw_tile(svg, left + pitch * double(i), y, entry.result.W.col(order[i]),
                found ? entry.colour.c_str() : nullptr);
    }
    y += row_height;
  }

  text(svg, left, curves_top - 22, "Relative error ||V - WH|| / ||V||", "class='head'");
  draw_curves(svg, entries, curves_top, double(features) * double(samples));
  svg << "</svg>\n";
  return svg.str();
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::filesystem::path picture = std::filesystem::absolute(argv[0]).parent_path() / "demo_swimmer.svg";
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--quick")
      quick = true;
    else
      picture = std::filesystem::absolute(argv[i]);
  }

  const auto made = svrmu::generate<float>(svrmu::DataKind::swimmer);
  const Pixels& V = made.V;
  const auto source = svrmu::view(V);
  const double entries_of_V = double(V.rows()) * double(V.cols());

  svrmu::FitOptions<float> options;
  options.rank = rank;
  options.seed = 1;
  options.normalize = true;
  options.stopping = {.max_epochs = 100'000, .relative_change = 0};
  options.stopping.gradient_budget = (quick ? 40 : 200) * entries_of_V;  // the same work for all

  std::printf("%lld swimmers of %lld x %lld pixels, rank %lld\n\n", static_cast<long long>(V.cols()),
              static_cast<long long>(swimmer::side), static_cast<long long>(swimmer::side),
              static_cast<long long>(rank));
  std::printf("%-12s %7s %15s %16s %9s %14s\n", "solver", "epochs", "relative error", "gradient count",
              "seconds", "limbs found");
  std::vector<Entry> entries;
  bool good = true;
  for (const auto& [name, colour] : {std::pair{"mu", "#8a94a0"}, std::pair{"svrmu-acc", "#d1495b"},
                                     std::pair{"inc-mu-acc", "#00798c"}, std::pair{"hals-acc", "#edae49"}}) {
    svrmu::SolverOptions solver = svrmu::solver_named(name);
    for (const svrmu::OptionInfo& option : svrmu::options_of(solver))
      if (option.name == "batch_size") svrmu::set_option(solver, "batch_size", "64");
    Entry entry{name, colour, svrmu::fit(*source, solver, options), {}, {}};
    match_limbs(made.W, entry);
    const svrmu::EpochReport& last = entry.result.history.back();
    std::printf("%-12s %7lld %15.2e %13.0f FN %9.3f %8lld of 16\n", name, static_cast<long long>(last.epoch),
                entry.result.report().relative_error, last.gradient_count / entries_of_V, last.solver_seconds,
                static_cast<long long>(entry.found()));
    good = good && entry.result.report().objective < 0.5 * entry.result.history.front().objective;
    entries.push_back(std::move(entry));
  }
  std::printf(
      "\nA limb counts as found when some column of W has a cosine above %.1f with it, the torso's pixels\n"
      "left out. FN: entries of V.\n",
      found_at);

  std::ofstream file(picture);
  file << draw(V, entries, V.rows(), V.cols());
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", picture.c_str());
    return 1;
  }
  std::printf("picture: %s\n", picture.c_str());
  const Index most = std::max_element(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
                       return a.found() < b.found();
                     })->found();
  return good && most == 16 ? 0 : 1;
}
