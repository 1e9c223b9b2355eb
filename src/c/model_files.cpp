// Models in files and as bytes, and the page about one.
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "c/errors.hpp"
#include "c/job_registry.hpp"
#include "c/matrix.hpp"
#include "c/model.hpp"
#include "c/settings.hpp"
#include "svrmu/report/model_page.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

// Bytes that svrmu_bytes_free() frees.
void copy_bytes(std::string_view from, unsigned char*& to, std::size_t& count) {
  auto* bytes = static_cast<unsigned char*>(std::malloc(from.empty() ? 1 : from.size()));
  if (bytes == nullptr) throw std::bad_alloc();
  std::memcpy(bytes, from.data(), from.size());
  to = bytes;
  count = from.size();
}

template <class Scalar>
std::string page_about(const io::Model<Scalar>& model, const Data* data, Settings& settings) {
  report::ModelReportOptions<Scalar> options;
  if (const auto title = settings.take_text("title")) options.title = *title;
  if (const auto image = settings.take_text("image")) options.image = report::parse_image_shape(*image);
  settings.finish();
  const FitResult<Scalar>& fit = model.fit;
  if (options.image && options.image->rows * options.image->columns != fit.W.rows())
    throw InvalidInput("image is " + shape_text(options.image->rows, options.image->columns) +
                       ", but the model has " + std::to_string(fit.W.rows()) + " features");
  if (data != nullptr) {
    options.V = &source_in<Scalar>(*data);
    if (fit.H.cols() == 0)
      throw InvalidInput("V was given, but the model learned from a stream and has no H to hold it against");
    if (options.V->features() != fit.W.rows() || options.V->samples() != fit.H.cols())
      throw InvalidInput("V is " + shape_text(options.V->features(), options.V->samples()) +
                         ", but the model was made from " + shape_text(fit.W.rows(), fit.H.cols()));
  }
  return report::html(report::model_page(model, options));
}

}  // namespace
}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_model_save(const svrmu_model* model, const char* path, int32_t overwrite) {
  return guarded([&] {
    JobRegistry::instance();
    const svrmu_model& of = required(model, "model");
    const std::string target = required_text(path, "path");
    std::visit([&](const auto& held) { svrmu::io::write_model(target, held, {.overwrite = overwrite != 0}); },
               *of.held);
  });
}

svrmu_code svrmu_model_load(const char* path, svrmu_model** model) {
  return guarded([&] {
    JobRegistry::instance();
    svrmu_model*& place = empty_place(model, "model");
    place = new svrmu_model(svrmu::io::read_model(required_text(path, "path")));
  });
}

svrmu_code svrmu_model_to_bytes(const svrmu_model* model, unsigned char** bytes, size_t* count) {
  return guarded([&] {
    JobRegistry::instance();
    unsigned char*& place = empty_place(bytes, "bytes");
    size_t& size = required(count, "count");
    std::visit(
        [&](const auto& held) {
          svrmu::io::write_model([&](std::string_view image) { copy_bytes(image, place, size); }, held);
        },
        *required(model, "model").held);
  });
}

svrmu_code svrmu_model_from_bytes(const unsigned char* bytes, size_t count, svrmu_model** model) {
  return guarded([&] {
    JobRegistry::instance();
    svrmu_model*& place = empty_place(model, "model");
    const auto* begin = reinterpret_cast<const std::byte*>(&required(bytes, "bytes"));
    place = new svrmu_model(svrmu::io::read_model(std::span(begin, count)));
  });
}

svrmu_code svrmu_model_report(const svrmu_model* model, const svrmu_matrix* V, const svrmu_options* options,
                              unsigned char** bytes, size_t* count) {
  return guarded([&] {
    unsigned char*& place = empty_place(bytes, "bytes");
    size_t& size = required(count, "count");
    const svrmu_model& of = required(model, "model");
    Settings settings(options, "a report", "report");
    const Data* data = V == nullptr ? nullptr : V->data.get();
    const std::string page =
        std::visit([&](const auto& held) { return page_about(held, data, settings); }, *of.held);
    copy_bytes(page, place, size);
  });
}

void svrmu_bytes_free(unsigned char* bytes) { std::free(bytes); }

}  // extern "C"
