// What is said to be read is what a source serves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"

namespace svrmu {
namespace {

// Columns served up to each record of a fit, beside the records.
template <class Scalar>
struct Served {
  FitResult<Scalar> result;
  std::vector<Index> columns;
};

template <class Scalar>
Served<Scalar> counted_fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                           FitOptions<Scalar> options) {
  const CountingSource<Scalar> counting(V);
  Served<Scalar> served;
  options.observer = [&](const EpochRecord&) {
    served.columns.push_back(counting.served());
    return Flow::keep_going;
  };
  served.result = fit(counting, solver, options);
  return served;
}

// The rows of a table of passes in the documentation: a name, and its numbers.
std::map<std::string, std::vector<double>> documented_passes(const std::string& heading) {
  std::ifstream page(SVRMU_DOCS "/algorithms/README.md");
  std::map<std::string, std::vector<double>> rows;
  bool in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) in_section = line == "## " + heading;
    if (!in_section || !line.starts_with("| `")) continue;
    std::istringstream cells(line.substr(line.rfind('`') + 1));
    std::vector<double> numbers;
    for (std::string bar, number; cells >> bar >> number;) numbers.push_back(std::stod(number));
    for (std::size_t from = 0; (from = line.find('`', from)) != std::string::npos;) {
      const std::size_t to = line.find('`', from + 1);
      rows[line.substr(from + 1, to - from - 1)] = numbers;
      from = to + 1;
    }
  }
  return rows;
}

class Passes : public OverSolvers {};

TEST_P(Passes, ColumnsReadAndEvaluatedAreThoseServed) {
  for (const char* order : {"permute_once", "with_replacement"}) {
    SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}});
    if (has_option(solver, "order") && !GetParam().starts_with("sag-mu")) set_option(solver, "order", order);
    in_every_form(noisy(15, 30, 4), [&]<class Scalar>(const MatrixSource<Scalar>& V, const Matrix<Scalar>&) {
      const Served<Scalar> served = counted_fit(V, solver, epochs<Scalar>(4, 4));
      ASSERT_EQ(served.columns.size(), served.result.history.size());
      for (std::size_t i = 0; i < served.columns.size(); ++i) {
        const EpochRecord& record = served.result.history[i];
        EXPECT_EQ(served.columns[i], record.columns_read + record.columns_evaluated) << "entry " << i;
      }
    });
  }
}

TEST_P(Passes, AreThoseOfTheDocumentation) {
  if (GetParam() == "fast") GTEST_SKIP() << "its passes depend on V: see its page";
  const auto documented = documented_passes("Passes over V");
  ASSERT_TRUE(documented.contains(GetParam()));
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "6"}});
  in_both_storages<double>(noisy(15, 30, 4), [&](const MatrixSource<double>& V, const Matrix<double>&) {
    const std::vector<EpochRecord> history = counted_fit(V, solver, epochs<double>(4, 4)).result.history;
    const auto read = [&](std::size_t i) { return static_cast<double>(history[i].columns_read) / 30; };
    const auto evaluated = [&](std::size_t i) {
      return static_cast<double>(history[i].columns_evaluated) / 30;
    };
    EXPECT_THAT(documented.at(GetParam()), testing::ElementsAre(read(0), read(1) - read(0), read(2) - read(1),
                                                                evaluated(2) - evaluated(1)));
    EXPECT_EQ(read(4) - read(3), read(2) - read(1));
    // V is looked over once, and the start evaluated unless the sums for that are there already.
    EXPECT_EQ(evaluated(0), GetParam().starts_with("inc-") ? 1 : 2);
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Passes, testing::ValuesIn(all_solvers()), test_name);

TEST(Passes, OfAStreamAreThoseOfTheDocumentation) {
  const auto documented = documented_passes("Passes over a stream");
  std::vector<std::string> names;
  for (const auto& row : documented) names.push_back(row.first);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(streaming_solvers()));
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const SolverOptions solver = configured(name, {{"batch_size", "6"}});
    in_every_form(noisy(15, 300, 4), [&]<class Scalar>(const MatrixSource<Scalar>& V, const Matrix<Scalar>&) {
      const CountingSource<Scalar> counting(V);
      const auto model = fit_stream(counting, solver, StreamStart<Scalar>{.rank = 4}, {.threads = 1});
      const auto passes = [](Index columns) { return static_cast<double>(columns) / 300; };
      const EpochRecord& last = model.record();
      EXPECT_EQ(counting.served(), last.columns_read + last.columns_evaluated);
      EXPECT_THAT(documented.at(name),
                  testing::ElementsAre(passes(counting.served() - last.columns_read),
                                       passes(last.columns_read), passes(last.columns_evaluated)));
      update(model, counting, {.threads = 1});
      EXPECT_EQ(counting.served(), 2 * 300);
    });
  }
}

TEST(Passes, AResumedRunCountsAsOneThatNeverStopped) {
  const Matrix<double> V = noisy(15, 30, 4);
  const auto source = view(V);
  const auto whole = fit(*source, solver_named("smu"), epochs<double>(6, 4));
  const auto part = fit(*source, solver_named("smu"), epochs<double>(3, 4));
  const auto resumed = resume(*source, part, epochs<double>(6, 4));
  EXPECT_EQ(resumed.history.back().columns_read, whole.history.back().columns_read);
  EXPECT_EQ(resumed.history.back().columns_evaluated, whole.history.back().columns_evaluated);
}

}  // namespace
}  // namespace svrmu
