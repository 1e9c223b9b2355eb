/* libsvrmu.so loaded while a program runs, as interpreters load it, and closed again: loading_test LIBRARY.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <svrmu/c.h>

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      _Exit(1);                                                                      \
    }                                                                                \
  } while (0)

/* Functions of the library by name; C has no cast from an object to a function. */
#define LOAD(FUNCTION)                                \
  do {                                                \
    void* found = dlsym(library, "svrmu_" #FUNCTION); \
    CHECK(found != NULL);                             \
    memcpy(&FUNCTION, &found, sizeof found);          \
  } while (0)

static svrmu_code (*options_new)(svrmu_options**);
static svrmu_code (*options_set)(svrmu_options*, const char*, const char*);
static void (*options_free)(svrmu_options*);
static svrmu_code (*matrix_dense)(const svrmu_dense*, svrmu_matrix**);
static void (*matrix_free)(svrmu_matrix*);
static svrmu_code (*start_fit)(const svrmu_matrix*, const svrmu_options*, svrmu_job**);
static svrmu_code (*job_wait)(svrmu_job*, double);
static svrmu_code (*job_take_model)(svrmu_job*, svrmu_model**);
static void (*job_free)(svrmu_job*);
static void (*model_free)(svrmu_model*);

enum { rows = 40, columns = 400 };
static double values[rows * columns];

static void* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(library != NULL);
  LOAD(options_new);
  LOAD(options_set);
  LOAD(options_free);
  LOAD(matrix_dense);
  LOAD(matrix_free);
  LOAD(start_fit);
  LOAD(job_wait);
  LOAD(job_take_model);
  LOAD(job_free);
  LOAD(model_free);
  return library;
}

/* A fit with threads of its own: they and what they leave are the library's. */
static svrmu_job* start(const char* epochs, svrmu_matrix** V) {
  for (int i = 0; i < rows * columns; ++i) values[i] = 1 + i % 7;
  const svrmu_dense view = {values, SVRMU_FLOAT64, rows, columns, sizeof values[0], rows * sizeof values[0]};
  svrmu_options* options = NULL;
  svrmu_job* job = NULL;
  CHECK(matrix_dense(&view, V) == SVRMU_OK);
  CHECK(options_new(&options) == SVRMU_OK);
  const char* const pairs[][2] = {
      {"rank", "3"}, {"algorithm", "mu"}, {"threads", "2"}, {"tol", "0"}, {"epochs", epochs}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i)
    CHECK(options_set(options, pairs[i][0], pairs[i][1]) == SVRMU_OK);
  CHECK(start_fit(*V, options, &job) == SVRMU_OK);
  options_free(options);
  return job;
}

static void fit(void) {
  svrmu_matrix* V = NULL;
  svrmu_model* model = NULL;
  svrmu_job* job = start("5", &V);
  CHECK(job_wait(job, -1) == SVRMU_OK);
  CHECK(job_take_model(job, &model) == SVRMU_OK);
  job_free(job);
  model_free(model);
  matrix_free(V);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  for (int i = 0; i < 5; ++i) {
    void* library = load(argv[1]);
    fit();
    CHECK(dlclose(library) == 0);
  }
  /* Closed while a job runs: it goes on, and is stopped when the program ends. */
  void* library = load(argv[1]);
  svrmu_matrix* V = NULL;
  svrmu_job* job = start("1000000000", &V);
  CHECK(dlclose(library) == 0);
  CHECK(job_wait(job, 0.01) == SVRMU_RUNNING);
  return 0;
}
