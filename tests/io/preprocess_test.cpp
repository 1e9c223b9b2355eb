#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/random.hpp"
#include "files.hpp"
#include "io/elements.hpp"
#include "problems.hpp"
#include "svrmu/io/preprocess.hpp"

namespace svrmu::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<PreprocessStep> all_steps = {
    PreprocessStep::tfidf, PreprocessStep::log1p, PreprocessStep::sqrt, PreprocessStep::l1,
    PreprocessStep::l2,    PreprocessStep::cp10k, PreprocessStep::max1, PreprocessStep::feature_max};

// Small counts; the second feature and the third sample are empty.
Matrix<double> counts(Index features = 11, Index samples = 37) {
  return (3 * mostly_zero(features, samples)).array().ceil();
}

// A file in memory that has V = features x samples, in whatever storage.
template <class Scalar>
MatrixFile file_of(const Matrix<double>& V, SamplesIn samples = SamplesIn::columns, bool sparse = false,
                   Layout layout = Layout::columns_contiguous) {
  const Matrix<Scalar> M = (samples == SamplesIn::rows ? Matrix<double>(V.transpose()) : V).cast<Scalar>();
  const ReadOptions options{.samples = samples};
  const io::Input input = input_of("", "memory");
  const bool by_columns = layout == Layout::columns_contiguous;
  if (!sparse) {
    const RowMatrix<Scalar> by_rows = M;
    std::shared_ptr<Scalar[]> values(new Scalar[static_cast<std::size_t>(M.size())]);
    std::copy_n(by_columns ? M.data() : by_rows.data(), M.size(), values.get());
    return io::owned_dense<Scalar>(input, values, M.rows(), M.cols(), layout, options);
  }
  io::OwnedSparse<Scalar> owned;
  owned.offsets.push_back(0);
  for (Index major = 0; major < (by_columns ? M.cols() : M.rows()); ++major) {
    for (Index minor = 0; minor < (by_columns ? M.rows() : M.cols()); ++minor) {
      const Scalar value = by_columns ? M(minor, major) : M(major, minor);
      if (value == 0) continue;
      owned.indices.push_back(minor);
      owned.values.push_back(value);
    }
    owned.offsets.push_back(static_cast<Index>(owned.values.size()));
  }
  return io::sparse_matrix<Scalar>(input, std::move(owned), M.rows(), M.cols(), layout, options);
}

// As features x samples.
Matrix<double> V_of(const MatrixFile& file) {
  return file.samples == SamplesIn::rows ? Matrix<double>(contents(file).transpose()) : contents(file);
}

template <class Scalar, class Body>
void in_every_storage(const Matrix<double>& V, const Body& body) {
  for (const SamplesIn samples : {SamplesIn::rows, SamplesIn::columns})
    for (const bool sparse : {false, true})
      for (const Layout layout : {Layout::columns_contiguous, Layout::rows_contiguous}) {
        SCOPED_TRACE(std::string(samples == SamplesIn::rows ? "samples in rows, " : "samples in columns, ") +
                     (sparse ? "sparse " : "dense ") +
                     (layout == Layout::rows_contiguous ? "by rows" : "by columns"));
        body(file_of<Scalar>(V, samples, sparse, layout));
      }
}

// The plainest way to do each step.
Matrix<double> plainly(PreprocessStep step, Matrix<double> V) {
  const auto scale_samples = [&](auto size) {
    for (Index n = 0; n < V.cols(); ++n)
      if (V.col(n).sum() > 0) V.col(n) /= size(V.col(n));
  };
  const auto norm = [](const auto& column) { return column.norm(); };
  const auto sum = [](const auto& column) { return column.sum(); };
  switch (step) {
    case PreprocessStep::tfidf:
      for (Index f = 0; f < V.rows(); ++f) {
        const auto df = static_cast<double>((V.row(f).array() > 0).count());
        V.row(f) *= 1 + std::log((1 + static_cast<double>(V.cols())) / (1 + df));
      }
      scale_samples(norm);
      break;
    case PreprocessStep::log1p:
      V = V.array().log1p();
      break;
    case PreprocessStep::sqrt:
      V = V.array().sqrt();
      break;
    case PreprocessStep::l1:
      scale_samples(sum);
      break;
    case PreprocessStep::l2:
      scale_samples(norm);
      break;
    case PreprocessStep::cp10k:
      scale_samples(sum);
      V *= 10000;
      break;
    case PreprocessStep::max1:
      V /= V.maxCoeff();
      break;
    case PreprocessStep::feature_max:
      for (Index f = 0; f < V.rows(); ++f)
        if (V.row(f).maxCoeff() > 0) V.row(f) /= V.row(f).maxCoeff();
      break;
  }
  return V;
}

TEST(Preprocess, EachStepDoesWhatItsFormulaSays) {
  for (const PreprocessStep step : all_steps) {
    SCOPED_TRACE(choices(step)[static_cast<std::size_t>(step)]);
    const Matrix<double> wanted = plainly(step, counts());
    in_every_storage<double>(counts(), [&](MatrixFile file) {
      preprocess(file, {step});
      EXPECT_LE((V_of(file) - wanted).cwiseAbs().maxCoeff(), 1e-12 * wanted.maxCoeff());
    });
    in_every_storage<float>(counts(), [&](MatrixFile file) {
      preprocess(file, {step});
      EXPECT_LE((V_of(file) - wanted).cwiseAbs().maxCoeff(), 1e-6 * wanted.maxCoeff());
    });
  }
}

TEST(Preprocess, EveryStorageGivesTheSameBits) {
  MatrixFile first = file_of<double>(counts());
  preprocess(first, all_steps);
  const Matrix<double> wanted = V_of(first);
  in_every_storage<double>(counts(), [&](MatrixFile file) {
    preprocess(file, all_steps);
    EXPECT_EQ(V_of(file), wanted);
  });
}

TEST(Preprocess, WhatWasLearnedGivesTheSameBitsAgain) {
  in_every_storage<float>(counts(), [&](MatrixFile file) {
    MatrixFile again = file;
    const Preprocessing learned = preprocess(file, all_steps);
    preprocess(again, learned);
    EXPECT_EQ(V_of(again), V_of(file));
  });
}

TEST(Preprocess, LearnedNumbersAreThoseOfTheFirstData) {
  Matrix<double> V(2, 2);
  V << 4, 2, 0, 1;
  MatrixFile file = file_of<double>(V);
  const Preprocessing learned = preprocess(file, {PreprocessStep::feature_max, PreprocessStep::max1});
  EXPECT_EQ(to_string(learned), "feature_max,max1");
  EXPECT_THAT(learned.steps[0].numbers, testing::ElementsAre(4, 1));
  EXPECT_THAT(learned.steps[1].numbers, testing::ElementsAre(1));
  MatrixFile fresh = file_of<double>(Matrix<double>(Matrix<double>::Constant(2, 1, 8)));
  preprocess(fresh, learned);
  EXPECT_EQ(V_of(fresh)(0, 0), 2);
  EXPECT_EQ(V_of(fresh)(1, 0), 8);
}

TEST(Preprocess, AFeatureWithoutValuesIsLeftAsItIs) {
  Matrix<double> V = counts();
  MatrixFile file = file_of<double>(V);
  const Preprocessing learned = preprocess(file, {PreprocessStep::feature_max});
  V(1, 0) = 5;
  MatrixFile fresh = file_of<double>(V);
  preprocess(fresh, learned);
  EXPECT_EQ(V_of(fresh)(1, 0), 5);
}

TEST(Preprocess, OtherCopiesOfTheFileStayAsTheyWere) {
  in_every_storage<double>(counts(), [&](MatrixFile file) {
    const MatrixFile copy = file;
    const auto source = open_source<double>(file);
    preprocess(file, {PreprocessStep::log1p});
    EXPECT_EQ(V_of(copy), counts());
    EXPECT_EQ(through_source(*source), counts());
    EXPECT_NE(V_of(file), counts());
  });
}

TEST(Preprocess, StorageThatNobodyElseHasIsChangedInPlace) {
  MatrixFile file = file_of<double>(counts());
  const double* before = std::get<StoredDense<double>>(file.matrix).data;
  preprocess(file, {PreprocessStep::log1p, PreprocessStep::l2});
  EXPECT_EQ(std::get<StoredDense<double>>(file.matrix).data, before);
}

TEST(Preprocess, AMappedFileStaysAsItIs) {
  const ScratchFolder folder;
  const Matrix<double> V = counts();
  write_npy(folder.file("V.npy"), dense_view(V));
  MatrixFile file = read_matrix(folder.file("V.npy"));
  ASSERT_TRUE(file.mapped);
  preprocess(file, {PreprocessStep::sqrt});
  EXPECT_FALSE(file.mapped);
  EXPECT_EQ(V_of(file), Matrix<double>(V.array().sqrt()));
  EXPECT_EQ(contents(read_matrix(folder.file("V.npy"))), V);
}

TEST(Preprocess, HugeAndTinySamplesAreNormalizedToo) {
  Matrix<double> V(2, 3);
  V << 3e300, 3e-300, 1e308, 4e300, 4e-300, 1e308;
  MatrixFile file = file_of<double>(V);
  MatrixFile summed = file;
  preprocess(file, {PreprocessStep::l2});
  preprocess(summed, {PreprocessStep::l1});
  for (const Index n : {0, 1}) {
    EXPECT_DOUBLE_EQ(V_of(file)(0, n), 0.6);
    EXPECT_DOUBLE_EQ(V_of(file)(1, n), 0.8);
  }
  EXPECT_DOUBLE_EQ(V_of(summed)(1, 2), 0.5);
}

TEST(Preprocess, NoStepsChangeNothing) {
  MatrixFile file = file_of<double>(counts());
  const MatrixFile copy = file;
  EXPECT_TRUE(preprocess(file, std::vector<PreprocessStep>{}).steps.empty());
  EXPECT_EQ(file.storage, copy.storage);
}

TEST(Preprocess, BadValuesAreRefusedWithTheirPlace) {
  Matrix<double> V = counts();
  V(4, 7) = -2;
  V(5, 8) = -3;
  in_every_storage<double>(V, [&](MatrixFile file) {
    const bool in_rows = file.samples == SamplesIn::rows;
    const std::string first = in_rows ? "-2 at row 8, column 5" : "-2 at row 5, column 8";
    EXPECT_THAT([&] { preprocess(file, {PreprocessStep::l1}); },
                ThrowsMessage<InvalidData>(AllOf(HasSubstr("memory: holds 2 negative values, the first"),
                                                 HasSubstr(first), HasSubstr("counted from 1"))));
  });
  V(0, 1) = std::numeric_limits<double>::quiet_NaN();
  MatrixFile file = file_of<double>(V, SamplesIn::rows);
  const auto attempt = [&] { preprocess(file, {PreprocessStep::sqrt}); };
  EXPECT_THAT(attempt, ThrowsMessage<InvalidData>(HasSubstr("1 NaN value, at row 2, column 1")));
  V(0, 1) = std::numeric_limits<double>::infinity();
  file = file_of<double>(V, SamplesIn::rows);
  EXPECT_THAT(attempt, ThrowsMessage<InvalidData>(HasSubstr("1 infinite value, at row 2, column 1")));
}

TEST(Preprocess, NewSamplesMustHaveTheSameFeatures) {
  MatrixFile file = file_of<double>(counts());
  const Preprocessing learned = preprocess(file, {PreprocessStep::l1, PreprocessStep::tfidf});
  MatrixFile other = file_of<double>(counts(10));
  EXPECT_THAT([&] { preprocess(other, learned); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("has 10 features"), HasSubstr("has learned 11"))));
}

TEST(PreprocessSteps, AreReadFromText) {
  EXPECT_THAT(parse_steps("tfidf,l2"), testing::ElementsAre(PreprocessStep::tfidf, PreprocessStep::l2));
  EXPECT_THAT(parse_steps("feature-max,feature_max"),
              testing::ElementsAre(PreprocessStep::feature_max, PreprocessStep::feature_max));
  EXPECT_TRUE(parse_steps("").empty());
  for (const PreprocessStep step : all_steps)
    EXPECT_THAT(parse_steps(to_string(Preprocessing{{{step, {}}}})), testing::ElementsAre(step));
}

TEST(PreprocessSteps, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THAT([] { parse_steps("log1p,tfidff"); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("'tfidff'"), HasSubstr("did you mean tfidf?"))));
  EXPECT_THROW(parse_steps("l1,"), InvalidInput);
  EXPECT_THROW(parse_steps(",l1"), InvalidInput);
}

// Files by scikit-learn: samples in rows, as it has them.
class PreprocessLikeScikitLearn : public testing::TestWithParam<std::string> {};

TEST_P(PreprocessLikeScikitLearn, WithinRounding) {
  const std::string wanted_file = made("sklearn_" + GetParam() + ".npy");
  if (!std::filesystem::exists(wanted_file))
    GTEST_SKIP() << "needs the files of make_files.py with python3-sklearn";
  const Matrix<double> wanted = contents(read_matrix(wanted_file));
  for (const std::string counts : {"sklearn_counts.npz", "sklearn_counts.npy"}) {
    MatrixFile file = read_matrix(made(counts), {.samples = SamplesIn::rows});
    preprocess(file, parse_steps(GetParam()));
    EXPECT_LE((contents(file) - wanted).cwiseAbs().maxCoeff(), 1e-12) << counts;
  }
}

INSTANTIATE_TEST_SUITE_P(, PreprocessLikeScikitLearn, testing::Values("tfidf", "l1", "l2", "feature_max"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace svrmu::io
