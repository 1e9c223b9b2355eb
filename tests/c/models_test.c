/* Models: texts, files, bytes, reports. */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_line(const svrmu_model* model, const char* which, const char* line) {
  svrmu_texts texts;
  CHECK_OK(svrmu_model_get_texts(model, which, &texts));
  int64_t begin = 0;
  for (int64_t i = 0; i < texts.count; begin = texts.ends[i++])
    if ((size_t)(texts.ends[i] - begin) == strlen(line) &&
        memcmp(texts.bytes + begin, line, strlen(line)) == 0)
      return 1;
  return 0;
}

void tells_how_a_model_was_made(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "algorithm", "svrmu-acc", "batch_size", "20", "epochs",
                                         "3", "tol", "0", "l1_h", "0.5", "seed", "18446744073709551615"));
  CHECK(has_line(model, "options", "batch_size=20"));
  CHECK(has_line(model, "fit_options", "rank=4"));
  CHECK(has_line(model, "fit_options", "max_epochs=3"));
  CHECK(has_line(model, "fit_options", "l1_h=0.5"));
  CHECK(has_line(model, "fit_options", "seed=18446744073709551615"));
  CHECK(facts_of(model).seed == UINT64_MAX);
  check_text(model, "algorithm", "svrmu-acc");
  check_text(model, "choice", "");
  check_text(model, "stop_reason", "epoch_limit");
  check_text(model, "preprocessing", "");
  svrmu_texts texts;
  CHECK_OK(svrmu_model_get_texts(model, "summary", &texts));
  CHECK(texts.count == 1 && texts.ends[0] > 40);
  CHECK_REFUSED(svrmu_model_get_texts(model, "sumary", &texts), SVRMU_INVALID_INPUT, "did you mean summary?");
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

void keeps_names(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "2", "epochs", "2"));
  svrmu_texts texts;
  CHECK_OK(svrmu_model_get_texts(model, "feature_names", &texts));
  CHECK(texts.count == 0);
  /* "f", "ff", "fff", ... */
  char bytes[features * (features + 1) / 2];
  int64_t ends[features];
  memset(bytes, 'f', sizeof bytes);
  for (int64_t i = 0; i < features; ++i) ends[i] = (i + 1) * (i + 2) / 2;
  svrmu_texts names = {bytes, ends, features};
  CHECK_OK(svrmu_model_set_texts(model, "feature_names", &names));
  CHECK(has_line(model, "feature_names", "fff") && !has_line(model, "feature_names", ""));
  names.count = 4;
  CHECK_REFUSED(svrmu_model_set_texts(model, "feature_names", &names), SVRMU_INVALID_INPUT,
                "there are 4 feature_names, but the model has 30 features");
  names.count = -1;
  CHECK_REFUSED(svrmu_model_set_texts(model, "feature_names", &names), SVRMU_INVALID_INPUT, "count is -1");
  const int64_t backward[] = {2, 1};
  const svrmu_texts wrong = {bytes, backward, 2};
  CHECK_REFUSED(svrmu_model_set_texts(model, "feature_names", &wrong), SVRMU_INVALID_INPUT,
                "text 1 ends at 1");
  CHECK_REFUSED(svrmu_model_set_texts(model, "warnings", &wrong), SVRMU_INVALID_INPUT, "");
  svrmu_model* more = resumed(V, model, OPTIONS("epochs", "4"));
  CHECK(has_line(more, "feature_names", "fff"));
  names.count = 0;
  CHECK_OK(svrmu_model_set_texts(model, "feature_names", &names));
  CHECK(!has_line(model, "feature_names", "fff") && has_line(more, "feature_names", "fff"));
  svrmu_model_free(more);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

void saves_and_loads_a_model(void) {
  const char* path = "c_test_model.svrmu.h5";
  remove(path);
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "algorithm", "svrmu", "epochs", "5", "tol", "0"));
  svrmu_model* whole = fitted(V, OPTIONS("rank", "4", "algorithm", "svrmu", "epochs", "9", "tol", "0"));
  CHECK_OK(svrmu_model_save(model, path, 0));
  CHECK_REFUSED(svrmu_model_save(model, path, 0), SVRMU_IO_ERROR, path);
  CHECK_OK(svrmu_model_save(model, path, 1));
  svrmu_model* loaded = NULL;
  CHECK_OK(svrmu_model_load(path, &loaded));
  check_same(model, loaded);
  CHECK(facts_of(loaded).records == facts_of(model).records && facts_of(loaded).can_resume == 1);
  svrmu_model* more = resumed(V, loaded, OPTIONS("epochs", "9"));
  check_same(whole, more);
  svrmu_model_free(more);
  svrmu_model_free(loaded);
  CHECK_REFUSED(svrmu_model_load("not/there.h5", &loaded), SVRMU_IO_ERROR, "not/there.h5");
  CHECK(loaded == NULL);
  CHECK(remove(path) == 0);
  svrmu_model_free(whole);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

void keeps_a_model_as_bytes(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "epochs", "5"));
  unsigned char *bytes = NULL, *again = NULL;
  size_t count = 0, count_again = 0;
  CHECK_OK(svrmu_model_to_bytes(model, &bytes, &count));
  CHECK(count > sizeof(double) * 4 * (features + samples));
  svrmu_model* copy = NULL;
  CHECK_OK(svrmu_model_from_bytes(bytes, count, &copy));
  check_same(model, copy);
  CHECK_OK(svrmu_model_to_bytes(copy, &again, &count_again));
  CHECK(count == count_again && memcmp(bytes, again, count) == 0);
  svrmu_model_free(copy);
  bytes[count / 2] ^= 1;
  CHECK_REFUSED(svrmu_model_from_bytes(bytes, count, &copy), SVRMU_INVALID_DATA, "the model");
  CHECK_REFUSED(svrmu_model_from_bytes(again, count / 2, &copy), SVRMU_INVALID_DATA, "the model");
  CHECK_REFUSED(svrmu_model_from_bytes(again, 0, &copy), SVRMU_INVALID_DATA, "the model");
  CHECK_REFUSED(svrmu_model_from_bytes(NULL, 9, &copy), SVRMU_INVALID_INPUT, "bytes is NULL");
  svrmu_bytes_free(bytes);
  svrmu_bytes_free(again);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

static int holds(const unsigned char* bytes, size_t count, const char* text) {
  for (size_t i = 0; i + strlen(text) <= count; ++i)
    if (memcmp(bytes + i, text, strlen(text)) == 0) return 1;
  return 0;
}

void makes_a_page_about_a_model(void) {
  svrmu_matrix *V = small_matrix(), *other = large_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "4", "epochs", "5"));
  unsigned char* bytes = NULL;
  size_t count = 0;
  svrmu_options* options = OPTIONS("title", "Thirty pixels", "image", "5x6");
  CHECK_OK(svrmu_model_report(model, V, options, &bytes, &count));
  CHECK(holds(bytes, count, "<title>Thirty pixels") && holds(bytes, count, "</html>"));
  svrmu_bytes_free(bytes);
  svrmu_options_free(options);
  CHECK_OK(svrmu_model_report(model, NULL, NULL, &bytes, &count));
  CHECK(count > 1000);
  svrmu_bytes_free(bytes);
  options = OPTIONS("image", "5x5");
  CHECK_REFUSED(svrmu_model_report(model, NULL, options, &bytes, &count), SVRMU_INVALID_INPUT,
                "image is 5 x 5, but the model has 30 features");
  svrmu_options_free(options);
  options = OPTIONS("titel", "x");
  CHECK_REFUSED(svrmu_model_report(model, NULL, options, &bytes, &count), SVRMU_INVALID_INPUT,
                "did you mean title?");
  svrmu_options_free(options);
  CHECK_REFUSED(svrmu_model_report(model, other, NULL, &bytes, &count), SVRMU_INVALID_INPUT,
                "V is 30 x 20000");
  CHECK(bytes == NULL);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
  svrmu_matrix_free(other);
}

void reads_a_matrix_from_a_file(void) {
  const char* path = "c_test_matrix.csv";
  FILE* file = fopen(path, "w");
  CHECK(file != NULL && fputs("name;a;b;c\nx;1,5;2;3\ny;4;5;6\n", file) >= 0 && fclose(file) == 0);
  svrmu_matrix* V = NULL;
  CHECK_OK(svrmu_matrix_read(path, NULL, &V));
  svrmu_matrix_facts facts;
  CHECK_OK(svrmu_matrix_get_facts(V, &facts, sizeof facts));
  CHECK(facts.features == 2 && facts.samples == 3 && facts.type == SVRMU_FLOAT64 && facts.sparse == 0);
  svrmu_texts names;
  CHECK_OK(svrmu_matrix_get_texts(V, "sample_names", &names));
  CHECK(names.count == 3 && memcmp(names.bytes, "abc", 3) == 0);
  CHECK_REFUSED(svrmu_matrix_get_texts(V, "names", &names), SVRMU_INVALID_INPUT, "no texts 'names'");
  svrmu_model* model = fitted(V, OPTIONS("rank", "1", "epochs", "3"));
  CHECK(has_line(model, "feature_names", "y") && has_line(model, "sample_names", "b"));
  svrmu_model_free(model);
  svrmu_matrix_free(V);

  svrmu_options* options = OPTIONS("samples", "rows", "precision", "float32", "delimiter", "semicolon",
                                   "decimal", "comma", "row_names", "first", "column_names", "first");
  CHECK_OK(svrmu_matrix_read(path, options, &V));
  CHECK_OK(svrmu_matrix_get_facts(V, &facts, sizeof facts));
  CHECK(facts.features == 3 && facts.samples == 2 && facts.type == SVRMU_FLOAT32);
  svrmu_matrix_free(V);
  CHECK_OK(svrmu_options_set(options, "decimal", "semicolon"));
  CHECK_REFUSED(svrmu_matrix_read(path, options, &V), SVRMU_INVALID_INPUT, "decimal is 'semicolon'");
  svrmu_options_free(options);
  options = OPTIONS("sample", "rows");
  CHECK_REFUSED(svrmu_matrix_read(path, options, &V), SVRMU_INVALID_INPUT, "did you mean samples?");
  svrmu_options_free(options);
  CHECK_REFUSED(svrmu_matrix_read("not/there.csv", NULL, &V), SVRMU_IO_ERROR, "not/there.csv");
  CHECK(V == NULL);
  CHECK(remove(path) == 0);
}

static const char* const asked[] = {"algorithm", "choice",  "stop_reason", "loss",          "quality",
                                    "summary",   "version", "created",     "preprocessing", "fit_options"};
enum { askers = 4, questions = sizeof asked / sizeof asked[0] };

static pthread_barrier_t together;

static void* ask(void* model) {
  pthread_barrier_wait(&together);
  for (int i = 0; i < questions; ++i) {
    svrmu_texts texts;
    CHECK_OK(svrmu_model_get_texts(model, asked[i], &texts));
    CHECK(texts.count > 0);
  }
  return NULL;
}

/* Looking at an object does not change it, whatever it keeps of what it was asked. */
void tells_texts_to_several_threads_at_once(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "2", "epochs", "2"));
  svrmu_matrix_free(V);
  unsigned char* bytes = NULL;
  size_t size = 0;
  CHECK_OK(svrmu_model_to_bytes(model, &bytes, &size));
  svrmu_model_free(model);
  CHECK(pthread_barrier_init(&together, NULL, askers) == 0);
  for (int round = 0; round < 200; ++round) {
    pthread_t threads[askers];
    CHECK_OK(svrmu_model_from_bytes(bytes, size, &model));
    for (int i = 0; i < askers; ++i) CHECK(pthread_create(&threads[i], NULL, ask, model) == 0);
    for (int i = 0; i < askers; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    svrmu_model_free(model);
  }
  svrmu_bytes_free(bytes);
}
