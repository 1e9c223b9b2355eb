#include "c/matrix.hpp"

#include "c/errors.hpp"
#include "c/job_registry.hpp"
#include "c/settings.hpp"
#include "c/sparse.hpp"
#include "c/structs.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

void hand_over(Data data, svrmu_matrix*& place) {
  place = new svrmu_matrix{std::make_shared<const Data>(std::move(data))};
}

template <class Scalar>
Source<Scalar> dense_source(const svrmu_dense& V, const DensePlaces& places) {
  return view_dense(static_cast<const Scalar*>(V.data), V.rows, V.columns, places.layout, places.stride);
}

template <class Scalar>
Data sparse_data(const svrmu_sparse& V) {
  SparseView<Scalar> view = view_of<Scalar>(V);
  return {.source = std::move(view.source), .copied_bytes = view.copied_bytes};
}

void check_reader(const svrmu_reader& V) {
  size_of(V.type, "V");
  Index entries = 0;
  if (V.rows < 1 || V.columns < 1)
    throw InvalidInput("V is " + shape_text(V.rows, V.columns) +
                       "; it must have at least one row and one column");
  if (__builtin_mul_overflow(V.rows, V.columns, &entries))
    throw InvalidInput("V is " + shape_text(V.rows, V.columns) + ", which is more than can be counted");
  if (V.read == nullptr) throw InvalidInput("V: read is NULL");
}

// What a file that is compressed along its features needs besides.
Index transposed_bytes(const io::MatrixFile& file) {
  if (!io::needs_transposition(file)) return 0;
  const Index size = file.is_double() ? sizeof(double) : sizeof(float);
  return file.stored() * (size + Index{sizeof(Index)}) + (file.sample_count() + 1) * Index{sizeof(Index)};
}

Data read_data(const std::string& path, const svrmu_options* options) {
  Settings settings(options, "reading a file", "read");
  io::ReadOptions how;
  settings.take(how);
  settings.finish();
  Data data;
  data.file = io::read_matrix(path, how);
  if (data.file->is_double())
    data.source = io::open_source<double>(*data.file);
  else
    data.source = io::open_source<float>(*data.file);
  data.copied_bytes = transposed_bytes(*data.file);
  return data;
}

svrmu_matrix_facts facts_of(const Data& data) {
  return std::visit(
      [&]<class Scalar>(const Source<Scalar>& V) -> svrmu_matrix_facts {
        return {V->features(),   V->samples(),           V->stored(),
                type_of<Scalar>, V->is_sparse() ? 1 : 0, data.copied_bytes};
      },
      data.source);
}

std::vector<std::string> texts_of(const Data& data, std::string_view which) {
  const bool features = which == "feature_names", samples = which == "sample_names";
  if (!features && !samples && which != "notes")
    throw InvalidInput("a matrix has no texts '" + std::string(which) + "'; " +
                       nearest_text(which, {"feature_names", "sample_names", "notes"}));
  if (!data.file) return {};
  return features ? data.file->feature_names() : samples ? data.file->sample_names() : data.file->notes;
}

}  // namespace
}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_matrix_dense(const svrmu_dense* V, svrmu_matrix** matrix) {
  return guarded([&] {
    svrmu_matrix*& place = empty_place(matrix, "matrix");
    const DensePlaces places = places_of(required(V, "V"), "V");
    if (V->type == SVRMU_FLOAT32)
      hand_over({.source = dense_source<float>(*V, places)}, place);
    else
      hand_over({.source = dense_source<double>(*V, places)}, place);
  });
}

svrmu_code svrmu_matrix_sparse(const svrmu_sparse* V, svrmu_matrix** matrix) {
  return guarded([&] {
    svrmu_matrix*& place = empty_place(matrix, "matrix");
    check_sparse(required(V, "V"));
    hand_over(V->type == SVRMU_FLOAT32 ? sparse_data<float>(*V) : sparse_data<double>(*V), place);
  });
}

svrmu_code svrmu_matrix_reader(const svrmu_reader* V, svrmu_matrix** matrix) {
  return guarded([&] {
    svrmu_matrix*& place = empty_place(matrix, "matrix");
    check_reader(required(V, "V"));
    if (V->type == SVRMU_FLOAT32)
      hand_over({.source = reader_source<float>(*V)}, place);
    else
      hand_over({.source = reader_source<double>(*V)}, place);
  });
}

svrmu_code svrmu_matrix_read(const char* path, const svrmu_options* options, svrmu_matrix** matrix) {
  return guarded([&] {
    JobRegistry::instance();
    svrmu_matrix*& place = empty_place(matrix, "matrix");
    hand_over(read_data(required_text(path, "path"), options), place);
  });
}

void svrmu_matrix_free(svrmu_matrix* matrix) { delete matrix; }

svrmu_code svrmu_matrix_get_facts(const svrmu_matrix* matrix, svrmu_matrix_facts* facts, size_t facts_size) {
  return guarded([&] {
    check_size(facts_size, "facts_size");
    put_struct(facts_of(*required(matrix, "matrix").data), &required(facts, "facts"), facts_size);
  });
}

svrmu_code svrmu_matrix_get_texts(const svrmu_matrix* matrix, const char* which, svrmu_texts* texts) {
  return guarded([&] {
    const svrmu_matrix& of = required(matrix, "matrix");
    const std::string_view name = required_text(which, "which");
    required(texts, "texts") = of.texts.get(name, [&] { return texts_of(*of.data, name); });
  });
}

}  // extern "C"
