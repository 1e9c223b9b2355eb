#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_that(int holds, const char* condition, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  fflush(stderr);
  _Exit(1);
}

void check_code(svrmu_code code, svrmu_code expected, const char* text, const char* call, const char* file,
                int line) {
  const char* message = code == SVRMU_OK ? "" : svrmu_message();
  if (code == expected && strstr(message, text) != NULL) return;
  fprintf(stderr, "%s:%d: %s\n  returned %d: %s\n  expected %d: %s\n", file, line, call, (int)code, message,
          (int)expected, text);
  fflush(stderr);
  _Exit(1);
}

static double next_number(uint64_t* state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(*state >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
}

double* random_numbers(int64_t count, unsigned seed) {
  uint64_t state = seed + 1;
  double* numbers = malloc((size_t)count * sizeof *numbers);
  CHECK(numbers != NULL);
  for (int64_t i = 0; i < count; ++i) numbers[i] = next_number(&state);
  return numbers;
}

float* random_floats(int64_t count, unsigned seed) {
  uint64_t state = seed + 1;
  float* numbers = malloc((size_t)count * sizeof *numbers);
  CHECK(numbers != NULL);
  for (int64_t i = 0; i < count; ++i) numbers[i] = (float)next_number(&state);
  return numbers;
}

svrmu_dense by_columns(const double* data, int64_t rows, int64_t columns) {
  const int64_t size = (int64_t)sizeof *data;
  svrmu_dense dense = {data, SVRMU_FLOAT64, rows, columns, size, rows * size};
  return dense;
}

double* kept_numbers[most_kept];

static const double* kept(int64_t count, unsigned seed) {
  static int used = 0;
  CHECK(used < most_kept);
  return kept_numbers[used++] = random_numbers(count, seed);
}

static svrmu_matrix* matrix_of(int64_t rows, int64_t columns, unsigned seed) {
  const svrmu_dense V = by_columns(kept(rows * columns, seed), rows, columns);
  svrmu_matrix* matrix = NULL;
  CHECK_OK(svrmu_matrix_dense(&V, &matrix));
  return matrix;
}

svrmu_matrix* small_matrix(void) { return matrix_of(features, samples, 1); }
svrmu_matrix* large_matrix(void) { return matrix_of(features, 20000, 2); }

svrmu_options* options_of(const char* const* pairs) {
  svrmu_options* options = NULL;
  CHECK_OK(svrmu_options_new(&options));
  for (; *pairs != NULL; pairs += 2) CHECK_OK(svrmu_options_set(options, pairs[0], pairs[1]));
  return options;
}

svrmu_model* taken(svrmu_job* job) {
  svrmu_model* model = NULL;
  CHECK_OK(svrmu_job_wait(job, -1));
  CHECK_OK(svrmu_job_take_model(job, &model));
  svrmu_job_free(job);
  return model;
}

svrmu_model* fitted(const svrmu_matrix* V, svrmu_options* options) {
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_fit(V, options, &job));
  svrmu_options_free(options);
  return taken(job);
}

svrmu_model* resumed(const svrmu_matrix* V, const svrmu_model* from, svrmu_options* options) {
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_resume(V, from, options, &job));
  svrmu_options_free(options);
  return taken(job);
}

svrmu_model* streamed(const svrmu_matrix* V, svrmu_options* options) {
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_stream(V, options, &job));
  svrmu_options_free(options);
  return taken(job);
}

svrmu_model* updated(const svrmu_matrix* V, const svrmu_model* from, svrmu_options* options) {
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_update(V, from, options, &job));
  svrmu_options_free(options);
  return taken(job);
}

svrmu_job* endless_job(const svrmu_matrix* V) {
  svrmu_options* options = OPTIONS("rank", "5", "algorithm", "mu", "epochs", "1000000000", "tol", "0");
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_fit(V, options, &job));
  svrmu_options_free(options);
  for (int64_t seen = 0; seen == 0;) {
    svrmu_record record;
    CHECK_REFUSED(svrmu_job_wait(job, 0.001), SVRMU_RUNNING, "has not ended");
    CHECK_OK(svrmu_job_progress(job, 0, &record, sizeof record, 1, &seen));
  }
  return job;
}

void check_text(const svrmu_model* model, const char* which, const char* expected) {
  svrmu_texts texts;
  CHECK_OK(svrmu_model_get_texts(model, which, &texts));
  CHECK(texts.count == 1);
  CHECK((size_t)texts.ends[0] == strlen(expected));
  CHECK(memcmp(texts.bytes, expected, strlen(expected)) == 0);
}

svrmu_model_facts facts_of(const svrmu_model* model) {
  svrmu_model_facts facts;
  CHECK_OK(svrmu_model_get_facts(model, &facts, sizeof facts));
  return facts;
}

svrmu_dense dense_of(const svrmu_model* model, const char* which) {
  svrmu_dense dense;
  CHECK_OK(svrmu_model_get_dense(model, which, &dense));
  return dense;
}

static void check_same_matrix(svrmu_dense a, svrmu_dense b) {
  CHECK(a.type == b.type && a.rows == b.rows && a.columns == b.columns);
  CHECK(a.row_stride == b.row_stride && a.column_stride == b.column_stride);
  const size_t size = a.type == SVRMU_FLOAT32 ? sizeof(float) : sizeof(double);
  const size_t bytes = size * (size_t)(a.rows * a.columns);
  CHECK(bytes == 0 || memcmp(a.data, b.data, bytes) == 0);
}

void check_same(const svrmu_model* a, const svrmu_model* b) {
  check_same_matrix(dense_of(a, "W"), dense_of(b, "W"));
  check_same_matrix(dense_of(a, "H"), dense_of(b, "H"));
}
