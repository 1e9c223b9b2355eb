/* What the tests of the C interface share: checks, data that are made up, and jobs from their start to their
 * end. */
#ifndef SVRMU_TESTS_C_SUPPORT_H
#define SVRMU_TESTS_C_SUPPORT_H

#include <svrmu/c.h>

/* Ends the program with the place and both sides if something is not as it should be. */
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_OK(call) check_code((call), SVRMU_OK, "", #call, __FILE__, __LINE__)
/* Refused with this code, and with a message that holds this text. */
#define CHECK_REFUSED(call, code, text) check_code((call), (code), (text), #call, __FILE__, __LINE__)

void check_that(int holds, const char* condition, const char* file, int line);
void check_code(svrmu_code code, svrmu_code expected, const char* text, const char* call, const char* file,
                int line);

/* Numbers in (0, 1), the same for the same seed. */
double* random_numbers(int64_t count, unsigned seed);
float* random_floats(int64_t count, unsigned seed);

/* rows x columns numbers, those of a column beside each other. */
svrmu_dense by_columns(const double* data, int64_t rows, int64_t columns);

/* What views lie on, until the program ends. Not static: a compiler drops what nobody reads, and leak
 * checkers complain. */
enum { most_kept = 64 };
extern double* kept_numbers[most_kept];

/* V in memory of its own: 30 features, 80 samples. */
enum { features = 30, samples = 80 };
svrmu_matrix* small_matrix(void);
/* The same with so many samples that a fit takes a while. */
svrmu_matrix* large_matrix(void);

/* Options from pairs of names and texts; the last is NULL. */
svrmu_options* options_of(const char* const* pairs);
#define OPTIONS(...) options_of((const char* const[]){__VA_ARGS__, NULL})

/* A job to its end, and the model that it makes. The options are freed. */
svrmu_model* fitted(const svrmu_matrix* V, svrmu_options* options);
svrmu_model* resumed(const svrmu_matrix* V, const svrmu_model* from, svrmu_options* options);
svrmu_model* streamed(const svrmu_matrix* V, svrmu_options* options);
svrmu_model* updated(const svrmu_matrix* V, const svrmu_model* from, svrmu_options* options);
svrmu_model* taken(svrmu_job* job);

/* A fit that ends only when it is stopped, after its first record. The options are freed. */
svrmu_job* endless_job(const svrmu_matrix* V);

/* The only text of that name. */
void check_text(const svrmu_model* model, const char* which, const char* expected);
svrmu_model_facts facts_of(const svrmu_model* model);
svrmu_dense dense_of(const svrmu_model* model, const char* which);
/* The same bits in W and H. */
void check_same(const svrmu_model* a, const svrmu_model* b);

#endif
