#include <iostream>
#include <svrmu/report/page.hpp>
#include <svrmu/svrmu.hpp>

int main() {
  svrmu::Matrix<double> V(3, 4);
  V << 1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12;

  svrmu::FitOptions<double> options;
  options.rank = 1;
  const auto result = svrmu::fit(*svrmu::view(V), svrmu::SvrmuOptions{}, options);

  // Reports carry all that they need: nothing of the source tree is looked for.
  if (svrmu::report::html({.title = "consumer"}).find("Dygraph") == std::string::npos) return 1;

  std::cout << "objective " << result.record().objective << '\n';
  return (result.W * result.H - V).norm() < 0.01 * V.norm() ? 0 : 1;
}
