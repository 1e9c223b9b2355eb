// Columns that come as bytes: every framing, whole, cut off and wrong.
#include <gtest/gtest.h>

#include <cstring>

#include "files.hpp"
#include "io/npy_writer.hpp"
#include "svrmu/io/preprocess.hpp"
#include "svrmu/io/stream.hpp"

namespace svrmu::io {
namespace {

template <class Number>
std::string raw(std::initializer_list<Number> numbers) {
  std::string out;
  for (const Number number : numbers) out.append(reinterpret_cast<const char*>(&number), sizeof(Number));
  return out;
}
using U4 = std::uint32_t;
using U8 = std::uint64_t;

std::string frame_header(U8 features, U4 size, U4 width = 0) {
  return "SVRMUCOL" + raw<U4>({1, size, width > 0 ? 1u : 0u, width}) + raw<U8>({features});
}

Matrix<float> some_matrix() {
  Matrix<float> V(3, 7);
  for (Index i = 0; i < V.size(); ++i) V.data()[i] = static_cast<float>((i * 7) % 5);
  return V;
}

std::string values_of(const Matrix<float>& V, Index first, Index count) {
  return {reinterpret_cast<const char*>(V.data() + first * V.rows()),
          static_cast<std::size_t>(count * V.rows()) * sizeof(float)};
}

std::string dense_frames(const Matrix<float>& V) {
  return frame_header(3, 4) + raw<U8>({2}) + values_of(V, 0, 2) + raw<U8>({5}) + values_of(V, 2, 5) +
         raw<U8>({0, 7});
}

std::string sparse_frames(const Matrix<float>& V) {
  std::string text = frame_header(3, 4, 4);
  for (const auto& [first, count] : {std::pair{0, 4}, std::pair{4, 3}}) {
    std::string offsets = raw<U4>({0}), rows, values;
    U4 entries = 0;
    for (Index c = first; c < first + count; ++c) {
      for (Index r = 0; r < 3; ++r)
        if (V(r, c) > 0) {
          rows += raw<U4>({static_cast<U4>(r)});
          values += raw<float>({V(r, c)});
          ++entries;
        }
      offsets += raw<U4>({entries});
    }
    text += raw<U8>({static_cast<U8>(count)}) + offsets + rows + values;
  }
  return text + raw<U8>({0, 7});
}

std::string text_lines(const Matrix<float>& V) {
  std::string text = "a,b,c\n";
  for (Index c = 0; c < V.cols(); ++c)
    for (Index r = 0; r < 3; ++r) text += std::to_string(static_cast<int>(V(r, c))) + (r < 2 ? "," : "\n");
  return text;
}

// `step` bytes at a time.
ByteSource bytes_from(const std::string& text, std::size_t step) {
  return [&text, step, at = std::size_t{0}](std::byte* to, std::size_t most) mutable {
    const std::size_t count = std::min({most, text.size() - at, step});
    std::memcpy(to, text.data() + at, count);
    at += count;
    return count;
  };
}

template <class Scalar>
void append(const Batch<Scalar>& batch, Index features, Matrix<Scalar>& to) {
  const Index before = to.cols();
  to.conservativeResize(features, before + batch.count);
  to.rightCols(batch.count).setZero();
  for (Index c = 0; c < batch.count; ++c) {
    if (const auto* dense = std::get_if<DenseColumns<Scalar>>(&batch.data)) {
      for (Index r = 0; r < features; ++r) to(r, before + c) = dense->data[r + c * dense->column_stride];
    } else {
      const auto& sparse = std::get<SparseColumns<Scalar, std::int64_t>>(batch.data);
      for (auto p = sparse.offsets[c]; p < sparse.offsets[c + 1]; ++p)
        to(sparse.rows[p], before + c) = sparse.values[p];
    }
  }
}

struct Outcome {
  Matrix<float> V;
  std::string fault;
};

Outcome read_all(const std::string& text, Index most = 3, std::size_t step = 1 << 20,
                 const ReadOptions& options = {.precision = Precision::float32}) {
  Outcome out;
  try {
    StreamFile file(bytes_from(text, step), "pipe", options);
    FileColumns<float> columns(file);
    out.V.resize(columns.features(), 0);
    Batch<float> batch;
    while (columns.next(most, batch)) append(batch, columns.features(), out.V);
    EXPECT_EQ(columns.served(), out.V.cols());
    if (columns.fault()) std::rethrow_exception(columns.fault());
  } catch (const InvalidInput& error) {
    out.fault = error.what();
  }
  return out;
}

std::string fault_of(const std::string& text) { return read_all(text).fault; }

TEST(ColumnStream, EveryFramingServesTheSameColumnsHoweverItsBytesCome) {
  const Matrix<float> V = some_matrix();
  const ScratchFolder folder;
  write_npy(folder.file("f.npy"), dense_view(V));
  const RowMatrix<float> turned = V.transpose();
  write_npy(folder.file("c.npy"), dense_view(turned));
  for (const std::string& text : {dense_frames(V), sparse_frames(V), text_lines(V),
                                  read_text(folder.file("f.npy")), read_text(folder.file("c.npy"))})
    for (const Index most : {1, 2, 3, 7, 8, 100})
      for (const std::size_t step : {1u, 5u, 1000u}) {
        const Outcome found = read_all(text, most, step);
        EXPECT_EQ(found.fault, "");
        EXPECT_EQ(found.V, V) << most << " " << step;
      }
}

TEST(ColumnStream, ServesAsManyAsAreAskedForAndFewerOnlyAtTheEnd) {
  const std::string text = dense_frames(some_matrix());
  StreamFile file(bytes_from(text, 11), "pipe");
  EXPECT_EQ(file.header().format, "columns");
  EXPECT_EQ(file.header().elements, "float32");
  EXPECT_FALSE(file.header().is_double);
  FileColumns<float> columns(file);
  Batch<float> batch;
  std::vector<Index> counts;
  while (columns.next(3, batch)) counts.push_back(batch.count);
  EXPECT_EQ(counts, (std::vector<Index>{3, 3, 1}));
}

TEST(ColumnStream, CutOffAnywhereItIsToldFromAFinishedOne) {
  const Matrix<float> V = some_matrix();
  for (const std::string& text : {dense_frames(V), sparse_frames(V)})
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Outcome found = read_all(text.substr(0, size));
      EXPECT_NE(found.fault, "") << size;
      EXPECT_EQ(found.V.cols() % 3, 0) << "less than were asked for are not served before a fault";
      EXPECT_TRUE(found.V.size() == 0 || found.V == V.leftCols(found.V.cols())) << size;
    }
  const std::string text = dense_frames(V);
  EXPECT_EQ(fault_of(text.substr(0, 32 + 8 + 17)),
            "pipe: ends within column 2 (counted from 1), without the mark of its end: it was cut off");
  EXPECT_EQ(fault_of(text.substr(0, text.size() - 16)),
            "pipe: ends after column 7 (counted from 1), without the mark of its end: it was cut off");
}

TEST(ColumnStream, NothingFollowsItsEnd) {
  const std::string text = dense_frames(some_matrix());
  EXPECT_NE(fault_of(text + "x").find("goes on after the mark of its end"), std::string::npos);
  EXPECT_NE(fault_of(text.substr(0, text.size() - 8) + raw<U8>({8})).find("its end says 8"),
            std::string::npos);
}

TEST(ColumnStream, HostileHeadersAreRefusedByTheirField) {
  const std::string rest = raw<U8>({1}) + std::string(64, '\0');
  for (const auto& [header, word] :
       {std::pair{"SVRMUCOL" + raw<U4>({2, 4, 0, 0}) + raw<U8>({3}), "version"},
        std::pair{"SVRMUCOL" + raw<U4>({1, 2, 0, 0}) + raw<U8>({3}), "size of a value"},
        std::pair{"SVRMUCOL" + raw<U4>({1, 4, 7, 0}) + raw<U8>({3}), "sparse"},
        std::pair{"SVRMUCOL" + raw<U4>({1, 4, 0, 4}) + raw<U8>({3}), "size of a place"},
        std::pair{"SVRMUCOL" + raw<U4>({1, 4, 1, 3}) + raw<U8>({3}), "size of a place"},
        std::pair{frame_header(0, 4), "features"}, std::pair{frame_header(U8{1} << 31, 4), "features"},
        std::pair{frame_header(~U8{0}, 8), "features"}})
    EXPECT_NE(fault_of(header + rest).find(word), std::string::npos) << word << ": " << fault_of(header);
}

TEST(ColumnStream, HostileBlocksAreRefusedBeforeTheyTakeMemory) {
  EXPECT_NE(fault_of(frame_header(3, 4) + raw<U8>({~U8{0}})).find("a block of"), std::string::npos);
  EXPECT_NE(fault_of(frame_header(3, 4, 4) + raw<U8>({U8{1} << 40})).find("write smaller ones"),
            std::string::npos);
  EXPECT_NE(fault_of(frame_header(1 << 30, 4, 8) + raw<U8>({1, 0, 1 << 29})).find("write smaller ones"),
            std::string::npos);
  EXPECT_NE(fault_of(frame_header(3, 4, 4) + raw<U8>({2}) + raw<U4>({0, 2, 1})).find("offsets"),
            std::string::npos);
  EXPECT_NE(fault_of(frame_header(3, 4, 4) + raw<U8>({1}) + raw<U4>({0, 2, 1, 1})).find("rows must increase"),
            std::string::npos);
  EXPECT_NE(fault_of(frame_header(3, 4, 4) + raw<U8>({1}) + raw<U4>({0, 1, 3})).find("be below 3"),
            std::string::npos);
}

TEST(ColumnStream, AValueThatCannotBeUsedHasItsColumnAndItsRow) {
  Matrix<float> V = some_matrix();
  V(1, 5) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(fault_of(dense_frames(V)).find("pipe, column 6, row 2 (counted from 1): holds NaN"),
            std::string::npos)
      << fault_of(dense_frames(V));
  V(1, 5) = std::numeric_limits<float>::infinity();
  EXPECT_NE(fault_of(sparse_frames(V)).find("column 6, row 2 (counted from 1): holds an infinite"),
            std::string::npos);
  V(1, 5) = -1;
  const Outcome found = read_all(dense_frames(V));
  EXPECT_NE(found.fault.find("holds -1"), std::string::npos);
  EXPECT_EQ(found.V, some_matrix().leftCols(3)) << "what came before is served";
}

TEST(ColumnStream, LinesOfTextKeepTheirNumbers) {
  std::string text = "a;b\n";
  for (int i = 0; i < 60000; ++i) text += "1,5;" + std::to_string(i % 10) + "\n";
  const Outcome whole = read_all(text + "\n \n", 1000);
  EXPECT_EQ(whole.fault, "");
  EXPECT_EQ(whole.V.cols(), 60000);
  EXPECT_EQ(whole.V(0, 59999), 1.5f);
  EXPECT_NE(fault_of(text + "1,5;x\n").find("pipe, line 60002, column 5: cell 2 ('b') is 'x'"),
            std::string::npos)
      << fault_of(text + "1,5;x\n");
  EXPECT_NE(fault_of(text + "1,5\n").find("line 60002"), std::string::npos);
  EXPECT_NE(fault_of(text + "\n1,5;1\n").find("line 60002"), std::string::npos) << "an empty line within";
}

TEST(ColumnStream, TextHasNamesOfFeaturesAndOfSamples) {
  const std::string text = "id,a,b\nx,1,2\n\"y\nz\",3,4\n";
  StreamFile file(bytes_from(text, 3), "pipe");
  EXPECT_EQ(file.header().feature_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.header().samples, SamplesIn::rows);
  EXPECT_EQ(read_all(text).V, (Matrix<float>(2, 2) << 1, 3, 2, 4).finished());
}

TEST(ColumnStream, ArraysOfNumpyComeAsTheyLie) {
  const ScratchFolder folder;
  const Matrix<float> V = some_matrix();
  write_npy(folder.file("f.npy"), dense_view(V));
  const std::string text = read_text(folder.file("f.npy"));
  EXPECT_NE(read_all(text, 3, 100, {.samples = SamplesIn::rows}).fault.find("column by column"),
            std::string::npos);
  EXPECT_EQ(fault_of(text.substr(0, text.size() - 1)), "pipe: ends after 6 of 7 samples: it was cut off");
  EXPECT_EQ(fault_of(text + "x"), "pipe: goes on after its 7 samples");
}

TEST(ColumnStream, OtherFormatsAreRefusedByName) {
  EXPECT_NE(fault_of("%%MatrixMarket matrix").find(".mtx"), std::string::npos);
  EXPECT_NE(fault_of("\x1f\x8b....").find("gunzip"), std::string::npos);
  EXPECT_NE(fault_of("").find("is empty"), std::string::npos);
  EXPECT_NE(read_all("1,2\n", 1, 9, {.format = "h5"}).fault.find("format=h5"), std::string::npos);
  EXPECT_NE(read_all(dense_frames(some_matrix()), 1, 9, {.delimiter = ';'}).fault.find("delimiter="),
            std::string::npos);
}

TEST(ColumnStream, WhatIsDoneToThemIsDoneToThePieces) {
  const std::string text = dense_frames(some_matrix());
  StreamFile file(bytes_from(text, 100), "pipe");
  FileColumns<float> columns(file, [](MatrixFile& piece) {
    preprocess(piece, Preprocessing{{{PreprocessStep::sqrt, {}}}});
  });
  Matrix<float> found(3, 0);
  Batch<float> batch;
  while (columns.next(2, batch)) append(batch, 3, found);
  EXPECT_EQ(found, some_matrix().cwiseSqrt());
}

TEST(NpyWriter, WritesWhatWriteNpyWouldWhenTheNumberOfColumnsIsKnown) {
  const ScratchFolder folder;
  const Matrix<float> V = some_matrix();
  {
    NpyWriter<float> left(folder.file("left.npy"), 3, false);
    left.append(V);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("left.npy"))) << "without commit()";
  NpyWriter<float> writer(folder.file("V.npy"), 3, false);
  writer.append(V.leftCols(5));
  writer.append(V.rightCols(2));
  writer.commit();
  const MatrixFile file = read_matrix(folder.file("V.npy"));
  EXPECT_EQ(file.rows, 3);
  EXPECT_EQ(file.columns, 7);
  const float* values = std::get<StoredDense<float>>(file.matrix).data;
  EXPECT_EQ(Eigen::Map<const Matrix<float>>(values, 3, 7), V);
}

}  // namespace
}  // namespace svrmu::io
