// Something of every component.
#include <iostream>
#include <svrmu/experiment/recovery.hpp>
#include <svrmu/io/files.hpp>
#include <svrmu/report/page.hpp>
#include <svrmu/svrmu.hpp>

int main() {
  const auto data = svrmu::generate<float>(svrmu::DataKind::swimmer);
  const svrmu::experiment::Likeness likeness =
      svrmu::experiment::likeness(data.V.cast<double>(), (data.W * data.H).cast<double>());
  if (!(likeness.relative_error < 1e-6)) return 1;

  svrmu::io::write_npy("swimmer.npy", svrmu::io::dense_view(data.V), {.overwrite = true});
  const svrmu::io::MatrixFile file = svrmu::io::read_matrix("swimmer.npy");
  if (file.stored() != data.V.size()) return 2;
  const auto source = svrmu::io::open_source<float>(file);
  if (source->samples() != svrmu::swimmer::pictures) return 3;
  try {
    svrmu::io::read_matrix("missing.npy");
    return 4;
  } catch (const svrmu::io::IoError&) {
  }

  // Reports carry all that they need: nothing of the source tree is looked for.
  if (svrmu::report::html({.title = "consumer"}).find("Dygraph") == std::string::npos) return 5;
  std::cout << "core, io, experiment and report work\n";
}
