// A sparse matrix of word counts, factorized in two losses without ever becoming dense.
#include <iostream>
#include <random>
#include <svrmu/svrmu.hpp>
#include <vector>

using svrmu::Index;

// 2000 words x 3000 documents on 4 topics. A document draws 40 words, most of them from its own quarter of
// the vocabulary.
svrmu::SparseMatrix<float> make_counts() {
  std::mt19937 random(1);
  std::vector<Eigen::Triplet<float, Index>> entries;
  for (Index document = 0; document < 3000; ++document)
    for (int i = 0; i < 40; ++i) {
      const Index topic = random() % 10 == 0 ? Index(random() % 4) : document % 4;
      entries.emplace_back(topic * 500 + Index(random() % 500), document, 1.0F);
    }
  svrmu::SparseMatrix<float> counts(2000, 3000);
  counts.setFromTriplets(entries.begin(), entries.end());  // repeated words add up
  return counts;
}

// How many documents have their largest weight on the component that their topic has it on most often.
Index well_placed(const svrmu::Matrix<float>& H) {
  Eigen::Array<Index, 4, 4> votes = Eigen::Array<Index, 4, 4>::Zero();
  for (Index n = 0; n < H.cols(); ++n) {
    Index component = 0;
    H.col(n).maxCoeff(&component);
    ++votes(n % 4, component);
  }
  return votes.rowwise().maxCoeff().sum();
}

int main() {
  const svrmu::SparseMatrix<float> V = make_counts();
  std::cout << V.rows() << " x " << V.cols() << ", " << V.nonZeros() << " entries stored\n";

  svrmu::FitOptions<float> options;
  options.rank = 4;
  options.seed = 3;
  options.normalize = true;
  const auto source = svrmu::view(V);  // V is read where it lies

  bool good = true;
  for (const svrmu::Loss loss : {svrmu::Loss::frobenius(), svrmu::Loss::kullback_leibler()}) {
    options.loss = loss;
    const auto result = svrmu::fit(*source, svrmu::SvrmuOptions{.batch_size = 500}, options);
    const Index placed = well_placed(result.H);
    std::cout << svrmu::summary(result) << placed << " of " << V.cols() << " documents grouped by topic\n\n";
    good = good && placed > 2900;
  }
  return good ? 0 : 1;
}
