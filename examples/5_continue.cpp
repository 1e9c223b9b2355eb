// Stopping and going on: 4 epochs and then 6 more give the bits of 10 epochs in one go.
#include <iostream>
#include <svrmu/svrmu.hpp>

int main() {
  using Matrix = svrmu::Matrix<double>;
  const Matrix V = Matrix::Random(150, 6).cwiseAbs() * Matrix::Random(6, 700).cwiseAbs();
  const auto source = svrmu::view(V);

  bool all_same = true;
  for (const char* name : {"svrmu-acc", "smu", "sag-mu", "hals-acc"}) {
    const svrmu::SolverOptions solver = svrmu::solver_named(name);
    svrmu::FitOptions<double> options;
    options.rank = 6;
    options.stopping = {.max_epochs = 10, .relative_change = 0};
    const auto whole = svrmu::fit(*source, solver, options);

    options.stopping.max_epochs = 4;
    const auto first = svrmu::fit(*source, solver, options);
    options.stopping.max_epochs = 10;  // limits count from the very start
    options.threads = 1;               // the number of threads does not matter either
    const auto continued = svrmu::resume(*source, first, options);

    bool same =
        whole.W == continued.W && whole.H == continued.H && whole.history.size() == continued.history.size();
    for (std::size_t i = 0; same && i < whole.history.size(); ++i)
      same = whole.history[i].objective == continued.history[i].objective;
    std::cout << name << ": 4 + 6 epochs " << (same ? "give the same bits as" : "DIFFER from")
              << " 10 in one go, objective " << continued.record().objective << '\n';
    all_same = all_same && same;
  }
  return all_same ? 0 : 1;
}
