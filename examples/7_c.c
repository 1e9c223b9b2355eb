/* The C interface: a fit that is watched while it runs, and H of new samples. */
#include <stdio.h>
#include <stdlib.h>
#include <svrmu/c.h>

enum { features = 200, samples = 1000 };

/* Says what was wrong and ends the program, unless all is well. */
static void check(svrmu_code code) {
  if (code == SVRMU_OK) return;
  fprintf(stderr, "svrmu: %s\n", svrmu_message());
  exit(code);
}

int main(void) {
  /* Features in rows, samples in columns; here the numbers of a sample lie beside each other. */
  static double numbers[samples][features];
  for (int j = 0; j < samples; ++j)
    for (int i = 0; i < features; ++i) numbers[j][i] = (i * (j % 7) % 5) + (i % 3) * (j % 4);
  const svrmu_dense view = {numbers, SVRMU_FLOAT64, features, samples, sizeof(double), sizeof numbers[0]};
  svrmu_matrix* V = NULL;
  check(svrmu_matrix_dense(&view, &V)); /* nothing is copied */

  svrmu_options* options = NULL;
  check(svrmu_options_new(&options));
  check(svrmu_options_set(options, "rank", "6")); /* names and texts as on the command line */
  check(svrmu_options_set(options, "time_limit", "20"));
  svrmu_job* job = NULL;
  check(svrmu_start_fit(V, options, &job)); /* returns at once */

  /* The program goes on with its own work, and looks at the job when it likes. */
  int64_t seen = 0;
  svrmu_code code;
  do {
    code = svrmu_job_wait(job, 0.1);
    svrmu_record records[16];
    int64_t count = 0;
    check(svrmu_job_progress(job, seen, records, sizeof records[0], 16, &count));
    for (int64_t i = 0; i < count; ++i)
      printf("epoch %lld: relative error %.4f\n", (long long)records[i].epoch, records[i].relative_error);
    seen += count;
  } while (code == SVRMU_RUNNING); /* svrmu_job_stop(job) would end it early, with the result so far */
  check(code);

  svrmu_model* model = NULL;
  check(svrmu_job_take_model(job, &model));
  svrmu_job_free(job);
  svrmu_dense W;
  check(svrmu_model_get_dense(model, "W", &W)); /* a view of the model's memory */
  const double* first = W.data;
  printf("W is %lld x %lld, its first entry is %.3f\n", (long long)W.rows, (long long)W.columns, first[0]);

  /* H of samples under this W: here the same ones. */
  check(svrmu_start_transform(V, model, NULL, &job));
  check(svrmu_job_wait(job, -1));
  svrmu_transformed found;
  check(svrmu_job_get_transformed(job, &found, sizeof found));
  printf("H is %lld x %lld\n", (long long)found.H.rows, (long long)found.H.columns);

  svrmu_job_free(job);
  svrmu_model_free(model);
  svrmu_options_free(options);
  svrmu_matrix_free(V);
  return 0;
}
