// References against the plainest loops that compute the same, and what the comparison accepts and refuses.
#include "tlx/Launch/Expectation.h"
#include "tlx/Launch/LaunchSession.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tlx::rt;

namespace {

using Index = std::vector<int64_t>;

double at(const HostTensor &tensor, const Index &index) {
  int64_t offset = tensor.offset;
  for (size_t axis = 0; axis < index.size(); ++axis)
    offset += index[axis] * tensor.strides[axis];
  return decodeElement(tensor.dtype, tensor.storage.data() + offset * byteSize(tensor.dtype));
}

/// Tensors of a launch file; the output can be set element by element.
struct Case {
  LaunchFile file;
  std::vector<HostTensor> before, after;

  explicit Case(const std::string &tensors, const std::string &expect) {
    auto parsed = parseLaunchFile(
        R"({"manifest": "m", "grid": [1], "tensors": {)" + tensors + R"(}, "expect": {"y": )" + expect + "}}", "");
    EXPECT_TRUE(parsed) << parsed.error().text;
    file = *parsed;
    before = *makeTensors(file);
    after = before;
  }

  const HostTensor &operator[](const char *name) const {
    return before[size_t(file.findTensor(name) - file.tensors.data())];
  }

  HostTensor &output() { return after[size_t(file.findTensor("y") - file.tensors.data())]; }

  void set(const Index &index, double value) {
    HostTensor &y = output();
    int64_t offset = y.offset;
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset += index[axis] * y.strides[axis];
    encodeElement(y.dtype, value, y.storage.data() + offset * byteSize(y.dtype));
  }

  void fill(const std::function<double(const Index &)> &value) {
    HostTensor &y = output();
    for (int64_t row = 0; row < y.rowCount(); ++row)
      for (int64_t column = 0; column < y.rowLength(); ++column)
        set(y.indices(row, column), value(y.indices(row, column)));
  }

  Verdict check() {
    auto verdict = checkExpectation(file, file.expect[0], before, after);
    EXPECT_TRUE(verdict) << verdict.error().text;
    return verdict ? *verdict : Verdict();
  }

  std::string refusal() {
    auto verdict = checkExpectation(file, file.expect[0], before, after);
    return verdict ? "accepted" : verdict.error().text;
  }

  /// Accepts the right output exactly, and refuses it after one element is changed.
  void expectExact() {
    Verdict verdict = check();
    EXPECT_TRUE(verdict.passed) << verdict.text;
    Index last;
    for (int64_t size : output().shape)
      last.push_back(size - 1);
    set(last, at(output(), last) * 1.5 + 1);
    EXPECT_FALSE(check().passed);
  }
};

std::string tensor(const char *name, const char *dtype, const char *shape, const char *rest = R"("init": "randn")") {
  return std::string("\"") + name + R"(": {"dtype": ")" + dtype + R"(", "shape": )" + shape + ", " + rest + "}";
}

const std::string nanInit = R"("init": "nan")";

TEST(Expectation, MatmulPlain) {
  Case c(tensor("a", "fp16", "[5, 7]") + "," + tensor("b", "fp16", "[7, 9]", R"("strides": [1, 7], "init": "randn")") +
             "," + tensor("y", "fp64", "[5, 9]"),
         R"({"matmul": ["a", "b"], "rtol": 1e-14})");
  c.fill([&](const Index &i) {
    double sum = 0;
    for (int64_t k = 0; k < 7; ++k)
      sum += at(c["a"], {i[0], k}) * at(c["b"], {k, i[1]});
    return sum;
  });
  c.expectExact();
}

TEST(Expectation, MatmulTransposedBatchedScaledAdded) {
  Case c(tensor("a", "bf16", "[3, 7, 5]") + "," + tensor("b", "bf16", "[3, 9, 7]") + "," +
             tensor("bias", "fp32", "[9]") + "," + tensor("y", "fp64", "[3, 5, 9]"),
         R"({"matmul": ["a", "b"], "trans_a": true, "trans_b": true, "alpha": 0.5, "add": "bias", "rtol": 1e-14})");
  c.fill([&](const Index &i) {
    double sum = 0;
    for (int64_t k = 0; k < 7; ++k)
      sum += at(c["a"], {i[0], k, i[1]}) * at(c["b"], {i[0], i[2], k});
    return 0.5 * sum + at(c["bias"], {i[2]});
  });
  c.expectExact();
}

TEST(Expectation, MatmulBatchedBySharedMatrixInDouble) {
  Case c(tensor("a", "fp64", "[2, 4, 600]") + "," +
             tensor("b", "i32", "[600, 700]", R"("init": {"randint": [-9, 9]})") + "," +
             tensor("y", "fp64", "[2, 4, 700]"),
         R"({"matmul": ["a", "b"], "rtol": 1e-13})");
  c.fill([&](const Index &i) {
    double sum = 0;
    for (int64_t k = 0; k < 600; ++k)
      sum += at(c["a"], {i[0], i[1], k}) * at(c["b"], {k, i[2]});
    return sum;
  });
  c.expectExact();
}

double attentionSum(const Case &c, const Index &i, int64_t keys, double scale, double *out) {
  const HostTensor &q = c["q"], &k = c["k"];
  int64_t head = i[0] / (q.shape[0] / k.shape[0]);
  double sum = 0, weighted = 0;
  for (int64_t j = 0; j < keys; ++j) {
    double score = 0;
    for (int64_t d = 0; d < q.shape[2]; ++d)
      score += at(q, {i[0], i[1], d}) * at(k, {head, j, d});
    double weight = std::exp(scale * score);
    sum += weight;
    if (out)
      weighted += weight * at(c["v"], {head, j, i[2]});
  }
  if (out)
    *out = weighted / sum;
  return sum;
}

TEST(Expectation, AttentionFullWithSharedKeyHeads) {
  Case c(tensor("q", "fp16", "[4, 6, 8]") + "," + tensor("k", "fp16", "[2, 11, 8]") + "," +
             tensor("v", "fp16", "[2, 11, 3]") + "," + tensor("y", "fp64", "[4, 6, 3]"),
         R"({"attention": ["q", "k", "v"], "kv_len": 10, "rtol": 1e-13})");
  c.fill([&](const Index &i) {
    double value = 0;
    attentionSum(c, i, 10, 1 / std::sqrt(8.0), &value);
    return value;
  });
  c.expectExact();
}

TEST(Expectation, AttentionCausal) {
  for (bool bottomRight : {false, true}) {
    Case c(tensor("q", "bf16", "[2, 5, 4]") + "," + tensor("k", "bf16", "[2, 9, 4]") + "," +
               tensor("v", "bf16", "[2, 9, 4]") + "," + tensor("y", "fp64", "[2, 5, 4]"),
           std::string(R"({"attention": ["q", "k", "v"], "scale": 0.3, "rtol": 1e-13, "causal": )") +
               (bottomRight ? "\"bottom-right\"" : "true") + "}");
    c.fill([&](const Index &i) {
      double value = 0;
      attentionSum(c, i, i[1] + 1 + (bottomRight ? 4 : 0), 0.3, &value);
      return value;
    });
    c.expectExact();
  }
}

TEST(Expectation, LogarithmOfSums) {
  for (bool base2 : {false, true}) {
    Case c(tensor("q", "fp16", "[3, 5, 4]") + "," + tensor("k", "fp16", "[3, 5, 4]") + "," +
               tensor("y", "fp64", "[3, 5]"),
           std::string(R"({"attention_lse": ["q", "k"], "causal": true, "rtol": 1e-13, "base2": )") +
               (base2 ? "true}" : "false}"));
    c.fill([&](const Index &i) {
      double sum = attentionSum(c, i, i[1] + 1, 0.5, nullptr);
      return base2 ? std::log2(sum) : std::log(sum);
    });
    c.expectExact();
  }
}

TEST(Expectation, SoftmaxLayerNormSum) {
  Case softmax(tensor("x", "fp32", "[3, 10]") + "," + tensor("y", "fp64", "[3, 10]"),
               R"({"softmax": "x", "rtol": 1e-13})");
  softmax.fill([&](const Index &i) {
    double sum = 0;
    for (int64_t j = 0; j < 10; ++j)
      sum += std::exp(at(softmax["x"], {i[0], j}));
    return std::exp(at(softmax["x"], i)) / sum;
  });
  softmax.expectExact();

  Case norm(tensor("x", "fp32", "[3, 10]") + "," + tensor("w", "fp32", "[10]") + "," + tensor("b", "fp32", "[10]") +
                "," + tensor("y", "fp64", "[3, 10]"),
            R"({"layernorm": ["x", "w", "b"], "eps": 0.01, "rtol": 1e-12})");
  norm.fill([&](const Index &i) {
    double mean = 0, squares = 0;
    for (int64_t j = 0; j < 10; ++j)
      mean += at(norm["x"], {i[0], j}) / 10;
    for (int64_t j = 0; j < 10; ++j)
      squares += std::pow(at(norm["x"], {i[0], j}) - mean, 2) / 10;
    return (at(norm["x"], i) - mean) / std::sqrt(squares + 0.01) * at(norm["w"], {i[1]}) + at(norm["b"], {i[1]});
  });
  norm.expectExact();

  Case sum(tensor("a", "fp32", "[30]") + "," + tensor("b", "fp32", "[30]") + "," + tensor("y", "fp32", "[30]"),
           R"({"sum": ["a", "b"], "rtol": 0})");
  sum.fill([&](const Index &i) { return at(sum["a"], i) + at(sum["b"], i); });
  sum.expectExact();
}

TEST(Expectation, NaNNeverPasses) {
  Case c(tensor("x", "fp16", "[4, 4]", R"("init": "nan")") + "," + tensor("y", "fp16", "[4, 4]", nanInit.c_str()),
         R"({"equal": "x"})");
  Verdict verdict = c.check();
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.text, "16 elements are not finite or should not be, first nan instead of nan at [0, 0]");
}

TEST(Expectation, EqualInfinitiesPass) {
  Case c(tensor("x", "fp16", "[4]", R"("init": {"full": 1e9})") + "," +
             tensor("y", "fp16", "[4]", R"("init": {"full": 2e9})"),
         R"({"equal": "x"})");
  EXPECT_TRUE(c.check().passed);
  c.set({2}, 5);
  EXPECT_EQ(c.check().text, "1 elements are not finite or should not be, first 5 instead of inf at [2]");
}

TEST(Expectation, LimitsAreApplied) {
  Case c(tensor("x", "fp32", "[100]", R"("init": {"full": 1})") + "," +
             tensor("y", "fp32", "[100]", R"("init": {"full": 1})"),
         R"({"sum": ["x"], "rtol": 0.01, "atol": 0.05})");
  c.set({7}, 1.04);
  EXPECT_TRUE(c.check().passed);
  c.set({7}, 1.06);
  EXPECT_EQ(c.check().text,
            "relative error 0.006 (limit 0.01), largest error 0.06 (limit 0.05): 1.06 instead of 1 at [7]");
  EXPECT_FALSE(c.check().passed);
  c.fill([](const Index &) { return 1.02; });
  EXPECT_FALSE(c.check().passed);
}

TEST(Expectation, WritesBesideTheTensorAreSeen) {
  Case c(tensor("x", "fp16", "[2, 3]", R"("init": "zeros")") + "," +
             tensor("y", "fp16", "[2, 3]", R"("strides": [4, 1], "init": "zeros")"),
         R"({"equal": "x"})");
  EXPECT_TRUE(c.check().passed);
  c.output().storage[7] = std::byte{0};
  EXPECT_EQ(c.check().text, "byte 7 of the storage, outside of the tensor, was overwritten");
}

TEST(Expectation, MatmulWithBlockScales) {
  // 130 rows and K of 160: two blocks of 128 rows by two of 128 elements for A, one by two for B.
  const std::string scaled = R"({"matmul": ["a", "b"], "trans_b": true, "scales": ["sa", "sb"], "rtol": 1e-14})";
  const std::string operands = tensor("a", "fp8e4nv", "[130, 160]") + "," + tensor("b", "fp8e5", "[5, 160]") + "," +
                               tensor("sa", "u8", "[2, 2, 2, 256]", R"("init": {"randint": [120, 135]})") + ",";
  const std::string y = tensor("y", "fp64", "[130, 5]");
  Case c(operands + tensor("sb", "u8", "[1, 2, 512]", R"("init": {"randint": [120, 135]})") + "," + y, scaled);
  auto factor = [](const HostTensor &scales, int64_t row, int64_t k) {
    const int64_t byte = (row / 128 * 2 + k / 128) * 512 + row % 32 * 16 + row % 128 / 32 * 4 + k % 128 / 32;
    std::vector<double> line(static_cast<size_t>(scales.rowLength()));
    scales.readRow(byte / scales.rowLength(), line.data());
    return std::ldexp(1.0, static_cast<int>(line[static_cast<size_t>(byte % scales.rowLength())]) - 127);
  };
  c.fill([&](const Index &i) {
    double sum = 0;
    for (int64_t k = 0; k < 160; ++k)
      sum += at(c["a"], {i[0], k}) * factor(c["sa"], i[0], k) * at(c["b"], {i[1], k}) * factor(c["sb"], i[1], k);
    return sum;
  });
  c.expectExact();
  EXPECT_EQ(Case(operands + tensor("sb", "u8", "[512]", R"("init": "zeros")") + "," + y, scaled).refusal(),
            "`scales`: `sb` has 512 elements; 5 rows of 160 elements have 1024 of type u8");
}

TEST(Expectation, LargeReferencesAreSampledAndSaySo) {
  std::string tensors = tensor("q", "fp16", "[1, 400, 16]", R"("init": "zeros")") + "," +
                        tensor("y", "fp64", "[1, 400]", R"("init": {"full": 5.991464547107982})");
  EXPECT_EQ(Case(tensors, R"({"attention_lse": ["q", "q"], "rtol": 1e-12})").check().text.find("rows"),
            std::string::npos);
  Case sampled(tensors, R"({"attention_lse": ["q", "q"], "rtol": 1e-12, "seed": 5, "sample_above": 1e6})");
  Verdict verdict = sampled.check();
  EXPECT_TRUE(verdict.passed) << verdict.text;
  // 1e6 / (400 keys * (16 + 20)) rows.
  EXPECT_NE(verdict.text.find("[69 of 400 rows, seed 5]"), std::string::npos) << verdict.text;
  sampled.fill([](const Index &) { return 6.0; });
  EXPECT_FALSE(sampled.check().passed);
}

TEST(Expectation, ShapesMustFit) {
  EXPECT_EQ(
      Case(tensor("a", "fp16", "[5, 7]") + "," + tensor("b", "fp16", "[8, 9]") + "," + tensor("y", "fp16", "[5, 9]"),
           R"({"matmul": ["a", "b"]})")
          .refusal(),
      "`matmul` of shapes [5, 7] and [8, 9]");
  EXPECT_EQ(
      Case(tensor("a", "fp16", "[5, 7]") + "," + tensor("b", "fp16", "[7, 9]") + "," + tensor("y", "fp16", "[9, 5]"),
           R"({"matmul": ["a", "b"]})")
          .refusal(),
      "the reference of `y` has shape [5, 9]; the tensor has [9, 5]");
  EXPECT_EQ(Case(tensor("q", "fp16", "[3, 5, 4]") + "," + tensor("k", "fp16", "[2, 5, 4]") + "," +
                     tensor("y", "fp16", "[3, 5, 4]"),
                 R"({"attention": ["q", "k", "k"]})")
                .refusal(),
            "`attention`: shapes [3, 5, 4], [2, 5, 4], [2, 5, 4] do not fit each other");
  EXPECT_EQ(Case(tensor("q", "fp16", "[3, 5, 4]") + "," + tensor("y", "fp16", "[3, 5, 4]"),
                 R"({"attention": ["q", "q", "q"], "kv_len": 6})")
                .refusal(),
            "`attention`: `kv_len` is 6; there are 5 keys");
}

} // namespace
