// What two processes of the same program tell each other: values one after the other, as they lie in memory.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "svrmu/io/files.hpp"

namespace svrmu::cli {

class Message {
 public:
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(Value)); }
  void put(std::string_view text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const std::vector<std::string>& texts) {
    put(texts.size());
    for (const std::string& text : texts) put(text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void take(Value& value) { std::memcpy(&value, bytes(sizeof(Value)).data(), sizeof(Value)); }
  void take(std::string& text) {
    std::size_t size = 0;
    take(size);
    text = bytes(size);
  }
  void take(std::vector<std::string>& texts) {
    std::size_t count = 0;
    take(count);
    texts.clear();
    for (std::size_t i = 0; i < count; ++i) take(texts.emplace_back());
  }

 private:
  std::string_view bytes(std::size_t size) {
    if (size > rest_.size()) throw std::logic_error("a child process said too little");
    const std::string_view front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }
  std::string_view rest_;
};

// A matrix but for its values. `visit` is put() or take().
template <class File, class Visit>
void visit_description(File& file, const Visit& visit) {
  visit(file.format);
  visit(file.elements);
  visit(file.rows);
  visit(file.columns);
  visit(file.row_names);
  visit(file.column_names);
  visit(file.notes);
  visit(file.natural);
  visit(file.samples);
  visit(file.image_rows);
  visit(file.image_columns);
  visit(file.mapped);
}

inline void put(Message& message, const io::MatrixFile& file) {
  message.put(file.matrix.index());
  visit_description(file, [&](const auto& part) { message.put(part); });
}

inline void take(MessageReader& message, io::MatrixFile& file) {
  std::size_t kind = 0;
  message.take(kind);
  if (kind == 0) file.matrix = io::StoredDense<float>{};
  if (kind == 1) file.matrix = io::StoredDense<double>{};
  if (kind == 2) file.matrix = io::StoredSparse<float>{};
  if (kind == 3) file.matrix = io::StoredSparse<double>{};
  visit_description(file, [&](auto& part) { message.take(part); });
}

}  // namespace svrmu::cli
