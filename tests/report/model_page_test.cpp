#include "svrmu/report/model_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.hpp"
#include "report/components.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <class Scalar>
io::Model<Scalar> small_model(const Matrix<Scalar>& V, const char* algorithm, Index rank, int epochs = 20,
                              const Loss& loss = {}) {
  io::Model<Scalar> model;
  FitOptions<Scalar> options;
  options.loss = loss;
  options.rank = rank;
  options.stopping.max_epochs = epochs;
  model.fit = fit(*view(V), solver_named(algorithm), options);
  model.algorithm = algorithm;
  model.data.path = "some/data.npy";
  model.data.features = V.rows();
  model.data.samples = V.cols();
  return model;
}

Matrix<double> small_data(Index features, Index samples) {
  return (Matrix<double>::Random(features, 3).cwiseAbs() * Matrix<double>::Random(3, samples).cwiseAbs())
      .eval();
}

TEST(SampleResiduals, AreWhatIsLeftOfEachSample) {
  Matrix<double> V = small_data(12, 150);
  V.col(7).setZero();
  const io::Model<double> model = small_model(V, "mu", 2);
  const std::vector<double> residuals = sample_residuals(*view(V), model.fit);
  ASSERT_EQ(residuals.size(), 150u);
  for (Index n = 0; n < 150; ++n) {
    const double expected =
        n == 7 ? 0 : (V.col(n) - model.fit.W * model.fit.H.col(n)).norm() / V.col(n).norm();
    EXPECT_NEAR(residuals[static_cast<std::size_t>(n)], expected, 1e-12);
  }
}

TEST(SampleResiduals, SparseAndDenseAgree) {
  Matrix<double> V = small_data(30, 100);
  V = (V.array() < 0.6).select(0, V);
  const SparseMatrix<double> sparse = V.sparseView();
  const io::Model<double> plain = small_model(V, "hals", 3);
  const io::Model<double> robust = small_model(V, "r-svrmu", 3);
  ASSERT_GT(robust.fit.R_sparse.nonZeros(), 0);
  for (const io::Model<double>& model : {plain, robust}) {
    const std::vector<double> a = sample_residuals(*view(V), model.fit);
    const std::vector<double> b = sample_residuals(*view(sparse), model.fit);
    for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 1e-9);
  }
}

TEST(SampleResiduals, OfADivergenceAreThatOverTheSumOfTheSample) {
  Matrix<double> V = 10 * small_data(12, 40);
  V = (V.array() < 4).select(0, V);
  V.col(7).setZero();
  const io::Model<double> model = small_model(V, "mu", 2, 20, Loss::kullback_leibler());
  const SparseMatrix<double> sparse = V.sparseView();
  const std::vector<double> residuals = sample_residuals(*view(V), model.fit);
  const std::vector<double> same = sample_residuals(*view(sparse), model.fit);
  for (Index n = 0; n < 40; ++n) {
    double kl = 0;
    const Eigen::VectorXd x = model.fit.W * model.fit.H.col(n);
    for (Index f = 0; f < 12; ++f)
      kl += (V(f, n) > 0 ? V(f, n) * std::log(V(f, n) / x(f)) : 0) - V(f, n) + x(f);
    const double expected = V.col(n).sum() > 0 ? kl / V.col(n).sum() : 0;
    EXPECT_NEAR(residuals[static_cast<std::size_t>(n)], expected, 1e-9);
    EXPECT_NEAR(same[static_cast<std::size_t>(n)], expected, 1e-9);
  }
}

TEST(SampleResiduals, RefuseAnotherMatrix) {
  const Matrix<double> V = small_data(12, 20), other = small_data(12, 21);
  const io::Model<double> model = small_model(V, "mu", 2);
  EXPECT_THROW(sample_residuals(*view(other), model.fit), InvalidInput);
}

TEST(Components, CountEntriesAtTheFloorAsZeros) {
  FitResult<double> fit;
  fit.W.resize(2, 1);
  fit.W << 1, 0x1p-52;
  fit.H.resize(1, 4);
  fit.H << 1e3, 0, 0x1p-52, 1e-3;
  fit.rank = 1;
  const Components components = components_of(fit);
  EXPECT_DOUBLE_EQ(components.list[0].zeros_w, 0.5);
  EXPECT_DOUBLE_EQ(components.list[0].zeros_h, 0.5);
}

TEST(Components, HaveSharesAndSparsities) {
  FitResult<double> fit;
  fit.W.resize(4, 2);
  fit.W << 1, 2, 0, 2, 0, 2, 0, 2;
  fit.H.resize(2, 3);
  fit.H << 8, 0, 0, 1, 1, 0;
  fit.rank = 2;
  const Components components = components_of(fit);
  ASSERT_EQ(components.list.size(), 2u);
  EXPECT_EQ(components.list[0].number, 1);  // 8 x 2 against 1 x 8
  EXPECT_DOUBLE_EQ(components.list[0].share, 16.0 / 24);
  EXPECT_DOUBLE_EQ(components.list[0].sparsity_w, 0);
  EXPECT_DOUBLE_EQ(components.list[1].sparsity_w, 1);
  EXPECT_DOUBLE_EQ(components.list[1].zeros_w, 0.75);
  EXPECT_THAT(components.dominant, testing::ElementsAre(0, 0, -1));
  EXPECT_EQ(components.list[0].dominated, 2);
  EXPECT_THAT(by_dominant(fit, components), testing::ElementsAre(1, 0, 2));
  const std::vector<double> cosines = similarities(fit, components, 2);
  EXPECT_NEAR(cosines[1], 0.5, 1e-12);
  EXPECT_NEAR(cosines[0], 1, 1e-12);
}

TEST(ComponentBlock, FitsTheFeatures) {
  const Matrix<double> V = small_data(6, 20);
  const io::Model<double> model = small_model(V, "mu", 2);
  const std::vector<std::string> words = {"a", "b", "c", "d", "e", "f"};
  const std::vector<std::string> numbers = {"1", "2.5", "3", "10", "11", "12"};
  const std::vector<std::string> unordered = {"3", "2.5", "3", "10", "11", "12"};
  EXPECT_TRUE(std::holds_alternative<Spectra>(component_block(model.fit, {}, {})));
  EXPECT_TRUE(std::holds_alternative<BarCharts>(component_block(model.fit, words, {})));
  EXPECT_TRUE(std::holds_alternative<Spectra>(component_block(model.fit, numbers, {})));
  EXPECT_TRUE(std::holds_alternative<BarCharts>(component_block(model.fit, unordered, {})));
  EXPECT_TRUE(std::holds_alternative<report::Pictures>(component_block(model.fit, words, ImageShape{2, 3})));
  EXPECT_THROW(component_block(model.fit, words, ImageShape{2, 4}), InvalidInput);
}

TEST(HighestPeaks, AreHigherThanTheirNeighbors) {
  FitResult<double> fit;
  fit.W.resize(9, 1);
  fit.W << 3, 1, 4, 9, 8, 7, 2, 2, 0;
  EXPECT_EQ(highest_peaks(fit, 0, 5), (std::vector<Index>{3, 0}));
  EXPECT_EQ(highest_peaks(fit, 0, 1), (std::vector<Index>{3}));
  EXPECT_EQ(strongest_features(fit, 0, 3), (std::vector<Index>{3, 4, 5}));
  fit.W.setZero();
  EXPECT_TRUE(highest_peaks(fit, 0, 5).empty());
}

TEST(ModelPage, MakesFaintRemaindersVisible) {
  const Matrix<double> W = Matrix<double>::Random(6, 2).cwiseAbs();
  const Matrix<double> H = Matrix<double>::Random(2, 10).cwiseAbs();
  const Matrix<double> V = W * H;
  const auto source = view(V);
  const auto page = [&](double share) {
    io::Model<double> model = small_model(V, "mu", 2, 1);
    model.fit.W = share * W;
    model.fit.H = H;
    return html(model_page<double>(model, {.image = ImageShape{2, 3}, .V = source.get()}));
  };
  EXPECT_THAT(page(0.999), HasSubstr("100 × what is left"));
  EXPECT_THAT(page(0.5), AllOf(HasSubstr("2 × what is left"), Not(HasSubstr("5 × what is left"))));
  EXPECT_THAT(page(0.1), AllOf(HasSubstr("what is left"), Not(HasSubstr("× what is left"))));
}

TEST(ParseImageShape, TakesRowsAndColumns) {
  EXPECT_EQ(parse_image_shape("19x24").rows, 19);
  EXPECT_EQ(parse_image_shape("19x24").columns, 24);
  for (const char* text : {"", "19", "x", "19x", "x19", "0x5", "-1x5", "19x19x3", "19X19", " 19x19", "1e3x2",
                           "99999999999999999999x1"})
    EXPECT_THROW(parse_image_shape(text), InvalidInput) << text;
}

TEST(ModelPage, HasResidualsOnlyWithTheData) {
  const Matrix<double> V = small_data(6, 30);
  const io::Model<double> model = small_model(V, "svrmu", 2);
  const std::string without = html(model_page(model));
  EXPECT_THAT(without, HasSubstr("they need the data"));
  EXPECT_THAT(without, Not(HasSubstr("fitted worst")));
  const auto source = view(V);
  const std::string with = html(model_page<double>(model, {.image = ImageShape{2, 3}, .V = source.get()}));
  EXPECT_THAT(with, HasSubstr("fitted worst"));
  EXPECT_THAT(with, Not(HasSubstr("they need the data")));
  EXPECT_THAT(with, HasSubstr("data:image/png;base64,"));
}

TEST(ModelPage, OfAStreamShowsWAndSaysWhatItCannotShow) {
  const Matrix<double> V = small_data(6, 300);
  for (const Loss loss : {Loss{}, Loss::kullback_leibler()}) {
    io::Model<double> model = small_model(V, "mu", 2);
    model.fit = fit_stream(*view(V), solver_named("smu"), StreamStart<double>{.rank = 2, .loss = loss},
                           {.threads = 1});
    const std::string page = html(model_page<double>(model, {.image = ImageShape{2, 3}}));
    EXPECT_THAT(page, AllOf(HasSubstr("learned from a stream"), HasSubstr("all samples were read"),
                            HasSubstr("component 2"), HasSubstr("sparsity of W"), HasSubstr("columns so far"),
                            HasSubstr("H was not kept")));
    EXPECT_THAT(page, AllOf(Not(HasSubstr("sparsity of H")), Not(HasSubstr("Activations")),
                            Not(HasSubstr("dominates")), Not(HasSubstr("nan %"))));
    EXPECT_TRUE(cautions(model).empty());
    const auto source = view(V);
    EXPECT_THROW(model_page<double>(model, {.V = source.get()}), InvalidInput);
    EXPECT_THROW(sample_residuals(*source, model.fit), InvalidInput);
  }
}

TEST(ModelPage, TellsOfOutliers) {
  Matrix<double> V = small_data(20, 60);
  V(3, 5) += 50;
  const io::Model<double> closed = small_model(V, "r-svrmu", 2);
  EXPECT_THAT(html(model_page(closed)), HasSubstr("outliers found"));
  io::Model<double> dense = closed;
  dense.fit.R = Matrix<double>::Constant(20, 60, 1e-4);
  dense.fit.R(3, 5) = 40;
  dense.fit.R_sparse = {};
  EXPECT_THAT(html(model_page(dense)), HasSubstr("above 1 % of the largest"));
}

TEST(ModelPage, OfADivergenceSpeaksOfNothingElse) {
  const Matrix<double> V = small_data(12, 40);
  const io::Model<double> model = small_model(V, "mu", 2, 20, Loss::kullback_leibler());
  const std::string page = html(model_page<double>(model, {.V = view(V).get()}));
  EXPECT_THAT(page, AllOf(HasSubstr("kl divergence"), HasSubstr("row sums x column sums / total"),
                          HasSubstr("Objective after each evaluation"), Not(HasSubstr("elative error")),
                          Not(HasSubstr("||V"))));
  EXPECT_THAT(html(model_page<double>(small_model(V, "mu", 2))), HasSubstr("Relative error"));
}

TEST(Cautions, AreNotForAGoodFit) {
  EXPECT_THAT(cautions(small_model(small_data(12, 40), "mu", 2)), testing::IsEmpty());
}

TEST(Cautions, NameComponentsOfZerosAndWhatToDo) {
  io::Model<double> model = small_model(small_data(12, 40), "hals", 3);
  model.fit.W.col(0).setZero();
  model.fit.H.row(2).setZero();
  EXPECT_THAT(cautions(model), testing::ElementsAre("components 1, 3 of 3 are zero everywhere: ask for fewer "
                                                    "components, -k 1"));
  model.fit.penalties.l1_w = 5;
  model.fit.W.setZero();
  EXPECT_THAT(cautions(model), testing::ElementsAre("WH is zero everywhere and says nothing about V: lower "
                                                    "--l1-w (5)"));
  EXPECT_THAT(html(model_page(model)), HasSubstr("Note: WH is zero everywhere"));
}

TEST(Cautions, TellOfAFitThatExplainsNothing) {
  io::Model<double> model = small_model(small_data(12, 40), "mu", 2, 20, Loss::kullback_leibler());
  model.fit.null_cost = model.fit.record().cost;
  ASSERT_EQ(cautions(model).size(), 1u);
  EXPECT_THAT(cautions(model)[0], AllOf(HasSubstr("explains nothing"), HasSubstr("raise --epochs")));
}

TEST(Cautions, TellOfARunThatDiverged) {
  io::Model<double> model = small_model(small_data(12, 40), "mu", 2);
  EpochRecord& at = model.fit.history[model.fit.returned];
  at.cost = 1e99 * model.fit.null_cost;
  at.objective = 1e99 * model.fit.history.front().objective;
  ASSERT_EQ(cautions(model).size(), 1u);
  EXPECT_THAT(cautions(model)[0], AllOf(HasSubstr("the run diverged"), HasSubstr("--safeguard")));
  EXPECT_THAT(html(model_page(model)), AllOf(HasSubstr("nothing"), Not(HasSubstr("e+101"))));
}

TEST(Cautions, TellOfARunWithoutAnEpoch) {
  const io::Model<double> model = small_model(small_data(12, 40), "mu", 2, 0);
  ASSERT_EQ(cautions(model).size(), 1u);
  EXPECT_THAT(cautions(model)[0], AllOf(HasSubstr("no epoch was finished"), HasSubstr("raise --epochs")));
}

TEST(StopText, OfAnExactFitSaysThatItIsExact) {
  const Matrix<double> V = Eigen::VectorXd::LinSpaced(8, 1, 8) * Eigen::RowVectorXd::LinSpaced(10, 1, 10);
  const io::Model<double> model = small_model(V, "hals", 1, 500);
  EXPECT_EQ(stop_text(model.fit, model.stopping), "converged: WH equals V up to rounding");
}

TEST(ModelPage, StandsModelsWithNothingInThem) {
  io::Model<float> model = small_model<float>(Matrix<float>::Constant(1, 1, 2.0f), "mu", 1, 1);
  EXPECT_THAT(html(model_page(model)), HasSubstr("Summary"));
  model.fit.W.setZero();
  model.fit.H.setZero();
  model.fit.history[0].objective = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(html(model_page(model)), HasSubstr("Summary"));
}

TEST(ModelPage, LargeModelsStayBelowFiveMegabytes) {
  io::Model<float> model = small_model<float>(Matrix<float>::Constant(2, 2, 1.0f), "mu", 1, 1);
  model.fit.rank = 400;
  model.fit.W = RowMatrix<float>::Random(10'000, 400).cwiseAbs();
  model.fit.H = Matrix<float>::Random(400, 20'000).cwiseAbs();
  model.data.features = 10'000;
  model.data.samples = 20'000;
  model.fit.history.resize(50'000, model.fit.history.back());
  for (std::size_t i = 0; i < model.fit.history.size(); ++i) model.fit.history[i].epoch = Index(i);
  const std::string pictures = html(model_page<float>(model, {.image = ImageShape{100, 100}}));
  EXPECT_LT(pictures.size(), 5'000'000u);
  EXPECT_THAT(pictures, HasSubstr("Shown are 100 of 400 components."));
  EXPECT_THAT(pictures, HasSubstr("Shown are 1000 of 20,000 samples."));
  EXPECT_LT(html(model_page(model)).size(), 5'000'000u);
}

}  // namespace
}  // namespace svrmu::report
