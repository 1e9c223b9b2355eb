// Watching a fit, ending it from the observer, and cancelling it from another thread.
#include <chrono>
#include <cstdio>
#include <stop_token>
#include <svrmu/svrmu.hpp>
#include <thread>

int main() {
  using Matrix = svrmu::Matrix<double>;
  const Matrix V = Matrix::Random(300, 8).cwiseAbs() * Matrix::Random(8, 2000).cwiseAbs();
  const auto source = svrmu::view(V);

  svrmu::FitOptions<double> options;
  options.rank = 8;
  options.stopping = {.max_epochs = 1'000'000, .relative_change = 0};  // on its own it would hardly ever end

  // The observer sees the numbers of every epoch, the start included, and may end the fit.
  options.observer = [](const svrmu::EpochRecord& at) {
    std::printf("epoch %3lld  relative error %.4f  %.3f s\n", static_cast<long long>(at.epoch),
                at.relative_error, at.solver_seconds);
    return at.relative_error < 0.05 ? svrmu::Flow::stop : svrmu::Flow::keep_going;
  };
  const auto observed = svrmu::fit(*source, svrmu::solver_named("inc-mu-acc"), options);
  std::printf("ended by the observer: %s\n\n", svrmu::to_string(observed.reason).data());

  // The stop token is looked at between batches, so that a cancel does not wait for the end of an epoch.
  std::stop_source cancel;
  options.observer = {};
  options.stop = cancel.get_token();
  std::jthread impatient([&cancel] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel.request_stop();
  });
  const auto cancelled = svrmu::fit(*source, svrmu::solver_named("svrmu"), options);
  std::printf("cancelled in epoch %lld: %s\n", static_cast<long long>(cancelled.history.back().epoch),
              svrmu::to_string(cancelled.reason).data());
  std::printf("what comes back is no worse than the start: objective %.4g -> %.4g\n",
              cancelled.history.front().objective, cancelled.record().objective);

  const bool good = observed.reason == svrmu::StopReason::cancelled &&
                    observed.record().relative_error < 0.05 &&
                    cancelled.reason == svrmu::StopReason::cancelled &&
                    cancelled.record().objective <= cancelled.history.front().objective;
  return good ? 0 : 1;
}
