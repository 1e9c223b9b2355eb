/* Every test of the C interface, each in a process of its own: c_tests NAME. */
#ifndef SVRMU_TESTS_C_TESTS_H
#define SVRMU_TESTS_C_TESTS_H

#include "support.h"

#define FOR_ALL_TESTS(TEST)                                  \
  TEST(lists_options_by_kind_of_work)                        \
  TEST(lists_algorithms)                                     \
  TEST(fills_as_much_of_a_structure_as_the_caller_has)       \
  TEST(refuses_arguments_that_are_null_by_name)              \
  TEST(refuses_options_of_a_fit_with_the_nearest_name)       \
  TEST(takes_names_of_the_command_line)                      \
  TEST(takes_times_with_units)                               \
  TEST(takes_every_seed_below_two_to_the_64)                 \
  TEST(names_the_nearest_options_and_who_lists_them)         \
  TEST(refuses_strides_that_make_no_matrix)                  \
  TEST(views_single_rows_and_columns_and_gaps)               \
  TEST(gives_the_same_bits_for_both_orders)                  \
  TEST(takes_sparse_matrices_in_every_storage)               \
  TEST(sorts_and_adds_entries_of_a_sparse_matrix)            \
  TEST(refuses_sparse_matrices_that_lead_outside)            \
  TEST(refuses_values_that_cannot_be_used_when_the_job_runs) \
  TEST(shows_the_records_of_a_running_job)                   \
  TEST(tells_which_of_the_restarts_a_record_belongs_to)      \
  TEST(stops_with_the_result_so_far)                         \
  TEST(frees_jobs_that_run)                                  \
  TEST(gives_a_cancelled_transform_no_result)                \
  TEST(reads_columns_by_a_function_with_the_same_bits)       \
  TEST(ends_a_job_when_its_reader_fails)                     \
  TEST(fits_a_matrix)                                        \
  TEST(fits_in_single_precision)                             \
  TEST(resumes_with_the_bits_of_a_run_that_never_stopped)    \
  TEST(refuses_what_a_fit_that_goes_on_has_decided)          \
  TEST(learns_from_a_stream_and_goes_on_with_it)             \
  TEST(refuses_what_a_stream_cannot_have)                    \
  TEST(transforms_by_a_model_and_by_a_matrix)                \
  TEST(transforms_by_a_matrix_with_loss_and_penalties)       \
  TEST(starts_from_factors_of_the_callers)                   \
  TEST(finds_outliers)                                       \
  TEST(plans_a_fit)                                          \
  TEST(tells_how_a_model_was_made)                           \
  TEST(keeps_names)                                          \
  TEST(saves_and_loads_a_model)                              \
  TEST(keeps_a_model_as_bytes)                               \
  TEST(makes_a_page_about_a_model)                           \
  TEST(reads_a_matrix_from_a_file)                           \
  TEST(ends_with_jobs_that_run)                              \
  TEST(ends_from_another_thread)                             \
  TEST(ends_from_a_reader)                                   \
  TEST(refuses_jobs_when_the_program_ends)                   \
  TEST(knows_jobs_of_the_parent_in_a_child)                  \
  TEST(leaves_signals_to_the_threads_of_the_caller)          \
  TEST(tells_why_it_refuses_after_an_earlier_message)        \
  TEST(frees_the_job_whose_reader_ends_the_program)          \
  TEST(tells_texts_to_several_threads_at_once)               \
  TEST(ends_a_child_that_a_reader_has_forked)                \
  TEST(reads_in_a_child_while_the_parents_reader_is_busy)    \
  TEST(loads_in_children_while_another_thread_loads)

#define DECLARE_TEST(NAME) void NAME(void);
FOR_ALL_TESTS(DECLARE_TEST)
#undef DECLARE_TEST

#endif
