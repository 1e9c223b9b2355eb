/* Matrices in memory: what is taken as it lies, what is copied, what is refused. */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static void refused(svrmu_dense V, const char* text) {
  svrmu_matrix* matrix = (svrmu_matrix*)(void*)&V; /* must not stay what it was */
  CHECK_REFUSED(svrmu_matrix_dense(&V, &matrix), SVRMU_INVALID_INPUT, text);
  CHECK(matrix == NULL);
}

void refuses_strides_that_make_no_matrix(void) {
  double numbers[64] = {1};
  const svrmu_dense good = by_columns(numbers, 4, 5);
  svrmu_dense V = good;
  CHECK_REFUSED(svrmu_matrix_dense(NULL, NULL), SVRMU_INVALID_INPUT, "matrix is NULL");
  V.row_stride = 0;
  refused(V, "row_stride is 0, so that all rows would be one");
  V = good, V.column_stride = 0;
  refused(V, "column_stride is 0");
  V = good, V.row_stride = -8;
  refused(V, "row_stride is -8; strides below 0 are refused");
  V = good, V.column_stride = -32;
  refused(V, "column_stride is -32");
  V = good, V.column_stride = 36;
  refused(V, "column_stride is 36, which is no multiple of the size of its numbers, 8");
  V = good, V.row_stride = 16, V.column_stride = 64;
  refused(V, "neither row_stride (16) nor column_stride (64)");
  V = good, V.column_stride = 24;
  refused(V, "column_stride is 24, so that its columns overlap");
  V = good, V.column_stride = 8;
  refused(V, "columns overlap");
  V = good, V.row_stride = 32, V.column_stride = 8;
  refused(V, "row_stride is 32, so that its rows overlap");
  V = good, V.data = (const char*)numbers + 4;
  refused(V, "data is not at a multiple of 8 bytes");
  V = good, V.data = NULL;
  refused(V, "data is NULL");
  V = good, V.rows = 0;
  refused(V, "V is 0 x 5");
  V = good, V.columns = -1;
  refused(V, "V is 4 x -1");
  V = good, V.columns = INT64_MAX / 8;
  refused(V, "more than memory can hold");
  V = good, V.rows = INT64_MAX / 4, V.column_stride = INT64_MAX - 7;
  refused(V, "more than memory can hold");
  const int bad = 7;
  V = good;
  memcpy(&V.type, &bad, sizeof bad);
  refused(V, "type is 7; it must be SVRMU_FLOAT32 or SVRMU_FLOAT64");
}

static svrmu_matrix* dense(const void* data, int64_t rows, int64_t columns, int64_t row_stride,
                           int64_t column_stride) {
  const svrmu_dense V = {data, SVRMU_FLOAT64, rows, columns, row_stride, column_stride};
  svrmu_matrix* matrix = NULL;
  CHECK_OK(svrmu_matrix_dense(&V, &matrix));
  svrmu_matrix_facts facts;
  CHECK_OK(svrmu_matrix_get_facts(matrix, &facts, sizeof facts));
  CHECK(facts.features == rows && facts.samples == columns && facts.stored == rows * columns);
  CHECK(facts.type == SVRMU_FLOAT64 && facts.sparse == 0 && facts.copied_bytes == 0);
  return matrix;
}

/* The smallest and the largest value of V, and its mean, as a plan sees them: each entry counts. */
static svrmu_plan plan_of(const svrmu_matrix* V, svrmu_job** job) {
  svrmu_options* options = OPTIONS("rank", "1");
  svrmu_plan plan;
  CHECK_OK(svrmu_start_plan(V, options, job));
  svrmu_options_free(options);
  CHECK_OK(svrmu_job_wait(*job, -1));
  CHECK_OK(svrmu_job_get_plan(*job, &plan, sizeof plan));
  return plan;
}

static void check_range(svrmu_matrix* V, double least, double most, double mean) {
  svrmu_job* job = NULL;
  const svrmu_plan plan = plan_of(V, &job);
  CHECK(plan.least == least && plan.most == most);
  CHECK(plan.mean > mean * (1 - 1e-12) && plan.mean < mean * (1 + 1e-12));
  svrmu_job_free(job);
  svrmu_matrix_free(V);
}

/* 1 .. 12 with gaps that hold what must never be read. */
void views_single_rows_and_columns_and_gaps(void) {
  double rows[3][5], columns[4][4], apart[12][3];
  memset(rows, 0xff, sizeof rows);
  memset(columns, 0xff, sizeof columns);
  memset(apart, 0xff, sizeof apart);
  for (int i = 0; i < 12; ++i) {
    rows[i / 4][i % 4] = i + 1;
    columns[i / 3][i % 3] = i + 1;
    apart[i][0] = i + 1;
  }
  check_range(dense(rows, 3, 4, sizeof rows[0], sizeof(double)), 1, 12, 6.5);
  check_range(dense(columns, 3, 4, sizeof(double), sizeof columns[0]), 1, 12, 6.5);
  /* One row or column may lie apart, and the stride of a single one says nothing. */
  check_range(dense(apart, 1, 12, 0, sizeof apart[0]), 1, 12, 6.5);
  check_range(dense(apart, 12, 1, sizeof apart[0], -1), 1, 12, 6.5);
  check_range(dense(apart, 1, 1, 0, 0), 1, 1, 1);
}

void gives_the_same_bits_for_both_orders(void) {
  double* numbers = random_numbers(features * samples, 3);
  double* turned = malloc(sizeof(double) * features * samples);
  CHECK(turned != NULL);
  for (int i = 0; i < features; ++i)
    for (int j = 0; j < samples; ++j) turned[i * samples + j] = numbers[j * features + i];
  svrmu_matrix* a = dense(numbers, features, samples, sizeof(double), features * sizeof(double));
  svrmu_matrix* b = dense(turned, features, samples, samples * sizeof(double), sizeof(double));
  svrmu_model* by_a = fitted(a, OPTIONS("rank", "4", "epochs", "5"));
  svrmu_model* by_b = fitted(b, OPTIONS("rank", "4", "epochs", "5"));
  check_same(by_a, by_b);
  svrmu_model_free(by_a);
  svrmu_model_free(by_b);
  svrmu_matrix_free(a);
  svrmu_matrix_free(b);
  free(numbers);
  free(turned);
}

/* [1 0 4; 0 3 5], in every storage. */
static const int32_t narrow_offsets[] = {0, 1, 2, 4}, narrow_indices[] = {0, 1, 0, 1};
static const int64_t wide_offsets[] = {0, 1, 2, 4}, wide_indices[] = {0, 1, 0, 1};
static const double values[] = {1, 3, 4, 5};
static const int32_t row_offsets[] = {0, 2, 4}, row_indices[] = {0, 2, 1, 2};
static const int64_t wide_row_offsets[] = {0, 2, 4}, wide_row_indices[] = {0, 2, 1, 2};
static const double row_values[] = {1, 4, 3, 5};

static svrmu_sparse sparse(svrmu_layout layout, int wide_offset, int wide_index) {
  svrmu_sparse V = {2,    3,    4,   layout, SVRMU_FLOAT64, wide_offset ? 8 : 4, wide_index ? 8 : 4,
                    NULL, NULL, NULL};
  const int columns = layout == SVRMU_BY_COLUMNS;
  if (columns) {
    V.offsets = wide_offset ? (const void*)wide_offsets : (const void*)narrow_offsets;
    V.indices = wide_index ? (const void*)wide_indices : (const void*)narrow_indices;
    V.values = values;
  } else {
    V.offsets = wide_offset ? (const void*)wide_row_offsets : (const void*)row_offsets;
    V.indices = wide_index ? (const void*)wide_row_indices : (const void*)row_indices;
    V.values = row_values;
  }
  return V;
}

static int64_t copied_bytes(const svrmu_matrix* matrix) {
  svrmu_matrix_facts facts;
  CHECK_OK(svrmu_matrix_get_facts(matrix, &facts, sizeof facts));
  CHECK(facts.sparse == 1 && facts.features == 2 && facts.samples == 3 && facts.stored == 4);
  return facts.copied_bytes;
}

void takes_sparse_matrices_in_every_storage(void) {
  svrmu_model* first = NULL;
  for (int layout = SVRMU_BY_COLUMNS; layout <= SVRMU_BY_ROWS; ++layout)
    for (int widths = 0; widths < 4; ++widths) {
      const svrmu_sparse V = sparse((svrmu_layout)layout, widths / 2, widths % 2);
      svrmu_matrix* matrix = NULL;
      CHECK_OK(svrmu_matrix_sparse(&V, &matrix));
      CHECK((copied_bytes(matrix) > 0) == (layout == SVRMU_BY_ROWS));
      svrmu_model* model = fitted(matrix, OPTIONS("rank", "2", "algorithm", "mu", "epochs", "7"));
      if (first == NULL) {
        first = model;
      } else {
        check_same(first, model);
        svrmu_model_free(model);
      }
      svrmu_matrix_free(matrix);
    }
  svrmu_model_free(first);
}

void sorts_and_adds_entries_of_a_sparse_matrix(void) {
  /* The third column has row 1 before row 0, and 4 in two parts. */
  const int32_t offsets[] = {0, 1, 2, 5}, indices[] = {0, 1, 1, 0, 0};
  const double parts[] = {1, 3, 5, 1, 3};
  svrmu_sparse V = sparse(SVRMU_BY_COLUMNS, 0, 0);
  svrmu_matrix *tidy = NULL, *mess = NULL;
  CHECK_OK(svrmu_matrix_sparse(&V, &tidy));
  V.offsets = offsets, V.indices = indices, V.values = parts, V.stored = 5;
  CHECK_OK(svrmu_matrix_sparse(&V, &mess));
  CHECK(copied_bytes(mess) > 0);
  svrmu_model* a = fitted(tidy, OPTIONS("rank", "2", "algorithm", "mu", "epochs", "7"));
  svrmu_model* b = fitted(mess, OPTIONS("rank", "2", "algorithm", "mu", "epochs", "7"));
  check_same(a, b);
  svrmu_model_free(a);
  svrmu_model_free(b);
  svrmu_matrix_free(tidy);
  svrmu_matrix_free(mess);
}

static void refused_sparse(svrmu_sparse V, svrmu_code code, const char* text) {
  svrmu_matrix* matrix = NULL;
  CHECK_REFUSED(svrmu_matrix_sparse(&V, &matrix), code, text);
  CHECK(matrix == NULL);
}

void refuses_sparse_matrices_that_lead_outside(void) {
  const svrmu_sparse good = sparse(SVRMU_BY_COLUMNS, 0, 0);
  const int32_t falling[] = {0, 2, 1, 4}, beyond[] = {0, 1, 2, 5}, negative[] = {-1, 1, 2, 4};
  const int32_t outside[] = {0, 1, 2, 1}, below[] = {0, -1, 0, 1};
  svrmu_sparse V = good;
  V.offsets = falling;
  refused_sparse(V, SVRMU_INVALID_DATA, "offsets");
  V.offsets = beyond;
  refused_sparse(V, SVRMU_INVALID_DATA, "stored, 4");
  V.offsets = negative;
  refused_sparse(V, SVRMU_INVALID_DATA, "-1");
  V = good, V.indices = outside;
  refused_sparse(V, SVRMU_INVALID_DATA, "row index 2 in column 3 (counted from 1) is outside 0..1");
  V.indices = below;
  refused_sparse(V, SVRMU_INVALID_DATA, "row index -1 in column 2");
  V = good, V.offset_bytes = 2;
  refused_sparse(V, SVRMU_INVALID_INPUT, "offset_bytes is 2; it must be 4 or 8");
  V = good, V.index_bytes = 16;
  refused_sparse(V, SVRMU_INVALID_INPUT, "index_bytes is 16");
  V = good, V.offsets = NULL;
  refused_sparse(V, SVRMU_INVALID_INPUT, "offsets is NULL");
  V = good, V.indices = NULL;
  refused_sparse(V, SVRMU_INVALID_INPUT, "indices is NULL");
  V = good, V.values = NULL;
  refused_sparse(V, SVRMU_INVALID_INPUT, "values is NULL");
  V = good, V.values = (const char*)values + 4;
  refused_sparse(V, SVRMU_INVALID_INPUT, "values is not at a multiple of 8 bytes");
  V = good, V.rows = 0;
  refused_sparse(V, SVRMU_INVALID_INPUT, "sparse V is 0 x 3");
  V = good, V.stored = -1;
  refused_sparse(V, SVRMU_INVALID_INPUT, "stored is -1");
  const int bad = 9;
  V = good;
  memcpy(&V.layout, &bad, sizeof bad);
  refused_sparse(V, SVRMU_INVALID_INPUT, "layout is 9");
}

void refuses_values_that_cannot_be_used_when_the_job_runs(void) {
  double numbers[6] = {1, 2, 3, -4, 5, 6};
  svrmu_matrix* V = dense(numbers, 2, 3, sizeof(double), 2 * sizeof(double));
  svrmu_options* options = OPTIONS("rank", "1");
  svrmu_job* job = NULL;
  CHECK_OK(svrmu_start_fit(V, options, &job));
  CHECK_REFUSED(svrmu_job_wait(job, -1), SVRMU_INVALID_DATA, "negative");
  svrmu_model* model = NULL;
  CHECK_REFUSED(svrmu_job_take_model(job, &model), SVRMU_INVALID_DATA, "negative");
  CHECK(model == NULL);
  svrmu_job_free(job);
  svrmu_options_free(options);
  svrmu_matrix_free(V);
}
