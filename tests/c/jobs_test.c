/* Jobs: progress, stop, wait, free, and readers. */
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is seen while a job runs is the history of its model. */
void shows_the_records_of_a_running_job(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_options* options = OPTIONS("rank", "3", "epochs", "30", "tol", "0", "algorithm", "mu");
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_fit(V, options, &job));
  svrmu_record seen[64];
  int64_t total = 0;
  svrmu_code code;
  do {
    int64_t count = 0;
    code = svrmu_job_wait(job, 1e-4);
    CHECK_OK(svrmu_job_progress(job, total, seen + total, sizeof seen[0], 64 - total, &count));
    total += count;
  } while (code == SVRMU_RUNNING);
  CHECK(code == SVRMU_OK && total == 31);
  svrmu_model* model = NULL;
  CHECK_OK(svrmu_job_take_model(job, &model));
  svrmu_record history[64];
  int64_t count = 0;
  CHECK_OK(svrmu_model_get_history(model, 0, history, sizeof history[0], 64, &count));
  CHECK(count == 31);
  for (int64_t i = 0; i < count; ++i) {
    CHECK(seen[i].epoch == i && history[i].epoch == i && seen[i].run == 0);
    CHECK(seen[i].objective == history[i].objective && seen[i].columns_read == history[i].columns_read);
    if (i > 0) CHECK(seen[i].objective <= seen[i - 1].objective);
  }
  CHECK(isnan(seen[0].relative_change) && isnan(seen[0].kkt));
  CHECK_OK(svrmu_model_get_history(model, 29, history, sizeof history[0], 64, &count));
  CHECK(count == 2 && history[1].epoch == 30);
  CHECK_OK(svrmu_model_get_history(model, 99, history, sizeof history[0], 64, &count));
  CHECK(count == 0);
  CHECK_REFUSED(svrmu_model_get_history(model, -1, history, sizeof history[0], 64, &count),
                SVRMU_INVALID_INPUT, "first is -1");
  CHECK_REFUSED(svrmu_job_progress(job, 0, seen, 0, 1, &count), SVRMU_INVALID_INPUT, "record_size is 0");
  svrmu_model_free(model);
  svrmu_job_free(job);
  svrmu_options_free(options);
  svrmu_matrix_free(V);
}

void tells_which_of_the_restarts_a_record_belongs_to(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_options* options =
      OPTIONS("rank", "3", "epochs", "4", "tol", "0", "algorithm", "mu", "restarts", "3", "seed", "10");
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_fit(V, options, &job));
  CHECK_OK(svrmu_job_wait(job, -1));
  svrmu_record seen[32];
  int64_t count = 0;
  CHECK_OK(svrmu_job_progress(job, 0, seen, sizeof seen[0], 32, &count));
  CHECK(count == 15);
  for (int64_t i = 0; i < count; ++i) CHECK(seen[i].run == i / 5 && seen[i].epoch == i % 5);
  svrmu_model* model = NULL;
  CHECK_OK(svrmu_job_take_model(job, &model));
  const svrmu_model_facts facts = facts_of(model);
  svrmu_record kept;
  CHECK_OK(svrmu_model_get_history(model, facts.returned, &kept, sizeof kept, 1, &count));
  CHECK(kept.run == (int64_t)facts.seed - 10);
  CHECK(kept.objective == seen[kept.run * 5 + 4].objective);
  svrmu_model_free(model);
  svrmu_job_free(job);
  svrmu_options_free(options);
  svrmu_matrix_free(V);
}

void stops_with_the_result_so_far(void) {
  svrmu_matrix* V = large_matrix();
  svrmu_job* job = endless_job(V);
  svrmu_model* model = NULL;
  CHECK_REFUSED(svrmu_job_take_model(job, &model), SVRMU_RUNNING, "has not ended");
  CHECK(model == NULL);
  svrmu_job_stop(job);
  CHECK_OK(svrmu_job_wait(job, -1));
  CHECK_OK(svrmu_job_wait(job, 0));
  CHECK_OK(svrmu_job_take_model(job, &model));
  check_text(model, "stop_reason", "cancelled");
  CHECK(facts_of(model).can_resume == 1);
  svrmu_model* again = NULL;
  CHECK_REFUSED(svrmu_job_take_model(job, &again), SVRMU_INVALID_INPUT, "was taken already");
  svrmu_transformed H;
  CHECK_REFUSED(svrmu_job_get_transformed(job, &H, sizeof H), SVRMU_INVALID_INPUT,
                "was not started to make an H");
  CHECK_REFUSED(svrmu_job_wait(job, NAN), SVRMU_INVALID_INPUT, "seconds is not a number");
  svrmu_job_free(job);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

/* And with its matrix and options gone before: both are the library's until then. */
void frees_jobs_that_run(void) {
  svrmu_matrix* V = large_matrix();
  svrmu_job* jobs[3];
  for (int i = 0; i < 3; ++i) jobs[i] = endless_job(V);
  svrmu_matrix_free(V);
  for (int i = 0; i < 3; ++i) svrmu_job_free(jobs[i]);
}

void gives_a_cancelled_transform_no_result(void) {
  svrmu_matrix *few = small_matrix(), *many = large_matrix();
  svrmu_model* model = fitted(few, OPTIONS("rank", "5", "epochs", "5"));
  svrmu_options* options = OPTIONS("tolerance", "0", "max_sweeps", "1000000000", "threads", "1");
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_transform(many, model, options, &job));
  svrmu_job_stop(job);
  CHECK_REFUSED(svrmu_job_wait(job, -1), SVRMU_CANCELLED, "");
  svrmu_transformed to;
  CHECK_REFUSED(svrmu_job_get_transformed(job, &to, sizeof to), SVRMU_CANCELLED, "");
  svrmu_job_free(job);
  svrmu_options_free(options);
  svrmu_model_free(model);
  svrmu_matrix_free(few);
  svrmu_matrix_free(many);
}

/* V where `numbers` are, until so many calls were made. */
struct reader {
  const double* numbers;
  int calls_left;
};

static int read_columns(void* context, int64_t first, int64_t count, void* to) {
  struct reader* reader = context;
  if (reader->calls_left-- == 0) return 5;
  CHECK(first >= 0 && count >= 1 && first + count <= samples);
  memcpy(to, reader->numbers + first * features, (size_t)(count * features) * sizeof(double));
  return 0;
}

static svrmu_matrix* matrix_by(struct reader* reader) {
  const svrmu_reader V = {SVRMU_FLOAT64, features, samples, read_columns, reader};
  svrmu_matrix* matrix = NULL;
  CHECK_OK(svrmu_matrix_reader(&V, &matrix));
  return matrix;
}

void reads_columns_by_a_function_with_the_same_bits(void) {
  double* numbers = random_numbers(features * samples, 1); /* those of small_matrix() */
  const char* algorithms[] = {"auto", "svrmu-acc", "inc-hals"};
  for (int i = 0; i < 3; ++i) {
    struct reader reader = {numbers, -1};
    svrmu_matrix *V = matrix_by(&reader), *W = small_matrix();
    svrmu_model* by_function = fitted(V, OPTIONS("rank", "4", "epochs", "6", "algorithm", algorithms[i]));
    svrmu_model* by_memory = fitted(W, OPTIONS("rank", "4", "epochs", "6", "algorithm", algorithms[i]));
    CHECK(reader.calls_left < -1);
    check_same(by_function, by_memory);
    svrmu_model_free(by_function);
    svrmu_model_free(by_memory);
    svrmu_matrix_free(V);
    svrmu_matrix_free(W);
  }
  free(numbers);
}

void ends_a_job_when_its_reader_fails(void) {
  double* numbers = random_numbers(features * samples, 1);
  for (int calls = 0; calls < 3; ++calls) {
    struct reader reader = {numbers, calls};
    svrmu_matrix* V = matrix_by(&reader);
    svrmu_options* options = OPTIONS("rank", "4", "algorithm", "mu");
    svrmu_job* job = NULL;
    CHECK_OK(svrmu_start_fit(V, options, &job));
    CHECK_REFUSED(svrmu_job_wait(job, -1), SVRMU_IO_ERROR, "the reader of V failed with 5 on columns 0 to ");
    svrmu_job_free(job);
    svrmu_options_free(options);
    svrmu_matrix_free(V);
  }
  const svrmu_reader nobody = {SVRMU_FLOAT64, features, samples, NULL, NULL};
  const svrmu_reader nothing = {SVRMU_FLOAT64, features, 0, read_columns, NULL};
  svrmu_matrix* V = NULL;
  CHECK_REFUSED(svrmu_matrix_reader(&nobody, &V), SVRMU_INVALID_INPUT, "read is NULL");
  CHECK_REFUSED(svrmu_matrix_reader(&nothing, &V), SVRMU_INVALID_INPUT, "V is 30 x 0");
  free(numbers);
}
