// A dense matrix, one call, two nonnegative factors.
#include <iostream>
#include <svrmu/svrmu.hpp>

int main() {
  using Matrix = svrmu::Matrix<double>;
  const Matrix parts = Matrix::Random(200, 5).cwiseAbs();
  const Matrix V = parts * Matrix::Random(5, 1000).cwiseAbs();  // 200 features x 1000 samples

  svrmu::FitOptions<double> options;
  options.rank = 5;
  options.seed = 7;

  const auto result = svrmu::fit(*svrmu::view(V), options);  // chooses the algorithm
  std::cout << svrmu::summary(result);                       // result.W is 200 x 5, result.H is 5 x 1000

  const double error = (V - result.W * result.H).norm() / V.norm();
  std::cout << "||V - WH|| / ||V|| computed here: " << error << '\n';
  const bool nonnegative = (result.W.array() >= 0).all() && (result.H.array() >= 0).all();
  return nonnegative && error < 0.05 ? 0 : 1;
}
