/* What jobs find: fits, going on, streams, transforms, plans. */
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fits_a_matrix(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "epochs", "50", "seed", "3"));
  const svrmu_model_facts facts = facts_of(model);
  CHECK(facts.features == features && facts.rank == 4 && facts.samples == samples);
  CHECK(facts.type == SVRMU_FLOAT64 && facts.has_outliers == 0 && facts.can_resume == 1);
  CHECK(facts.seed == 3 && facts.records >= 2 && facts.returned < facts.records && facts.columns_seen == 0);
  CHECK(facts.null_cost > 0 && facts.explained > 0.5 && facts.explained < 1);
  const svrmu_dense W = dense_of(model, "W"), H = dense_of(model, "H");
  CHECK(W.rows == features && W.columns == 4 && W.row_stride == 32 && W.column_stride == 8);
  CHECK(H.rows == 4 && H.columns == samples && H.row_stride == 8 && H.column_stride == 32);
  const svrmu_dense norms = dense_of(model, "column_norms"), R = dense_of(model, "R");
  CHECK(norms.rows == 1 && norms.columns == 0 && R.rows == 0 && R.columns == 0);
  svrmu_sparse outliers;
  CHECK_OK(svrmu_model_get_sparse(model, "R", &outliers));
  CHECK(outliers.rows == 0 && outliers.columns == 0 && outliers.stored == 0);
  svrmu_dense to;
  CHECK_REFUSED(svrmu_model_get_dense(model, "w", &to), SVRMU_INVALID_INPUT, "no matrix 'w'");
  CHECK_REFUSED(svrmu_model_get_sparse(model, "W", &outliers), SVRMU_INVALID_INPUT, "there is R");
  check_text(model, "loss", "frobenius");
  check_text(model, "version", svrmu_version());
  svrmu_texts choice;
  CHECK_OK(svrmu_model_get_texts(model, "choice", &choice));
  CHECK(choice.count == 1 && choice.ends[0] > 0);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

void fits_in_single_precision(void) {
  float* numbers = random_floats(features * samples, 1);
  const svrmu_dense dense = {numbers, SVRMU_FLOAT32, features, samples, 4, 4 * features};
  svrmu_matrix *V = NULL, *other = small_matrix();
  CHECK_OK(svrmu_matrix_dense(&dense, &V));
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "epochs", "5", "normalize", "true"));
  CHECK(facts_of(model).type == SVRMU_FLOAT32);
  const svrmu_dense W = dense_of(model, "W"), norms = dense_of(model, "column_norms");
  CHECK(W.type == SVRMU_FLOAT32 && W.row_stride == 16);
  CHECK(norms.type == SVRMU_FLOAT64 && norms.columns == 4 && ((const double*)norms.data)[0] > 0);
  svrmu_job* job = NULL;
  CHECK_REFUSED(svrmu_start_transform(other, model, NULL, &job), SVRMU_INVALID_INPUT,
                "V is float64, but the model is float32");
  svrmu_model_free(model);
  svrmu_matrix_free(V);
  svrmu_matrix_free(other);
  free(numbers);
}

void resumes_with_the_bits_of_a_run_that_never_stopped(void) {
  const char* algorithms[] = {"mu", "svrmu-acc", "inc-hals"};
  for (int i = 0; i < 3; ++i) {
    svrmu_matrix* V = small_matrix();
    svrmu_model* whole =
        fitted(V, OPTIONS("rank", "4", "algorithm", algorithms[i], "epochs", "20", "tol", "0"));
    svrmu_model* half =
        fitted(V, OPTIONS("rank", "4", "algorithm", algorithms[i], "epochs", "8", "tol", "0"));
    svrmu_model* rest = resumed(V, half, OPTIONS("epochs", "20", "threads", "1"));
    check_same(whole, rest);
    CHECK(facts_of(rest).records == facts_of(whole).records);
    check_text(rest, "algorithm", algorithms[i]);
    svrmu_model_free(whole);
    svrmu_model_free(half);
    svrmu_model_free(rest);
    svrmu_matrix_free(V);
  }
}

void refuses_what_a_fit_that_goes_on_has_decided(void) {
  svrmu_matrix *V = small_matrix(), *other = large_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "epochs", "3"));
  svrmu_options* options = OPTIONS("rank", "5");
  svrmu_job* job = NULL;
  CHECK_REFUSED(svrmu_start_resume(V, model, options, &job), SVRMU_INVALID_INPUT,
                "rank does not go with going on with a fit");
  CHECK_REFUSED(svrmu_start_resume(V, NULL, NULL, &job), SVRMU_INVALID_INPUT, "model is NULL");
  CHECK_OK(svrmu_start_resume(other, model, NULL, &job));
  CHECK_REFUSED(svrmu_job_wait(job, -1), SVRMU_INVALID_INPUT, "30 x 20000");
  svrmu_job_free(job);
  svrmu_options_free(options);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
  svrmu_matrix_free(other);
}

/* In two parts the same bits as in one, where batches end alike. */
void learns_from_a_stream_and_goes_on_with_it(void) {
  double* numbers = random_numbers(features * samples, 1);
  const svrmu_dense all = by_columns(numbers, features, samples);
  const svrmu_dense first = by_columns(numbers, features, samples / 2);
  const svrmu_dense second = by_columns(numbers + features * samples / 2, features, samples / 2);
  svrmu_matrix *V = NULL, *V1 = NULL, *V2 = NULL;
  CHECK_OK(svrmu_matrix_dense(&all, &V));
  CHECK_OK(svrmu_matrix_dense(&first, &V1));
  CHECK_OK(svrmu_matrix_dense(&second, &V2));
  svrmu_model* whole = streamed(V, OPTIONS("rank", "3", "algorithm", "inc-hals", "batch_size", "10"));
  svrmu_model* half = streamed(V1, OPTIONS("rank", "3", "algorithm", "inc-hals", "batch_size", "10"));
  svrmu_model* both = updated(V2, half, NULL);
  check_same(whole, both);
  const svrmu_model_facts facts = facts_of(both);
  CHECK(facts.samples == 0 && facts.columns_seen == samples && facts.can_resume == 0);
  check_text(both, "stop_reason", "end_of_stream");
  svrmu_job* job = NULL;
  CHECK_REFUSED(svrmu_start_resume(V, both, NULL, &job), SVRMU_INVALID_INPUT, "svrmu_start_update()");
  svrmu_model* forgetful = updated(V2, half, OPTIONS("forget_factor", "0.5"));
  CHECK(memcmp(dense_of(forgetful, "W").data, dense_of(both, "W").data, sizeof(double) * 3 * features) != 0);
  svrmu_model_free(forgetful);
  svrmu_model_free(whole);
  svrmu_model_free(half);
  svrmu_model_free(both);
  svrmu_matrix_free(V);
  svrmu_matrix_free(V1);
  svrmu_matrix_free(V2);
  free(numbers);
}

void refuses_what_a_stream_cannot_have(void) {
  svrmu_matrix* V = small_matrix();
  const char* names[][3] = {
      {"restarts", "2", "each column is seen once"}, {"epochs", "9", "each column is seen once"},
      {"tol", "0", "each column is seen once"},      {"normalize", "true", "H is not kept"},
      {"preset", "paper", "again and again"},        {"max_sweeps", "9", "option of transform"}};
  for (int i = 0; i < 6; ++i) {
    svrmu_options* options = OPTIONS("rank", "3", names[i][0], names[i][1]);
    svrmu_job* job = NULL;
    CHECK_REFUSED(svrmu_start_stream(V, options, &job), SVRMU_INVALID_INPUT, names[i][2]);
    CHECK_REFUSED(svrmu_start_stream(V, options, &job), SVRMU_INVALID_INPUT, names[i][0]);
    svrmu_options_free(options);
  }
  svrmu_matrix_free(V);
}

/* H of the samples that a model was made from is about its H; a fixed W needs no model. */
void transforms_by_a_model_and_by_a_matrix(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "epochs", "300", "tol", "1e-9"));
  const svrmu_dense W = dense_of(model, "W"), H = dense_of(model, "H");
  svrmu_job *by_model = NULL, *by_matrix = NULL;
  CHECK_OK(svrmu_start_transform(V, model, NULL, &by_model));
  CHECK_OK(svrmu_start_transform_by(V, &W, NULL, &by_matrix));
  svrmu_transformed a, b;
  CHECK_OK(svrmu_job_wait(by_model, -1));
  CHECK_OK(svrmu_job_wait(by_matrix, -1));
  CHECK_OK(svrmu_job_get_transformed(by_model, &a, sizeof a));
  CHECK_OK(svrmu_job_get_transformed(by_matrix, &b, sizeof b));
  CHECK(a.H.rows == 4 && a.H.columns == samples && a.H.column_stride == 32 && a.unfinished == 0);
  CHECK(a.outliers.rows == 0 && b.outliers.rows == 0);
  const double *x = a.H.data, *y = b.H.data, *z = H.data;
  for (int i = 0; i < 4 * samples; ++i) CHECK(fabs(x[i] - y[i]) < 1e-6 && fabs(x[i] - z[i]) < 1e-2);
  svrmu_job_free(by_model);
  svrmu_job_free(by_matrix);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

void transforms_by_a_matrix_with_loss_and_penalties(void) {
  svrmu_matrix* V = small_matrix();
  double* numbers = random_numbers(features * 3, 8);
  const svrmu_dense W = by_columns(numbers, features, 3);
  svrmu_options* options = OPTIONS("loss", "kl", "l1_h", "3");
  svrmu_job* job = NULL;
  double sums[2];
  for (int penalty = 0; penalty < 2; ++penalty) {
    CHECK_OK(svrmu_options_set(options, "l1_h", penalty ? "3" : "0"));
    CHECK_OK(svrmu_start_transform_by(V, &W, options, &job));
    CHECK_OK(svrmu_job_wait(job, -1));
    svrmu_transformed to;
    CHECK_OK(svrmu_job_get_transformed(job, &to, sizeof to));
    sums[penalty] = 0;
    for (int i = 0; i < 3 * samples; ++i) sums[penalty] += ((const double*)to.H.data)[i];
    svrmu_job_free(job);
  }
  CHECK(sums[1] < sums[0]);
  svrmu_options_free(options);
  options = OPTIONS("l1_w", "3");
  CHECK_REFUSED(svrmu_start_transform_by(V, &W, options, &job), SVRMU_INVALID_INPUT,
                "l1_w does not go with a transform by W: W is given");
  svrmu_options_free(options);
  CHECK_REFUSED(svrmu_start_transform_by(V, NULL, NULL, &job), SVRMU_INVALID_INPUT, "W is NULL");
  free(numbers);
  svrmu_matrix_free(V);
}

void starts_from_factors_of_the_callers(void) {
  svrmu_matrix* V = small_matrix();
  double *w = random_numbers(features * 4, 5), *h = random_numbers(4 * samples, 6);
  const svrmu_dense W = by_columns(w, features, 4), H = by_columns(h, 4, samples);
  svrmu_options* options =
      OPTIONS("rank", "4", "algorithm", "hals", "initial_scaling", "false", "epochs", "0");
  CHECK_OK(svrmu_options_set_dense(options, "init_w", &W));
  CHECK_OK(svrmu_options_set_dense(options, "init_h", &H));
  svrmu_model* model = fitted(V, options);
  const svrmu_dense got = dense_of(model, "H");
  CHECK(memcmp(got.data, h, sizeof(double) * 4 * samples) == 0);
  const double* rows = dense_of(model, "W").data;
  for (int i = 0; i < features; ++i)
    for (int k = 0; k < 4; ++k) CHECK(rows[i * 4 + k] == w[k * features + i]);
  svrmu_model_free(model);
  options = OPTIONS("rank", "5");
  CHECK_OK(svrmu_options_set_dense(options, "init_w", &W));
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_fit(V, options, &job));
  CHECK_REFUSED(svrmu_job_wait(job, -1), SVRMU_INVALID_INPUT, "30 x 4");
  svrmu_job_free(job);
  svrmu_options_free(options);
  free(w);
  free(h);
  svrmu_matrix_free(V);
}

void finds_outliers(void) {
  double* numbers = random_numbers(features * samples, 1);
  numbers[7] = 50;
  const svrmu_dense dense = by_columns(numbers, features, samples);
  svrmu_matrix* V = NULL;
  CHECK_OK(svrmu_matrix_dense(&dense, &V));
  /* What is said of outliers asks for an algorithm that has them. */
  svrmu_model* model = fitted(V, OPTIONS("rank", "3", "epochs", "20", "outlier_penalty", "2"));
  CHECK(facts_of(model).has_outliers == 1);
  svrmu_sparse R;
  CHECK_OK(svrmu_model_get_sparse(model, "R", &R));
  CHECK(R.rows == features && R.columns == samples && R.layout == SVRMU_BY_COLUMNS && R.offset_bytes == 8);
  const int64_t *offsets = R.offsets, *indices = R.indices;
  CHECK(offsets[0] == 0 && offsets[1] == 1 && indices[0] == 7 && ((const double*)R.values)[0] > 40);
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_transform(V, model, NULL, &job));
  CHECK_OK(svrmu_job_wait(job, -1));
  svrmu_transformed to;
  CHECK_OK(svrmu_job_get_transformed(job, &to, sizeof to));
  CHECK(to.outliers.rows == features && to.outliers.columns == samples && to.outliers.stored >= 1);
  svrmu_job_free(job);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
  free(numbers);
}

void plans_a_fit(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_options* options = OPTIONS("rank", "4", "algorithm", "svrmu-acc");
  svrmu_job* job = NULL;
  svrmu_plan plan;
  CHECK_OK(svrmu_start_plan(V, options, &job));
  CHECK_OK(svrmu_job_wait(job, -1));
  CHECK_OK(svrmu_job_get_plan(job, &plan, sizeof plan));
  CHECK(strcmp(plan.algorithm, "svrmu-acc") == 0 && strcmp(plan.reason, "") == 0);
  CHECK(strlen(plan.start) > 0 && plan.bytes > 0 && plan.nonzeros == features * samples);
  CHECK(plan.least > 0 && plan.most < 1 && plan.empty_samples == 0 && plan.options.count > 5);
  svrmu_job_free(job);
  svrmu_options_free(options);
  options = OPTIONS("rank", "4");
  CHECK_OK(svrmu_start_plan(V, options, &job));
  CHECK_OK(svrmu_job_wait(job, -1));
  CHECK_OK(svrmu_job_get_plan(job, &plan, sizeof plan));
  CHECK(strlen(plan.algorithm) > 0 && strlen(plan.reason) > 0);
  svrmu_model* model = NULL;
  CHECK_REFUSED(svrmu_job_take_model(job, &model), SVRMU_INVALID_INPUT, "was not started to make a model");
  svrmu_job_free(job);
  svrmu_options_free(options);
  svrmu_matrix_free(V);
}
