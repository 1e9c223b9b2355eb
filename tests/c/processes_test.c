/* What becomes of jobs when the program ends, and when it forks. Each of these ends the program. */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returning from main() with jobs that would run for ever: the program must end all the same. */
void ends_with_jobs_that_run(void) {
  svrmu_matrix* V = large_matrix();
  for (int i = 0; i < 4; ++i) endless_job(V);
}

static void* end_program(void* unused) {
  (void)unused;
  exit(0);
}

/* Ended by another thread, while this one waits for a job. */
void ends_from_another_thread(void) {
  svrmu_job* job = endless_job(large_matrix());
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, end_program, NULL) == 0);
  svrmu_job_wait(job, -1);
  pause();
}

static int end_while_reading(void* context, int64_t first, int64_t count, void* to) {
  (void)context, (void)first, (void)count, (void)to;
  exit(0);
}

/* Ended by the thread of a job itself. */
void ends_from_a_reader(void) {
  const svrmu_reader reader = {SVRMU_FLOAT64, 3, 4, end_while_reading, NULL};
  svrmu_matrix* V = NULL;
  svrmu_job* job = NULL;
  endless_job(large_matrix());
  CHECK_OK(svrmu_matrix_reader(&reader, &V));
  CHECK_OK(svrmu_start_fit(V, OPTIONS("rank", "2"), &job));
  svrmu_job_wait(job, -1);
  pause();
}

static svrmu_matrix* kept;
static void start_too_late(void) {
  svrmu_job* job = NULL;
  svrmu_options* options = NULL;
  CHECK_REFUSED(svrmu_start_fit(kept, NULL, &job), SVRMU_CANCELLED, "the program is ending");
  CHECK_REFUSED(svrmu_options_new(&options), SVRMU_CANCELLED, "the program is ending");
  svrmu_matrix_free(kept);
}

/* Handlers run in the opposite order: this one after the library's. */
void refuses_jobs_when_the_program_ends(void) {
  CHECK(atexit(start_too_late) == 0);
  kept = small_matrix();
  svrmu_model_free(fitted(kept, OPTIONS("rank", "2", "epochs", "2")));
}

static void message_too_late(void) {
  svrmu_options* options = NULL;
  CHECK_REFUSED(svrmu_options_new(&options), SVRMU_CANCELLED, "the program is ending: nothing can be begun");
}

/* What the thread had for its messages may be gone by then. */
void tells_why_it_refuses_after_an_earlier_message(void) {
  CHECK(atexit(message_too_late) == 0);
  svrmu_model_free(fitted(small_matrix(), OPTIONS("rank", "2", "epochs", "2")));
  int64_t count = 0;
  CHECK_REFUSED(svrmu_list_algorithms(NULL, sizeof(svrmu_algorithm_info), -1, &count), SVRMU_INVALID_INPUT,
                "capacity is -1");
}

static svrmu_job* job_of_the_reader;
static void free_it(void) { svrmu_job_free(job_of_the_reader); }

static int end_when_the_job_is_known(void* context, int64_t first, int64_t count, void* to) {
  (void)first, (void)count, (void)to;
  pthread_mutex_lock(context);
  exit(0);
}

/* A handler frees the job on whose thread the program ends: nothing can wait for itself. */
void frees_the_job_whose_reader_ends_the_program(void) {
  pthread_mutex_t known = PTHREAD_MUTEX_INITIALIZER;
  CHECK(pthread_mutex_lock(&known) == 0);
  const svrmu_reader reader = {SVRMU_FLOAT64, 3, 4, end_when_the_job_is_known, &known};
  svrmu_matrix* V = NULL;
  CHECK(atexit(free_it) == 0);
  CHECK_OK(svrmu_matrix_reader(&reader, &V));
  CHECK_OK(svrmu_start_fit(V, OPTIONS("rank", "2"), &job_of_the_reader));
  CHECK(pthread_mutex_unlock(&known) == 0);
  pause();
}

/* In a child the job of its parent has no thread: nothing may wait for it. A new one gives the same bits. */
void knows_jobs_of_the_parent_in_a_child(void) {
  svrmu_matrix* V = large_matrix();
  svrmu_model* before = fitted(V, OPTIONS("rank", "4", "epochs", "3", "threads", "2"));
  svrmu_job* job = endless_job(V);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    svrmu_record record;
    int64_t count = 0;
    svrmu_model* none = NULL;
    CHECK_REFUSED(svrmu_job_wait(job, -1), SVRMU_INVALID_INPUT, "this is a child of it (fork)");
    CHECK_REFUSED(svrmu_job_progress(job, 0, &record, sizeof record, 1, &count), SVRMU_INVALID_INPUT, "fork");
    CHECK_REFUSED(svrmu_job_take_model(job, &none), SVRMU_INVALID_INPUT, "fork");
    svrmu_job_stop(job);
    svrmu_job_free(job);
    svrmu_model* here = fitted(V, OPTIONS("rank", "4", "epochs", "3", "threads", "2"));
    check_same(before, here);
    unsigned char* bytes = NULL;
    size_t size = 0;
    CHECK_OK(svrmu_model_to_bytes(here, &bytes, &size));
    svrmu_bytes_free(bytes);
    svrmu_model_free(here);
    endless_job(V);
    exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_REFUSED(svrmu_job_wait(job, 0), SVRMU_RUNNING, "");
  svrmu_job_free(job);
  svrmu_model_free(before);
  svrmu_matrix_free(V);
}

static volatile sig_atomic_t signals_here = 0;
static pthread_t main_thread;
static void note_signal(int number) {
  (void)number;
  signals_here += pthread_equal(pthread_self(), main_thread) ? 1 : 100;
}

/* Signals are the caller's: a job's threads never get one. */
void leaves_signals_to_the_threads_of_the_caller(void) {
  main_thread = pthread_self();
  struct sigaction action = {.sa_handler = note_signal};
  CHECK(sigaction(SIGINT, &action, NULL) == 0);
  svrmu_job* job = endless_job(large_matrix());
  sigset_t interrupts, before;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  /* Blocked here, it would go to any thread that takes it. */
  CHECK(pthread_sigmask(SIG_BLOCK, &interrupts, &before) == 0);
  CHECK(kill(getpid(), SIGINT) == 0);
  CHECK_REFUSED(svrmu_job_wait(job, 0.01), SVRMU_RUNNING, "");
  CHECK(signals_here == 0);
  CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  CHECK(signals_here == 1);
  svrmu_job_free(job);
}
