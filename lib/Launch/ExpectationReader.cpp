// Reading of the `expect` part of launch files.
#include "LaunchFileReader.h"

#include <cmath>

using namespace tlx;
using namespace tlx::rt;

namespace {

/// A reference, the number of tensors that it takes, and the fields beside it.
struct ReferenceRow {
  const char *key;
  ReferenceDecl::Kind kind;
  size_t least, most;
  double rtol;
};

constexpr ReferenceRow references[] = {
    {"npy", ReferenceDecl::Kind::Npy, 0, 0, 2e-3},
    {"equal", ReferenceDecl::Kind::Equal, 1, 1, 0},
    {"matmul", ReferenceDecl::Kind::Matmul, 2, 2, 2e-3},
    {"softmax", ReferenceDecl::Kind::Softmax, 1, 1, 2e-3},
    {"attention", ReferenceDecl::Kind::Attention, 3, 3, 2e-3},
    {"attention_lse", ReferenceDecl::Kind::AttentionLse, 2, 3, 2e-3},
    {"layernorm", ReferenceDecl::Kind::LayerNorm, 1, 3, 2e-3},
    {"sum", ReferenceDecl::Kind::Sum, 1, 16, 2e-3},
};

const ReferenceRow *chooseReference(const JsonReader &object) {
  const ReferenceRow *chosen = nullptr;
  std::string list;
  for (const ReferenceRow &row : references) {
    list += (list.empty() ? "`" : ", `") + std::string(row.key) + "`";
    if (!object.find(row.key))
      continue;
    if (chosen)
      object.error(std::string("both `") + chosen->key + "` and `" + row.key + "` are given");
    chosen = &row;
  }
  if (!chosen)
    object.error("expected one of " + list);
  return chosen;
}

void readInputs(const JsonReader &field, const ReferenceRow &row, const LaunchFile &file, ReferenceDecl &reference) {
  if (row.kind == ReferenceDecl::Kind::Npy) {
    reference.path = field.string();
    return;
  }
  reference.inputs = field.value().is_string() ? std::vector<std::string>{field.string()} : field.strings();
  if (reference.inputs.size() < row.least || reference.inputs.size() > row.most)
    field.error("expected " + std::to_string(row.least) +
                (row.most > row.least ? " to " + std::to_string(row.most) : "") + " tensors, found " +
                std::to_string(reference.inputs.size()));
  for (const std::string &name : reference.inputs)
    requireTensor(field, file, name);
}

void refuseFieldsOfOthers(const JsonReader &object, ReferenceDecl::Kind kind) {
  switch (kind) {
  case ReferenceDecl::Kind::Npy:
    return object.refuseUnknown({"npy", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::Equal:
    return object.refuseUnknown({"equal", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::Matmul:
    return object.refuseUnknown(
        {"matmul", "trans_a", "trans_b", "alpha", "add", "scales", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::Softmax:
    return object.refuseUnknown({"softmax", "scale", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::Attention:
    return object.refuseUnknown({"attention", "causal", "scale", "kv_len", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::AttentionLse:
    return object.refuseUnknown(
        {"attention_lse", "causal", "scale", "kv_len", "base2", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::LayerNorm:
    return object.refuseUnknown({"layernorm", "eps", "rtol", "atol", "seed", "sample_above"});
  case ReferenceDecl::Kind::Sum:
    return object.refuseUnknown({"sum", "alpha", "rtol", "atol", "seed", "sample_above"});
  }
}

CausalMask readCausal(const JsonReader &object) {
  auto field = object.find("causal");
  if (!field)
    return CausalMask::None;
  if (field->value().is_boolean())
    return field->boolean() ? CausalMask::TopLeft : CausalMask::None;
  std::string text = field->string();
  if (text == "bottom-right")
    return CausalMask::BottomRight;
  if (text != "top-left")
    field->error("expected true, false, `top-left` or `bottom-right`");
  return CausalMask::TopLeft;
}

} // namespace

ExpectDecl rt::readExpectation(const std::string &tensor, const JsonReader &object, const LaunchFile &file) {
  ExpectDecl expect;
  expect.tensor = tensor;
  requireTensor(object, file, tensor);
  const ReferenceRow *row = chooseReference(object);
  if (!row)
    return expect;
  ReferenceDecl &reference = expect.reference;
  reference.kind = row->kind;
  readInputs(object.at(row->key), *row, file, reference);
  refuseFieldsOfOthers(object, row->kind);
  reference.transposeA = object.booleanOr("trans_a", false);
  reference.transposeB = object.booleanOr("trans_b", false);
  reference.alpha = object.numberOr("alpha", 1);
  reference.add = object.stringOr("add", "");
  if (!reference.add.empty())
    requireTensor(object, file, reference.add);
  if (auto scales = object.find("scales")) {
    reference.scales = scales->strings();
    if (reference.scales.size() != 2)
      scales->error("expected two tensors, one for each operand");
    for (const std::string &name : reference.scales)
      requireTensor(*scales, file, name);
  }
  reference.causal = readCausal(object);
  if (auto scale = object.find("scale"))
    reference.scale = scale->number();
  if (auto length = object.find("kv_len"))
    reference.keyLength = length->integer();
  reference.base2 = object.booleanOr("base2", false);
  reference.epsilon = object.numberOr("eps", 1e-5);
  expect.rtol = object.numberOr("rtol", row->rtol);
  if (auto atol = object.find("atol"))
    expect.atol = atol->number();
  for (double limit : {expect.rtol, expect.atol.value_or(0)})
    if (!(limit >= 0) || std::isinf(limit))
      object.error("an error limit is a number from 0");
  expect.seed = uint64_t(object.integerOr("seed", 1));
  expect.sampleAbove = object.numberOr("sample_above", expect.sampleAbove);
  return expect;
}
