// The core alone: memory in, factors out; an error of the library is caught by its type.
#include <iostream>
#include <svrmu/svrmu.hpp>

int main() {
  svrmu::Matrix<double> V(3, 4);
  V << 1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12;

  svrmu::FitOptions<double> options;
  try {
    svrmu::fit(*svrmu::view(V), svrmu::SvrmuOptions{}, options);
    return 2;  // rank 0 is refused
  } catch (const svrmu::InvalidInput&) {
  }
  options.rank = 1;
  const auto result = svrmu::fit(*svrmu::view(V), svrmu::SvrmuOptions{}, options);

  std::cout << "objective " << result.record().objective << '\n';
  return (result.W * result.H - V).norm() < 0.01 * V.norm() ? 0 : 1;
}
