// How the algorithms compare, as the Markdown tables of docs/algorithms: svrmu_convergence [section...].
// Sections: budgets (the long one), batches, inner, rules, theorem, robust, losses, penalties, starts,
// stopping.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <svrmu/svrmu.hpp>
#include <vector>

namespace {

using svrmu::FitOptions;
using svrmu::FitResult;
using svrmu::Index;
using svrmu::SolverOptions;
using svrmu::Start;
using Matrix = svrmu::Matrix<double>;

constexpr Index F = 300;
constexpr Index N = 1000;
constexpr Index K = 10;
constexpr double unit = double(F) * double(N);  // one gradient count
const std::vector<std::uint64_t> seeds{0, 1, 2};

// ---- data ----

class Gaussian {
 public:
  explicit Gaussian(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return (double(bits_() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  Matrix half_normal(Index rows, Index cols, double deviation) {
    return Matrix::NullaryExpr(rows, cols, [&] { return deviation * std::abs(normal()); });
  }

 private:
  std::mt19937_64 bits_;
};

const double deviation = std::pow(double(K), -0.25);  // variance 1 / sqrt(K)

// What the author's program draws: V itself, without factors.
Matrix author_data(std::uint64_t seed) { return Gaussian(seed).half_normal(F, N, deviation).cwiseMin(1.0); }

Matrix product_of_factors(std::uint64_t seed) {
  Gaussian random(seed);
  const Matrix W = random.half_normal(F, K, deviation);
  return W * random.half_normal(K, N, deviation);
}
// What the paper's text describes, brought into [0, 1] by division or by clipping.
Matrix scaled_data(std::uint64_t seed) {
  const Matrix V = product_of_factors(seed);
  return V / V.maxCoeff();
}
Matrix clipped_data(std::uint64_t seed) { return product_of_factors(seed).cwiseMin(1.0); }

struct Generator {
  const char* name;
  const char* what;
  Matrix (*make)(std::uint64_t seed);
};
const std::vector<Generator> generators{
    {"author", "entrywise half-normal, clipped at 1: full rank", author_data},
    {"scaled", "half-normal factors, product divided by its maximum: exactly rank K", scaled_data},
    {"clipped", "half-normal factors, product clipped at 1", clipped_data}};

// ---- small tools ----

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

SolverOptions with(const std::string& name,
                   const std::vector<std::pair<std::string, std::string>>& settings) {
  SolverOptions solver = svrmu::solver_named(name);
  for (const auto& [option, value] : settings) svrmu::set_option(solver, option, value);
  return solver;
}

// The published method: batches of 100 columns, nothing undone.
SolverOptions published(const std::string& name,
                        std::vector<std::pair<std::string, std::string>> settings = {}) {
  SolverOptions solver = svrmu::solver_named(name);
  for (const svrmu::OptionInfo& option : svrmu::options_of(solver)) {
    if (option.name == "batch_size") svrmu::set_option(solver, "batch_size", "100");
    if (option.name == "safeguard") svrmu::set_option(solver, "safeguard", "off");
  }
  for (const auto& [option, value] : settings) svrmu::set_option(solver, option, value);
  return solver;
}

FitOptions<double> plain_options(std::uint64_t seed, double budget) {
  FitOptions<double> options;
  options.rank = K;
  options.seed = seed;
  options.start = Start::svd_abs;
  options.threads = 1;
  options.stopping = {.max_epochs = 1'000'000, .relative_change = 0};
  options.stopping.gradient_budget = budget * unit;
  return options;
}

// The first report at or after a budget.
const svrmu::EpochRecord& at_budget(const FitResult<double>& result, double budget) {
  for (const svrmu::EpochRecord& report : result.history)
    if (report.gradient_count >= budget * unit) return report;
  return result.history.back();
}

struct Named {
  std::string label;
  SolverOptions solver;
};

void header(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) std::printf("| %s ", cell.c_str());
  std::printf("|\n");
  for (std::size_t i = 0; i < cells.size(); ++i) std::printf(i == 0 ? "|---" : "|---:");
  std::printf("|\n");
}

// ---- sections ----

void budgets() {
  const std::vector<double> checkpoints{10, 50, 100, 250, 500};
  const std::vector<Named> solvers{
      {"mu", published("mu")},
      {"mu-acc", published("mu-acc")},
      {"hals", published("hals")},
      {"hals-acc", published("hals-acc")},
      {"smu", published("smu")},
      {"smu-acc", published("smu-acc")},
      {"onmf", published("onmf")},
      {"onmf-acc", published("onmf-acc")},
      {"onmf, accumulate", published("onmf", {{"statistics", "accumulate"}})},
      {"onmf, replace", published("onmf", {{"statistics", "replace"}})},
      {"inmf", published("inmf")},
      {"asag-mu", published("asag-mu")},
      {"svrmu, 1 pass", published("svrmu")},
      {"svrmu, 5 passes", published("svrmu", {{"inner_passes", "5"}})},
      {"svrmu-acc, 1 pass", published("svrmu-acc")},
      {"svrmu-acc, 5 passes", published("svrmu-acc", {{"inner_passes", "5"}})},
      {"sag-mu", published("sag-mu")},
      {"sag-mu-acc", published("sag-mu-acc")},
      {"inc-mu", published("inc-mu")},
      {"inc-mu-acc", published("inc-mu-acc")},
  };
  for (const Generator& generator : generators) {
    std::printf("### %s: %s\n\n", generator.name, generator.what);
    std::map<std::string, std::map<double, std::vector<double>>> gaps;
    std::map<std::string, std::vector<double>> seconds;
    double half_square = 0;
    double start = 0;
    for (const std::uint64_t seed : seeds) {
      const Matrix V = generator.make(seed);
      const auto source = svrmu::view(V);
      std::vector<FitResult<double>> results;
      for (const Named& named : solvers)
        results.push_back(svrmu::fit(*source, named.solver, plain_options(seed, checkpoints.back())));
      double best =
          svrmu::fit(*source, svrmu::solver_named("hals-acc"), plain_options(seed, 3000)).record().objective;
      for (const auto& result : results)
        for (const auto& report : result.history) best = std::min(best, report.objective);
      for (std::size_t i = 0; i < solvers.size(); ++i) {
        for (const double budget : checkpoints)
          gaps[solvers[i].label][budget].push_back(at_budget(results[i], budget).objective - best);
        seconds[solvers[i].label].push_back(results[i].history.back().solver_seconds);
      }
      half_square = V.squaredNorm() / 2;
      start = results[0].history.front().objective - best;
    }
    header({"algorithm", "10", "50", "100", "250", "500", "seconds"});
    for (const Named& named : solvers) {
      std::printf("| %s ", named.label.c_str());
      for (const double budget : checkpoints) std::printf("| %.3g ", median(gaps[named.label][budget]));
      std::printf("| %.2f |\n", median(seconds[named.label]));
    }
    std::printf("\nFor scale: 1/2||V||^2 = %.4g, gap of the start %.3g (last seed).\n\n", half_square, start);
  }
}

// svrmu and batch size: the printed algorithm takes one column at a time.
void batches() {
  std::printf(
      "### Objective over that of the start, after a gradient budget of 50 (author data, seed 0)\n\n");
  const Matrix V = author_data(0);
  const auto source = svrmu::view(V);
  header({"batch size", "smu, safeguard off", "smu", "svrmu, safeguard off", "svrmu", "epochs undone",
          "inc-mu"});
  for (const int b : {1, 5, 10, 20, 50, 100, 250}) {
    const auto run = [&](const std::string& name, const char* safeguard) {
      svrmu::OptionValues settings{{"batch_size", std::to_string(b)}, {"safeguard", safeguard}};
      if (name == "svrmu") settings.emplace_back("correction", "unbiased");
      return svrmu::fit(*source, published(name, settings), plain_options(0, 50));
    };
    const auto ratio = [](const FitResult<double>& result) {
      return result.record().objective / result.history.front().objective;
    };
    const auto guarded = run("svrmu", "on");
    std::printf("| %d | %.4g | %.4g | %.4g | %.4g | %lld | %.4g |\n", b, ratio(run("smu", "off")),
                ratio(run("smu", "on")), ratio(run("svrmu", "off")), ratio(guarded),
                static_cast<long long>(guarded.history.back().rollbacks), ratio(run("inc-mu", "off")));
  }
  std::printf("\n");
}

// Passes per snapshot and h steps per batch, at equal gradient count.
void inner() {
  std::printf("### Gap of svrmu at a gradient budget of 250 (author data, median of 3 seeds)\n\n");
  const std::vector<int> repeats{1, 2, 5, 10, 20};
  header({"inner passes", "1 h step", "2", "5", "10", "20"});
  std::vector<double> best;
  for (const std::uint64_t seed : seeds) {
    const Matrix V = author_data(seed);
    best.push_back(svrmu::fit(*svrmu::view(V), svrmu::solver_named("hals-acc"), plain_options(seed, 3000))
                       .record()
                       .objective);
  }
  for (const int passes : {1, 2, 5, 10}) {
    std::printf("| %d ", passes);
    for (const int L : repeats) {
      std::vector<double> gaps;
      for (const std::uint64_t seed : seeds) {
        const Matrix V = author_data(seed);
        const auto result = svrmu::fit(
            *svrmu::view(V),
            published("svrmu", {{"inner_passes", std::to_string(passes)}, {"h_repeats", std::to_string(L)}}),
            plain_options(seed, 250));
        gaps.push_back(at_budget(result, 250).objective - best[static_cast<std::size_t>(seed)]);
      }
      std::printf("| %.3g ", median(gaps));
    }
    std::printf("|\n");
  }
  std::printf("\n");
}

// The three rules that end the h steps.
void rules() {
  std::printf("### svrmu, 5 passes: what ends the h steps (author data, seed 0, gradient budget 250)\n\n");
  const Matrix V = author_data(0);
  const auto source = svrmu::view(V);
  const double best =
      svrmu::fit(*source, svrmu::solver_named("hals-acc"), plain_options(0, 3000)).record().objective;
  header({"rule", "gap", "seconds"});
  const std::vector<Named> solvers{
      {"fixed, 1 step", published("svrmu", {{"inner_passes", "5"}})},
      {"fixed, 5 steps", published("svrmu", {{"inner_passes", "5"}, {"h_repeats", "5"}})},
      {"paper, tolerance 0.1", published("svrmu", {{"inner_passes", "5"}, {"h_rule", "paper"}})},
      {"gillis, tolerance 0.1", published("svrmu", {{"inner_passes", "5"}, {"h_rule", "gillis"}})},
      {"gillis, tolerance 0.01",
       published("svrmu", {{"inner_passes", "5"}, {"h_rule", "gillis"}, {"h_rule_tolerance", "0.01"}})}};
  for (const Named& named : solvers) {
    const auto result = svrmu::fit(*source, named.solver, plain_options(0, 250));
    std::printf("| %s | %.3g | %.2f |\n", named.label.c_str(), at_budget(result, 250).objective - best,
                result.history.back().solver_seconds);
  }
  std::printf("\n");
}

// Clean low-rank data with a share of its entries raised by uniform(0.5, 1).
void robust() {
  std::printf(
      "### Error ||V_clean - WH|| / ||V_clean|| (scaled data, a share of entries raised by uniform(0.5, 1), "
      "gradient budget 200, median of 3 seeds)\n\n");
  const std::vector<Named> solvers{
      {"hals-acc (not robust)", published("hals-acc")},
      {"onmf (not robust)", published("onmf")},
      {"r-nmf", published("r-nmf")},
      {"r-nmf, multiplicative", published("r-nmf", {{"outlier_update", "multiplicative"}})},
      {"r-onmf", published("r-onmf")},
      {"r-onmf-acc", published("r-onmf-acc")},
      {"r-onmf-acc, multiplicative", published("r-onmf-acc", {{"outlier_update", "multiplicative"}})},
      {"r-svrmu", published("r-svrmu")},
      {"r-svrmu-acc, 5 passes", published("r-svrmu-acc", {{"inner_passes", "5"}})},
      {"r-svrmu-acc, 5 passes, multiplicative",
       published("r-svrmu-acc", {{"inner_passes", "5"}, {"outlier_update", "multiplicative"}})},
  };
  const auto corrupted = [](const Matrix& clean, double share, std::uint64_t seed) {
    Gaussian random(1000 + seed);
    return Matrix(clean.unaryExpr([&](double v) {
      const bool hit = random.uniform() < share;
      const double added = 0.5 + 0.5 * random.uniform();
      return hit ? v + added : v;
    }));
  };
  const auto error_of = [&](const SolverOptions& solver, double share) {
    std::vector<double> errors;
    for (const std::uint64_t seed : seeds) {
      const Matrix clean = scaled_data(seed);
      const Matrix V = corrupted(clean, share, seed);
      FitOptions<double> options = plain_options(seed, 200);
      options.start = Start::random;
      const auto result = svrmu::fit(*svrmu::view(V), solver, options);
      errors.push_back((clean - result.W * result.H).norm() / clean.norm());
    }
    return median(errors);
  };
  header({"algorithm", "5 %", "20 %", "40 %"});
  for (const Named& named : solvers) {
    std::printf("| %s ", named.label.c_str());
    for (const double share : {0.05, 0.2, 0.4}) std::printf("| %.3f ", error_of(named.solver, share));
    std::printf("|\n");
  }
  std::printf("\n### The same for r-svrmu-acc with 5 passes, by outlier_penalty\n\n");
  header({"outlier_penalty", "5 %", "20 %", "40 %"});
  for (const char* lambda : {"0.005", "0.02", "0.05", "0.1", "0.2", "0.5"}) {
    std::printf("| %s ", lambda);
    for (const double share : {0.05, 0.2, 0.4})
      std::printf(
          "| %.3f ",
          error_of(published("r-svrmu-acc", {{"inner_passes", "5"}, {"outlier_penalty", lambda}}), share));
    std::printf("|\n");
  }
  std::printf("\n");
}

void losses() {
  std::printf(
      "### Objective over that of the start after a gradient budget of 50 (scaled data + 0.001, random "
      "start, "
      "seed 0)\n\n");
  const Matrix V = (scaled_data(0).array() + 1e-3).matrix();
  const auto source = svrmu::view(V);
  header({"loss", "mu, mm", "mu, heuristic", "smu, mm", "asag-mu, mm", "svrmu, mm", "svrmu, heuristic"});
  for (const char* name : {"frobenius", "beta:1.5", "kl", "beta:0.5", "is", "beta:3"}) {
    FitOptions<double> options = plain_options(0, 50);
    options.start = Start::random;
    options.loss = svrmu::parse_loss(name);
    std::printf("| %s ", name);
    for (const auto& [solver, exponent] :
         {std::pair{"mu", "mm"}, std::pair{"mu", "heuristic"}, std::pair{"smu", "mm"},
          std::pair{"asag-mu", "mm"}, std::pair{"svrmu", "mm"}, std::pair{"svrmu", "heuristic"}}) {
      const auto result = svrmu::fit(*source, published(solver, {{"exponent", exponent}}), options);
      std::printf("| %.3g ", result.record().objective / result.history.front().objective);
    }
    std::printf("|\n");
  }
  std::printf("\n");
}

void penalties() {
  std::printf("### l1_h with l2_w = 1 (scaled data, hals-acc, random start, seed 0, 300 epochs)\n\n");
  const Matrix V = scaled_data(0);
  header({"l1_h", "relative error", "zeros in H", "norm of W"});
  for (const double l1 : {0.0, 0.01, 0.03, 0.1, 0.3, 1.0}) {
    FitOptions<double> options = plain_options(0, 300);
    options.start = Start::random;
    options.penalties = {.l2_w = 1, .l1_h = l1};
    const auto result = svrmu::fit(*svrmu::view(V), svrmu::solver_named("hals-acc"), options);
    std::printf("| %g | %.4f | %.1f %% | %.3g |\n", l1, result.record().relative_error,
                100 * double((result.H.array() == 0).count()) / double(result.H.size()), result.W.norm());
  }
  std::printf("\n");
}

void starts() {
  for (const Generator& generator : {generators[0], generators[1]}) {
    std::printf("### Relative error by start (%s data, median of 3 seeds)\n\n", generator.name);
    header({"start", "at the start", "mu, 10 epochs", "mu, 100", "hals-acc, 10", "hals-acc, 100",
            "svrmu-acc, budget 100"});
    for (const Start start :
         {Start::random, Start::svd_abs, Start::nndsvd, Start::nndsvda, Start::nndsvdar}) {
      const std::string name(svrmu::choices(start)[static_cast<std::size_t>(start)]);
      std::map<std::string, std::vector<double>> errors;
      for (const std::uint64_t seed : seeds) {
        const Matrix V = generator.make(seed);
        const auto run = [&](const char* solver, double budget, const std::string& key) {
          FitOptions<double> options = plain_options(seed, budget);
          options.start = start;
          if (start == Start::nndsvd && std::string(solver) != "hals-acc") return;  // refused
          const auto result = svrmu::fit(*svrmu::view(V), with(solver, {}), options);
          errors[key].push_back(result.record().relative_error);
          if (key == "hals-acc, 10") errors["start"].push_back(result.history.front().relative_error);
          if (key == "mu, 10") errors["start of mu"].push_back(result.history.front().relative_error);
        };
        run("mu", 10, "mu, 10");
        run("mu", 100, "mu, 100");
        run("hals-acc", 10, "hals-acc, 10");
        run("hals-acc", 100, "hals-acc, 100");
        run("svrmu-acc", 100, "svrmu-acc");
      }
      std::printf("| %s ", name.c_str());
      for (const char* key :
           {"start of mu", "mu, 10", "mu, 100", "hals-acc, 10", "hals-acc, 100", "svrmu-acc"})
        errors[key].empty() ? std::printf("| - ") : std::printf("| %.4f ", median(errors[key]));
      std::printf("|\n");
    }
    std::printf("\n");
  }
}

// The projected gradient for constant and diminishing steps, small enough for thousands of epochs.
void theorem() {
  std::printf(
      "### Projected gradient over that of the start: median of the 100 epochs before each "
      "(40 x 120, K 5, b 30, 5 inner passes)\n\n");
  constexpr Index rows = 40, columns = 120, components = 5;
  const double size = std::pow(double(components), -0.25);
  const std::vector<std::size_t> ends{200, 500, 1000, 2000};
  std::vector<std::pair<std::string, Matrix>> sets;
  sets.emplace_back("author", Gaussian(0).half_normal(rows, columns, size).cwiseMin(1.0));
  Gaussian random(0);
  const Matrix W = random.half_normal(rows, components, size);
  const Matrix WH = W * random.half_normal(components, columns, size);
  sets.emplace_back("scaled", WH / WH.maxCoeff());
  std::vector<Named> solvers{{"mu", svrmu::solver_named("mu")}, {"hals", svrmu::solver_named("hals")}};
  for (const char* name : {"svrmu", "svrmu-acc"}) {
    const svrmu::OptionValues base{{"batch_size", "30"}, {"inner_passes", "5"}};
    solvers.push_back({std::string(name) + ", constant step", published(name, base)});
    for (const auto& [c, p] : {std::pair{"0.01", "0.6"}, std::pair{"0.01", "0.8"}, std::pair{"0.01", "1"},
                               std::pair{"0.001", "0.6"}}) {
      svrmu::OptionValues settings = base;
      settings.insert(settings.end(), {{"step_decay", c}, {"step_decay_power", p}});
      solvers.push_back({std::string(name) + ", c = " + c + ", p = " + p, published(name, settings)});
    }
  }
  for (const auto& [set, V] : sets) {
    std::printf("**%s**\n\n", set.c_str());
    header({"algorithm", "200", "500", "1000", "2000", "fall from 200 to 2000"});
    for (const auto& [label, solver] : solvers) {
      FitOptions<double> options;
      options.rank = components;
      options.seed = 0;
      options.start = Start::random;
      options.threads = 1;
      options.stopping = {.max_epochs = 2000, .relative_change = 0, .kkt = 1e-300};
      const auto history = svrmu::fit(*svrmu::view(V), solver, options).history;
      std::vector<double> at;
      for (const std::size_t end : ends) {
        std::vector<double> last;
        for (std::size_t i = end - 99; i <= end; ++i) last.push_back(history.at(i).kkt);
        at.push_back(median(last));
      }
      std::printf("| %s ", label.c_str());
      for (const double residual : at) std::printf("| %.1e ", residual);
      std::printf("| %.3g |\n", at.front() / at.back());
    }
    std::printf("\n");
  }
}

void stopping() {
  std::printf(
      "### Where each tolerance ends a fit (scaled data, random start, seed 0, at most 5000 epochs)\n\n");
  const Matrix V = scaled_data(0);
  header({"rule", "mu: epochs", "relative error", "hals-acc: epochs", "relative error", "svrmu-acc: epochs",
          "relative error"});
  const auto row = [&](const char* label, double change, double kkt) {
    std::printf("| %s ", label);
    for (const char* name : {"mu", "hals-acc", "svrmu-acc"}) {
      FitOptions<double> options = plain_options(0, 0);
      options.start = Start::random;
      options.stopping = {.max_epochs = 5000, .relative_change = change, .kkt = kkt};
      const auto result = svrmu::fit(*svrmu::view(V), svrmu::solver_named(name), options);
      std::printf("| %lld | %.2e ", static_cast<long long>(result.history.back().epoch),
                  result.record().relative_error);
    }
    std::printf("|\n");
  };
  row("relative_change 1e-2", 1e-2, 0);
  row("relative_change 1e-3", 1e-3, 0);
  row("relative_change 1e-4 (default)", 1e-4, 0);
  row("relative_change 1e-5", 1e-5, 0);
  row("kkt 1e-2", 0, 1e-2);
  row("kkt 1e-3", 0, 1e-3);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::pair<std::string, std::function<void()>>> sections{
      {"budgets", budgets}, {"batches", batches},  {"inner", inner},   {"rules", rules},
      {"theorem", theorem}, {"robust", robust},    {"losses", losses}, {"penalties", penalties},
      {"starts", starts},   {"stopping", stopping}};
  for (int i = 1; i < argc; ++i)
    if (std::none_of(sections.begin(), sections.end(), [&](const auto& s) { return s.first == argv[i]; })) {
      std::fprintf(stderr, "there is no section '%s'\n", argv[i]);
      return 2;
    }
  for (const auto& [name, section] : sections) {
    const auto wanted = [&, &title = name](const char* argument) { return title == argument; };
    if (argc > 1 && std::none_of(argv + 1, argv + argc, wanted)) continue;
    std::printf("## %s\n\n", name.c_str());
    section();
    std::fflush(stdout);
  }
}
