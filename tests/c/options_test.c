/* What there is to choose from, and what is refused of it. */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static int lists(const char* of, const char* name, const char* flag) {
  svrmu_option_info infos[64];
  int64_t count = 0;
  CHECK_OK(svrmu_list_options(of, infos, sizeof infos[0], 64, &count));
  CHECK(count > 0 && count <= 64);
  for (int64_t i = 0; i < count; ++i)
    if (strcmp(infos[i].name, name) == 0) return strcmp(infos[i].flag, flag) == 0;
  return 0;
}

void lists_options_by_kind_of_work(void) {
  CHECK(lists("fit", "rank", "rank"));
  CHECK(lists("fit", "max_epochs", "epochs"));
  CHECK(lists("fit", "l1_w", "l1_w"));
  CHECK(lists("fit", "algorithm", "algorithm"));
  CHECK(lists("transform", "max_sweeps", "max_sweeps"));
  CHECK(lists("stream", "forget_factor", "forget_factor"));
  CHECK(lists("read", "delimiter", "delimiter"));
  CHECK(lists("read", "row_names", "row_names"));
  CHECK(lists("svrmu-acc", "batch_size", "batch_size"));
  CHECK(!lists("hals", "batch_size", "batch_size"));
  int64_t count = 0;
  CHECK_REFUSED(svrmu_list_options("fits", NULL, sizeof(svrmu_option_info), 0, &count), SVRMU_INVALID_INPUT,
                "did you mean fit?");
}

void lists_algorithms(void) {
  int64_t count = 0;
  CHECK_OK(svrmu_list_algorithms(NULL, sizeof(svrmu_algorithm_info), 0, &count));
  CHECK(count > 20);
  svrmu_algorithm_info* all = malloc((size_t)count * sizeof *all);
  CHECK(all != NULL);
  CHECK_OK(svrmu_list_algorithms(all, sizeof *all, count, &count));
  int streams = 0, outliers = 0, presets = 0;
  for (int64_t i = 0; i < count; ++i) {
    CHECK(strlen(all[i].name) > 0 && strlen(all[i].summary) > 0);
    streams += all[i].streams;
    outliers += all[i].outliers;
    presets += strcmp(all[i].presets, "paper") == 0;
  }
  CHECK(streams > 0 && streams < count && outliers > 0 && outliers < count && presets > 0);
  free(all);
}

/* An older caller has a shorter structure, a newer one a longer. */
void fills_as_much_of_a_structure_as_the_caller_has(void) {
  struct longer {
    svrmu_algorithm_info known;
    int64_t later;
  } longer = {.later = 7};
  int64_t count = 0;
  CHECK_OK(svrmu_list_algorithms(&longer.known, sizeof longer, 1, &count));
  CHECK(strlen(longer.known.name) > 0 && longer.later == 0);
  const char* first[3] = {NULL, NULL, "untouched"};
  CHECK_OK(svrmu_list_algorithms((svrmu_algorithm_info*)(void*)first, 2 * sizeof first[0], 1, &count));
  CHECK(strcmp(first[0], longer.known.name) == 0 && strcmp(first[2], "untouched") == 0);
  CHECK_REFUSED(svrmu_list_algorithms(&longer.known, 0, 1, &count), SVRMU_INVALID_INPUT, "info_size is 0");
  CHECK_REFUSED(svrmu_list_algorithms(&longer.known, sizeof longer.known, -1, &count), SVRMU_INVALID_INPUT,
                "capacity is -1");
  CHECK_REFUSED(svrmu_list_algorithms(NULL, sizeof longer.known, 1, &count), SVRMU_INVALID_INPUT,
                "to is NULL");
  CHECK_REFUSED(svrmu_list_algorithms(NULL, sizeof longer.known, 0, NULL), SVRMU_INVALID_INPUT,
                "count is NULL");
}

void refuses_arguments_that_are_null_by_name(void) {
  svrmu_options* options = NULL;
  CHECK_REFUSED(svrmu_options_new(NULL), SVRMU_INVALID_INPUT, "options is NULL");
  CHECK_OK(svrmu_options_new(&options));
  CHECK_REFUSED(svrmu_options_set(NULL, "rank", "5"), SVRMU_INVALID_INPUT, "options is NULL");
  CHECK_REFUSED(svrmu_options_set(options, NULL, "5"), SVRMU_INVALID_INPUT, "name is NULL");
  CHECK_REFUSED(svrmu_options_set(options, "rank", NULL), SVRMU_INVALID_INPUT, "value is NULL");
  CHECK_REFUSED(svrmu_options_set(options, "", "5"), SVRMU_INVALID_INPUT, "name is empty");
  CHECK_REFUSED(svrmu_options_set_dense(options, "init_w", NULL), SVRMU_INVALID_INPUT, "value is NULL");
  CHECK_REFUSED(svrmu_options_set_dense(options, "init_v", NULL), SVRMU_INVALID_INPUT,
                "did you mean init_w, init_h or init_r?");
  svrmu_options_free(options);
  svrmu_options_free(NULL);
  svrmu_matrix_free(NULL);
  svrmu_job_free(NULL);
  svrmu_model_free(NULL);
  svrmu_bytes_free(NULL);
  svrmu_job_stop(NULL);
  CHECK_REFUSED(svrmu_job_wait(NULL, 0), SVRMU_INVALID_INPUT, "job is NULL");
  CHECK_REFUSED(svrmu_model_load("x", NULL), SVRMU_INVALID_INPUT, "model is NULL");
  svrmu_job* job = NULL;
  CHECK_REFUSED(svrmu_start_fit(NULL, NULL, &job), SVRMU_INVALID_INPUT, "V is NULL");
}

static void refused(const svrmu_matrix* V, svrmu_options* options, const char* text) {
  svrmu_job* job = (svrmu_job*)(void*)&text; /* must not stay what it was */
  CHECK_REFUSED(svrmu_start_fit(V, options, &job), SVRMU_INVALID_INPUT, text);
  CHECK(job == NULL);
  svrmu_options_free(options);
}

void refuses_options_of_a_fit_with_the_nearest_name(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_job* job = NULL;
  CHECK_REFUSED(svrmu_start_fit(V, NULL, NULL), SVRMU_INVALID_INPUT, "job is NULL");
  CHECK_REFUSED(svrmu_start_fit(V, NULL, &job), SVRMU_INVALID_INPUT, "rank is not set");
  refused(V, OPTIONS("rnak", "5"), "there is no option rnak; did you mean rank?");
  refused(V, OPTIONS("rank", "0"), "rank is 0; it must lie between 1");
  refused(V, OPTIONS("rank", "five"), "'five', which is not a number");
  refused(V, OPTIONS("rank", "5", "algorithm", "svrmu-ac"), "did you mean svrmu-acc?");
  refused(V, OPTIONS("rank", "5", "algorithm", "hals", "batch_size", "9"), "hals has no option batch_size");
  refused(V, OPTIONS("rank", "5", "algorithm", "svrmu", "batch_sise", "9"), "did you mean batch_size?");
  refused(V, OPTIONS("rank", "5", "algorithm", "auto", "batch_sise", "9"), "did you mean batch_size?");
  refused(V, OPTIONS("rank", "5", "max_sweeps", "9"),
          "max_sweeps does not go with a fit: it is an option of transform");
  refused(V, OPTIONS("rank", "5", "loss", "l3"), "there is no loss 'l3'");
  refused(V, OPTIONS("rank", "5", "algorithm", "hals", "preset", "paper"), "hals has no preset paper");
  svrmu_matrix_free(V);
}

/* "epochs" is what the command line calls "max_epochs". */
void takes_names_of_the_command_line(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* a = fitted(V, OPTIONS("rank", "3", "max_epochs", "4", "relative_change", "0", "start",
                                     "random", "algorithm", "svrmu-acc", "h_repeats", "2", "seed", "9"));
  svrmu_model* b = fitted(V, OPTIONS("rank", "3", "epochs", "90", "epochs", "4", "tol", "0", "init", "random",
                                     "algorithm", "svrmu-acc", "h-repeats", "2", "seed", "9"));
  check_same(a, b);
  CHECK(facts_of(a).records == 5 && facts_of(b).records == 5);
  check_text(a, "algorithm", "svrmu-acc");
  svrmu_model_free(a);
  svrmu_model_free(b);
  svrmu_matrix_free(V);
}

static void check_time_limit(const char* text, const char* seconds) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "2", "epochs", "2", "time_limit", text));
  svrmu_texts texts;
  CHECK_OK(svrmu_model_get_texts(model, "fit_options", &texts));
  CHECK(strstr(texts.bytes, seconds) != NULL);
  svrmu_model_free(model);
  svrmu_matrix_free(V);
}

void takes_times_with_units(void) {
  check_time_limit("90", "time_limit_seconds=90");
  check_time_limit("90s", "time_limit_seconds=90");
  check_time_limit("10m", "time_limit_seconds=600");
  check_time_limit("1h30m", "time_limit_seconds=5400");
  check_time_limit("inf", "time_limit_seconds=inf");
  svrmu_matrix* V = small_matrix();
  refused(V, OPTIONS("rank", "2", "time_limit", "10x"), "is '10x'; write a time like 90, 90s, 10m, 1h30m");
  refused(V, OPTIONS("rank", "2", "time_limit", "-1"), "is '-1'; write a time like 90");
  svrmu_matrix_free(V);
}

/* As the program's --seed. */
void takes_every_seed_below_two_to_the_64(void) {
  svrmu_matrix* V = small_matrix();
  svrmu_model* model = fitted(V, OPTIONS("rank", "2", "epochs", "2", "seed", "18446744073709551615"));
  CHECK(facts_of(model).seed == UINT64_MAX);
  svrmu_model_free(model);
  refused(V, OPTIONS("rank", "2", "seed", "18446744073709551616"), "a whole number from 0 to 2^64 - 1");
  refused(V, OPTIONS("rank", "2", "seed", "-1"), "a whole number from 0 to 2^64 - 1");
  refused(V, OPTIONS("rank", "2", "seed", ""), "a whole number from 0 to 2^64 - 1");
  svrmu_matrix_free(V);
}

void names_the_nearest_options_and_who_lists_them(void) {
  svrmu_matrix* V = small_matrix();
  refused(V, OPTIONS("rank", "2", "l1_x", "1"),
          "there is no option l1_x; did you mean l1_w or l1_h? (svrmu_list_options(\"fit\") lists all)");
  refused(V, OPTIONS("rank", "2", "colour", "1"),
          "there is no option colour; svrmu_list_options(\"fit\") lists all");
  refused(V, OPTIONS("rank", "2", "algorithm", "hals", "batch_size", "9"),
          "hals has no option batch_size; svrmu_list_options(\"hals\") lists all");
  svrmu_matrix_free(V);
}
