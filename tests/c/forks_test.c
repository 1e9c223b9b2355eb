/* Children of a process whose threads are in the middle of something: what a thread held is not held there.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that waits for what never comes is ended by a signal. */
enum { patience_seconds = 30 };

static void check_child(pid_t child) {
  CHECK(child > 0);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int ones(int64_t first, int64_t count, void* to) {
  for (int64_t i = 0; i < 3 * count; ++i) ((double*)to)[i] = 1 + (double)(first % 3);
  return 0;
}

static int fork_while_reading(void* context, int64_t first, int64_t count, void* to) {
  static int forked = 0;
  (void)context;
  if (!forked++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(patience_seconds);
      exit(0);
    }
    check_child(child);
  }
  return ones(first, count, to);
}

/* The thread of a job forks: in the child it is the only thread, and no job's. */
void ends_a_child_that_a_reader_has_forked(void) {
  const svrmu_reader reader = {SVRMU_FLOAT64, 3, 4, fork_while_reading, NULL};
  svrmu_matrix* V = NULL;
  CHECK_OK(svrmu_matrix_reader(&reader, &V));
  svrmu_model_free(fitted(V, OPTIONS("rank", "2", "epochs", "2")));
  svrmu_matrix_free(V);
}

static int is_reading[2], may_go_on[2]; /* pipes */
static pid_t slow_process;
static int read_slowly(void* context, int64_t first, int64_t count, void* to) {
  char byte = 0;
  (void)context;
  if (getpid() == slow_process) {
    CHECK(write(is_reading[1], &byte, 1) == 1);
    CHECK(read(may_go_on[0], &byte, 1) >= 0);
  }
  return ones(first, count, to);
}

/* A job of the parent is inside the reader, and so holds its turn. */
void reads_in_a_child_while_the_parents_reader_is_busy(void) {
  const svrmu_reader reader = {SVRMU_FLOAT64, 3, 4, read_slowly, NULL};
  svrmu_matrix* V = NULL;
  svrmu_job* job = NULL;
  char byte = 0;
  slow_process = getpid();
  CHECK(pipe(is_reading) == 0 && pipe(may_go_on) == 0);
  svrmu_options* options = OPTIONS("rank", "2", "epochs", "2");
  CHECK_OK(svrmu_matrix_reader(&reader, &V));
  CHECK_OK(svrmu_start_fit(V, options, &job));
  CHECK(read(is_reading[0], &byte, 1) == 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(patience_seconds);
    svrmu_model_free(fitted(V, OPTIONS("rank", "2", "epochs", "2")));
    _Exit(0);
  }
  check_child(child);
  CHECK(close(may_go_on[1]) == 0); /* nothing more to wait for */
  svrmu_model_free(taken(job));
  svrmu_options_free(options);
  svrmu_matrix_free(V);
}

static const char* const path = "c_forks_test.svrmu.h5";
static void load(void) {
  svrmu_model* model = NULL;
  CHECK_OK(svrmu_model_load(path, &model));
  svrmu_model_free(model);
}

static atomic_int enough;
static void* load_again_and_again(void* unused) {
  while (!enough) load();
  return unused;
}

/* No job has been started in this process: reading alone must keep its children from a lock that is held. */
void loads_in_children_while_another_thread_loads(void) {
  const pid_t writer = fork();
  if (writer == 0) {
    svrmu_model* model = fitted(small_matrix(), OPTIONS("rank", "2", "epochs", "2"));
    CHECK_OK(svrmu_model_save(model, path, 1));
    _Exit(0);
  }
  check_child(writer);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, load_again_and_again, NULL) == 0);
  for (int i = 0; i < 20; ++i) {
    load();
    const pid_t child = fork();
    if (child == 0) {
      alarm(patience_seconds);
      load();
      _Exit(0);
    }
    check_child(child);
  }
  enough = 1;
  CHECK(pthread_join(thread, NULL) == 0);
  unlink(path);
}
