// .npy files: round trips, a file as NumPy writes it, and refusals.
#include "tlx/Launch/Npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

using namespace tlx::rt;

static std::filesystem::path temporary(const char *name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

static HostTensor tensorOf(ElementType type, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  HostTensor tensor{"t", type, std::move(shape), std::move(strides), 0, {}};
  tensor.allocate();
  std::vector<double> row(size_t(tensor.rowLength()));
  for (int64_t i = 0; i < tensor.rowCount(); ++i) {
    for (size_t column = 0; column < row.size(); ++column)
      row[column] = double((i * tensor.rowLength() + int64_t(column)) % 2);
    tensor.writeRow(i, row.data());
  }
  return tensor;
}

TEST(Npy, EveryTypeSurvives) {
#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER)                                                                \
  {                                                                                                                    \
    HostTensor tensor = tensorOf(ElementType::NAME, {3, 2, 5}, {10, 5, 1});                                            \
    ASSERT_TRUE(writeNpy(tensor, temporary("t.npy")));                                                                 \
    auto read = readNpy(temporary("t.npy"));                                                                           \
    ASSERT_TRUE(read) << read.error().text;                                                                            \
    EXPECT_EQ(read->shape, tensor.shape);                                                                              \
    double expected[5], found[5];                                                                                      \
    for (int64_t row = 0; row < 6; ++row) {                                                                            \
      tensor.readRow(row, expected), read->readRow(row, found);                                                        \
      EXPECT_EQ(std::memcmp(expected, found, sizeof found), 0) << SPELLING;                                            \
    }                                                                                                                  \
  }
#include "tlx/Manifest/ElementTypes.def"
}

TEST(Npy, StridesAreResolved) {
  HostTensor tensor = tensorOf(ElementType::FP32, {2, 3}, {1, 4});
  ASSERT_TRUE(writeNpy(tensor, temporary("s.npy")));
  auto read = readNpy(temporary("s.npy"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->strides, (std::vector<int64_t>{3, 1}));
  double row[3];
  read->readRow(1, row);
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[1], 0);
}

static void writeFile(const char *header, std::string data, std::string magic = "\x93NUMPY") {
  std::string text = header;
  text.resize(117, ' ');
  text += '\n';
  std::ofstream(temporary("n.npy"), std::ios::binary) << magic << '\x01' << '\0' << char(118) << '\0' << text << data;
}

TEST(Npy, FortranOrder) {
  float values[] = {0, 3, 1, 4, 2, 5};
  writeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
            std::string(reinterpret_cast<char *>(values), sizeof values));
  auto read = readNpy(temporary("n.npy"));
  ASSERT_TRUE(read) << read.error().text;
  double row[3];
  for (int i = 0; i < 2; ++i) {
    read->readRow(i, row);
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(row[j], 3 * i + j);
  }
}

TEST(Npy, Refuses) {
  auto text = [] {
    auto read = readNpy(temporary("n.npy"));
    EXPECT_FALSE(read);
    std::string all = read.error().text;
    return all.substr(all.find("`: ") + 3);
  };
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string(23, 'x'));
  EXPECT_EQ(text(), "has 23 bytes of data; its shape needs 24");
  writeFile("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", std::string(8, 'x'));
  EXPECT_EQ(text(), "has elements of `>f4`, which are not read here");
  writeFile("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", std::string(8, 'x'));
  EXPECT_EQ(text(), "has elements of `<c8`, which are not read here");
  writeFile("", "", "NUMPY!");
  EXPECT_EQ(text(), "is not an .npy file");
  std::filesystem::remove(temporary("n.npy"));
  auto read = readNpy(temporary("n.npy"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text, "`" + temporary("n.npy").string() + "` cannot be opened");
}
