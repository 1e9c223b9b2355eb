#include "svrmu/experiment/compare.hpp"
#include "text/csv_cell.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

std::string cell(std::string_view text) {
  const std::string safe = without_formula(text);
  return safe.find_first_of(",\"\r\n") == std::string::npos ? safe : quoted_cell(safe);
}

}  // namespace

std::string to_csv(const std::vector<Comparison>& comparisons) {
  std::string text = "data,algorithm,seed,epoch,gradient_counts,columns_read,solver_seconds,objective,gap\n";
  for (const Comparison& comparison : comparisons)
    for (const ComparisonRun& run : comparison.runs) {
      const std::string head = cell(comparison.data) + "," +
                               cell(comparison.contestants[run.contestant].label) + "," +
                               std::to_string(comparison.trials[run.trial].seed) + ",";
      const std::vector<double> gap = gaps(comparison, run);
      for (std::size_t i = 0; i < run.history.size(); ++i) {
        const EpochRecord& record = run.history[i];
        text += head + std::to_string(record.epoch);
        for (const double value : {position(comparison, record, Axis::gradient_counts),
                                   position(comparison, record, Axis::columns_read), record.solver_seconds,
                                   record.objective, gap[i]}) {
          text += ",";
          text += number_text(value);
        }
        text += "\n";
      }
    }
  return text;
}

}  // namespace svrmu::experiment
