/// @file
/// The C interface of svrmu (library libsvrmu.so, target svrmu::c): nonnegative matrix factorization, V ~ WH,
/// for every language that can call C.
///
/// V has features in rows and samples in columns, W is features x K, H is K x samples. Who has samples in
/// rows hands over the same memory with both strides exchanged, or a sparse matrix with the other layout.
///
/// Work is done by jobs. A job runs on threads of the library, and the caller looks at it when it likes:
/// wait, progress, stop, result, free. Nothing calls back into the caller, with one exception: svrmu_reader.
///
/// Every function returns a code. If it is not SVRMU_OK, svrmu_message() tells people what was wrong and what
/// to do. No C++ exception leaves the library. Objects of different threads are independent. Functions that
/// take an object as const may be called by several threads at once, and so may svrmu_job_stop() and
/// svrmu_job_wait(); what changes or frees an object is for one thread at a time.
///
/// Structures that the library fills have their size passed along, so that they can grow: an older caller
/// gets what it knows.
#ifndef SVRMU_C_H
#define SVRMU_C_H

#include <stddef.h>
#include <stdint.h>

/// Stands before every function: what libsvrmu.so exports.
#if defined(__GNUC__) || defined(__clang__)
#define SVRMU_C_API __attribute__((visibility("default")))
#else
#define SVRMU_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What became of a call. The numbers are those of the program's exit codes, where it has them.
typedef enum svrmu_code {
  SVRMU_OK = 0,              ///< Done.
  SVRMU_INTERNAL_ERROR = 1,  ///< A defect of the library: please report it.
  SVRMU_INVALID_INPUT = 2,   ///< An argument or an option cannot be used.
  SVRMU_INVALID_DATA = 3,    ///< V, or the content of a file, cannot be used.
  SVRMU_IO_ERROR = 4,        ///< A file cannot be read or written, or a svrmu_reader failed.
  SVRMU_OUT_OF_MEMORY = 6,   ///< The work needs more memory than there is.
  SVRMU_RUNNING = 7,         ///< The job has not ended yet.
  SVRMU_CANCELLED = 130      ///< Ended by svrmu_job_stop() without a result.
} svrmu_code;

/// The type of numbers.
typedef enum svrmu_type {
  SVRMU_FLOAT32 = 1,  ///< C's float.
  SVRMU_FLOAT64 = 2   ///< C's double.
} svrmu_type;

/// How a sparse matrix is compressed.
typedef enum svrmu_layout {
  SVRMU_BY_COLUMNS = 1,  ///< Offsets are those of columns, indices are rows.
  SVRMU_BY_ROWS = 2      ///< Offsets are those of rows, indices are columns.
} svrmu_layout;

typedef struct svrmu_options svrmu_options;  ///< Options by name.
typedef struct svrmu_matrix svrmu_matrix;    ///< V: a view of the caller's memory, a reader, or a file.
typedef struct svrmu_job svrmu_job;          ///< Work that runs.
typedef struct svrmu_model svrmu_model;      ///< What a fit found.

/// A dense matrix where it lies: entry (i, j) is at data + i * row_stride + j * column_stride, in bytes. One
/// stride must be the size of a number, unless there is one row or one column; the other may leave gaps.
/// Strides of 0 and below are refused, and so are places that are not aligned. The stride of a single row or
/// column is not looked at.
typedef struct svrmu_dense {
  const void* data;       ///< Entry (0, 0).
  svrmu_type type;        ///< Type of the numbers.
  int64_t rows;           ///< Height.
  int64_t columns;        ///< Width.
  int64_t row_stride;     ///< Bytes from one row to the next.
  int64_t column_stride;  ///< Bytes from one column to the next.
} svrmu_dense;

/// A sparse matrix where it lies. Entries that are unsorted or repeated within a column (or row) are allowed:
/// the library then makes a sorted copy, in which repeated entries are added.
typedef struct svrmu_sparse {
  int64_t rows;          ///< Height.
  int64_t columns;       ///< Width.
  int64_t stored;        ///< Length of indices and values.
  svrmu_layout layout;   ///< By columns or by rows.
  svrmu_type type;       ///< Type of the values.
  int32_t offset_bytes;  ///< 4 or 8: signed integers of that size.
  int32_t index_bytes;   ///< 4 or 8, independent of offset_bytes.
  const void* offsets;   ///< Where each column (or row) begins, and where the last ends.
  const void* indices;   ///< The row (or column) of each entry.
  const void* values;    ///< Each entry.
} svrmu_sparse;

/// V by a function that reads some of its columns. It is called from threads of the library, one call at a
/// time, while jobs on it run.
typedef struct svrmu_reader {
  svrmu_type type;  ///< Type of the numbers.
  int64_t rows;     ///< Features.
  int64_t columns;  ///< Samples.
  /// Puts columns first .. first + count at `to`, one column after the other. Any answer but 0 ends the job
  /// with SVRMU_IO_ERROR.
  int (*read)(void* context, int64_t first, int64_t count, void* to);
  void* context;  ///< Handed to `read`.
} svrmu_reader;

/// @name Library
/// @{

/// The version of the library: "0.1.0".
SVRMU_C_API const char* svrmu_version(void);

/// What was wrong in the last call of this thread that did not return SVRMU_OK. Valid until the next call.
SVRMU_C_API const char* svrmu_message(void);

/// An option that there is. Texts live as long as the library.
typedef struct svrmu_option_info {
  const char* name;     ///< As svrmu_options_set() takes it: "max_epochs".
  const char* flag;     ///< The same on the command line, with underscores, accepted as well: "epochs".
  const char* type;     ///< "integer", "number", "boolean", "choice" or "text".
  const char* value;    ///< The default.
  const char* choices;  ///< Of a choice: "random|nndsvd|..."; else empty.
  const char* help;     ///< A clause for people.
  double least;         ///< The smallest number that is allowed.
  double most;          ///< The largest number that is allowed.
} svrmu_option_info;

/// The options of a kind of work: "fit" (what every fit takes, its stopping rules and penalties included),
/// "transform", "stream" (svrmu_start_stream() and svrmu_start_update()), "read" (svrmu_matrix_read()), or of
/// an algorithm by its name: "svrmu-acc". Fills at most `capacity` entries of `info_size` bytes each and sets
/// *count to how many there are.
SVRMU_C_API svrmu_code svrmu_list_options(const char* of, svrmu_option_info* to, size_t info_size,
                                          int64_t capacity, int64_t* count);

/// An algorithm that there is. Texts live as long as the library.
typedef struct svrmu_algorithm_info {
  const char* name;     ///< As the option "algorithm" takes it.
  const char* summary;  ///< What it is, and when to use it.
  const char* presets;  ///< As the option "preset" takes them, separated by "|"; else empty.
  int32_t outliers;     ///< 1: V ~ WH + R.
  int32_t streams;      ///< 1: svrmu_start_stream() takes it.
} svrmu_algorithm_info;

/// The algorithms, in the order of the documentation. Arguments as for svrmu_list_options().
SVRMU_C_API svrmu_code svrmu_list_algorithms(svrmu_algorithm_info* to, size_t info_size, int64_t capacity,
                                             int64_t* count);

/// @}

/// @name Options
/// Names and texts, as on the command line: times have units there ("10m"), seeds have 64 bits. Whether they
/// go together is judged when a job starts: a name that this kind of work does not have is refused, with the
/// nearest ones.
/// @{

/// No options.
SVRMU_C_API svrmu_code svrmu_options_new(svrmu_options** options);
/// Sets an option: "rank" to "20", "algorithm" to "svrmu-acc", "loss" to "kl". Setting it again replaces it.
SVRMU_C_API svrmu_code svrmu_options_set(svrmu_options* options, const char* name, const char* value);
/// Factors to begin with: "init_w" (features x K), "init_h" (K x samples), "init_r" (features x samples). The
/// values are copied.
SVRMU_C_API svrmu_code svrmu_options_set_dense(svrmu_options* options, const char* name,
                                               const svrmu_dense* value);
/// Frees options. NULL is allowed, here and in every function that frees.
SVRMU_C_API void svrmu_options_free(svrmu_options* options);

/// @}

/// @name Matrices
/// A view must outlive its svrmu_matrix, and a svrmu_matrix the jobs on it. Values are not changed.
/// @{

/// V in dense memory. Nothing is copied.
SVRMU_C_API svrmu_code svrmu_matrix_dense(const svrmu_dense* V, svrmu_matrix** matrix);
/// V in sparse memory. Nothing is copied if it is by columns and its entries are sorted; svrmu_matrix_facts
/// tells what was.
SVRMU_C_API svrmu_code svrmu_matrix_sparse(const svrmu_sparse* V, svrmu_matrix** matrix);
/// V by a function.
SVRMU_C_API svrmu_code svrmu_matrix_reader(const svrmu_reader* V, svrmu_matrix** matrix);
/// V from a file of any format of docs/formats.md; "cells.h5ad:layers/counts" names a member. `options` (may
/// be NULL): samples, precision, threads, format, delimiter, decimal, row_names, column_names.
SVRMU_C_API svrmu_code svrmu_matrix_read(const char* path, const svrmu_options* options,
                                         svrmu_matrix** matrix);
/// Frees a matrix, not the memory that it is a view of.
SVRMU_C_API void svrmu_matrix_free(svrmu_matrix* matrix);

/// What is known of a matrix without looking at its values.
typedef struct svrmu_matrix_facts {
  int64_t features;      ///< Rows of V.
  int64_t samples;       ///< Columns of V.
  int64_t stored;        ///< Entries held.
  svrmu_type type;       ///< Type of its values.
  int32_t sparse;        ///< 1: only some entries are held.
  int64_t copied_bytes;  ///< Memory that the library took to bring V into a form that it can use.
} svrmu_matrix_facts;

/// What is known of a matrix.
SVRMU_C_API svrmu_code svrmu_matrix_get_facts(const svrmu_matrix* matrix, svrmu_matrix_facts* facts,
                                              size_t facts_size);

/// Texts of a list, one after the other: text i is bytes ends[i - 1] .. ends[i] of `bytes`, UTF-8, without
/// zeros between them. They live as long as the object that they were asked of.
typedef struct svrmu_texts {
  const char* bytes;    ///< All texts.
  const int64_t* ends;  ///< Where each ends.
  int64_t count;        ///< How many there are.
} svrmu_texts;

/// "feature_names", "sample_names" or "notes" of a matrix from a file; a view has none.
SVRMU_C_API svrmu_code svrmu_matrix_get_texts(const svrmu_matrix* matrix, const char* which,
                                              svrmu_texts* texts);

/// @}

/// @name Jobs
/// A start returns at once. It checks its options first; V is checked by the job. V, and a model that is gone
/// on from, must live until the job has ended. Options may be NULL where nothing is needed.
/// @{

/// Factorizes V. Options "rank", "algorithm", "preset", "robust", those of "fit" and those of the algorithm.
SVRMU_C_API svrmu_code svrmu_start_fit(const svrmu_matrix* V, const svrmu_options* options, svrmu_job** job);
/// Goes on from a model, with the same bits as if it had never stopped. Options: those that end the fit,
/// "threads", "evaluate_every", "normalize".
SVRMU_C_API svrmu_code svrmu_start_resume(const svrmu_matrix* V, const svrmu_model* model,
                                          const svrmu_options* options, svrmu_job** job);
/// Learns W from V as from a stream: each column once, in its order. H is not kept. Options as for a fit, and
/// those of "stream".
SVRMU_C_API svrmu_code svrmu_start_stream(const svrmu_matrix* V, const svrmu_options* options,
                                          svrmu_job** job);
/// Goes on learning W from new samples, each seen once. Options: those of "stream".
SVRMU_C_API svrmu_code svrmu_start_update(const svrmu_matrix* V, const svrmu_model* model,
                                          const svrmu_options* options, svrmu_job** job);
/// H (and outliers) of V under the model's W, loss and penalties. Options: those of "transform".
SVRMU_C_API svrmu_code svrmu_start_transform(const svrmu_matrix* V, const svrmu_model* model,
                                             const svrmu_options* options, svrmu_job** job);
/// H of V under a W of the caller's, features x K, which is copied. Options: "loss", "l1_h", "l2_h" and those
/// of "transform".
SVRMU_C_API svrmu_code svrmu_start_transform_by(const svrmu_matrix* V, const svrmu_dense* W,
                                                const svrmu_options* options, svrmu_job** job);
/// What a fit with these options would do: algorithm, memory, warnings. V is looked at once.
SVRMU_C_API svrmu_code svrmu_start_plan(const svrmu_matrix* V, const svrmu_options* options, svrmu_job** job);

/// Waits until the job has ended, at most so many seconds (below 0: as long as it takes). SVRMU_RUNNING: it
/// goes on. Otherwise the code of the work itself, also when called again; svrmu_message() has its message.
SVRMU_C_API svrmu_code svrmu_job_wait(svrmu_job* job, double seconds);

/// Asks the job to end soon. A fit then has a result, that of its best epoch. What has nothing to show yet is
/// SVRMU_CANCELLED: a transform, a plan, a fit before its first record.
SVRMU_C_API void svrmu_job_stop(svrmu_job* job);

/// One evaluation of the objective. Counts and times are totals since the start of the run.
typedef struct svrmu_record {
  int64_t epoch;            ///< 0 is the start.
  int64_t run;              ///< 0 for the first of the restarts, 1 for the next, ...
  double objective;         ///< Loss, outlier penalty and penalties on W and H.
  double cost;              ///< The loss alone.
  double relative_error;    ///< ||V - WH - R|| / ||V||, whatever the loss.
  double relative_change;   ///< Of the objective since the evaluation before; NaN for the first.
  double kkt;               ///< Projected gradient relative to the start; NaN unless it is asked for.
  double gradient_count;    ///< Entries of V that entered gradients of W.
  int64_t columns_read;     ///< Columns of V served to the solver and its start.
  double solver_seconds;    ///< Time in the solver.
  double evaluate_seconds;  ///< Time in evaluations.
  double step;              ///< Step ratio.
  int64_t rollbacks;        ///< Epochs that the safeguard has undone.
  int32_t rolled_back;      ///< 1: this epoch was undone.
  int32_t estimated;        ///< 1: of a stream, so the objective is a running sum.
  int32_t partial;          ///< 1: the run was interrupted in this epoch.
  int32_t unused;           ///< 0.
  double violation;         ///< Projected gradients met by hals, relative to the first epoch; else NaN.
} svrmu_record;

/// The records that a running job has made so far, from number `first` on (from 0, restarts one after the
/// other). Fills at most `capacity` of them, of record_size bytes each, and sets *count to how many it
/// filled.
SVRMU_C_API svrmu_code svrmu_job_progress(const svrmu_job* job, int64_t first, svrmu_record* to,
                                          size_t record_size, int64_t capacity, int64_t* count);

/// The model that a fit, a resume, a stream or an update made. It is the caller's and outlives the job.
SVRMU_C_API svrmu_code svrmu_job_take_model(svrmu_job* job, svrmu_model** model);

/// What transform() found. H lives as long as the job.
typedef struct svrmu_transformed {
  svrmu_dense H;          ///< K x samples.
  svrmu_sparse outliers;  ///< Features x samples, by columns; 0 x 0 where the model has none.
  int64_t unfinished;     ///< Samples that "max_sweeps" ended before their tolerance did.
} svrmu_transformed;

/// The answer of a transform.
SVRMU_C_API svrmu_code svrmu_job_get_transformed(const svrmu_job* job, svrmu_transformed* to, size_t size);

/// What a plan found. Texts live as long as the job.
typedef struct svrmu_plan {
  const char* algorithm;   ///< That would be used.
  const char* reason;      ///< Why it was chosen; empty where it was named.
  const char* start;       ///< Where the iteration would begin.
  double bytes;            ///< Memory beyond V, at its peak.
  double nonzeros;         ///< Entries of V that are not 0.
  double least;            ///< The smallest value of V.
  double most;             ///< The largest.
  double mean;             ///< Of all entries.
  int64_t empty_features;  ///< Features without a value.
  int64_t empty_samples;   ///< Samples without a value.
  svrmu_texts options;     ///< Of the algorithm, filled in: "name=value".
  svrmu_texts warnings;    ///< What the caller should know.
} svrmu_plan;

/// The answer of a plan.
SVRMU_C_API svrmu_code svrmu_job_get_plan(const svrmu_job* job, svrmu_plan* to, size_t size);

/// Stops the job, waits until it has ended, and frees it. Jobs that are left when the program ends are
/// stopped and waited for.
SVRMU_C_API void svrmu_job_free(svrmu_job* job);

/// @}

/// @name Models
/// @{

/// The numbers of a model.
typedef struct svrmu_model_facts {
  int64_t features;      ///< Rows of W.
  int64_t rank;          ///< K.
  int64_t samples;       ///< Columns of H; 0 for a model of a stream.
  svrmu_type type;       ///< Of W and H.
  int32_t has_outliers;  ///< 1: V ~ WH + R.
  int32_t can_resume;    ///< 1: svrmu_start_resume() can go on with it.
  int32_t unused;        ///< 0.
  uint64_t seed;         ///< Of the run that was kept.
  int64_t returned;      ///< The record that belongs to W and H.
  int64_t records;       ///< How many there are.
  int64_t columns_seen;  ///< Of a stream; else 0.
  double null_cost;      ///< Loss of the null model; NaN where it is not known.
  double explained;      ///< Share of it that is gone; NaN where there is none.
} svrmu_model_facts;

/// The numbers of a model.
SVRMU_C_API svrmu_code svrmu_model_get_facts(const svrmu_model* model, svrmu_model_facts* facts,
                                             size_t facts_size);
/// "W", "H" or "column_norms" (1 x K, double; 1 x 0 unless W was normalized), or dense outliers "R". It lives
/// as long as the model.
SVRMU_C_API svrmu_code svrmu_model_get_dense(const svrmu_model* model, const char* which, svrmu_dense* to);
/// Outliers "R" of a model that keeps them sparse, by columns; 0 x 0 where it has none. It lives as long as
/// the model.
SVRMU_C_API svrmu_code svrmu_model_get_sparse(const svrmu_model* model, const char* which, svrmu_sparse* to);
/// The history of the run that was kept. Arguments as for svrmu_job_progress().
SVRMU_C_API svrmu_code svrmu_model_get_history(const svrmu_model* model, int64_t first, svrmu_record* to,
                                               size_t record_size, int64_t capacity, int64_t* count);
/// Texts: "algorithm", "choice", "stop_reason", "loss", "quality", "summary", "version", "created",
/// "command", "preprocessing" (one each); "warnings", "feature_names", "sample_names" (as many as there are);
/// "options" of the algorithm, "fit_options" that were asked for, "name=value" each. They live as long as the
/// model, names until they are set anew.
SVRMU_C_API svrmu_code svrmu_model_get_texts(const svrmu_model* model, const char* which, svrmu_texts* texts);
/// Sets "feature_names" or "sample_names"; count 0 removes them.
SVRMU_C_API svrmu_code svrmu_model_set_texts(svrmu_model* model, const char* which, const svrmu_texts* texts);
/// Writes the model into a file, whole or not at all. overwrite 0 refuses a file that is there.
SVRMU_C_API svrmu_code svrmu_model_save(const svrmu_model* model, const char* path, int32_t overwrite);
/// Reads a model from a file.
SVRMU_C_API svrmu_code svrmu_model_load(const char* path, svrmu_model** model);
/// The bytes of that file in memory; free them with svrmu_bytes_free().
SVRMU_C_API svrmu_code svrmu_model_to_bytes(const svrmu_model* model, unsigned char** bytes, size_t* count);
/// A model from such bytes.
SVRMU_C_API svrmu_code svrmu_model_from_bytes(const unsigned char* bytes, size_t count, svrmu_model** model);
/// A page in HTML about a model, UTF-8 without a zero at its end. V may be NULL; with it the page shows how
/// well samples are approximated. Options: "image" ("19x19": features are pixels), "title".
SVRMU_C_API svrmu_code svrmu_model_report(const svrmu_model* model, const svrmu_matrix* V,
                                          const svrmu_options* options, unsigned char** bytes, size_t* count);
/// Frees what svrmu_model_to_bytes() or svrmu_model_report() made.
SVRMU_C_API void svrmu_bytes_free(unsigned char* bytes);
/// Frees a model.
SVRMU_C_API void svrmu_model_free(svrmu_model* model);

/// @}

#ifdef __cplusplus
}
#endif

#endif
