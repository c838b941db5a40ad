// Questions that a manifest answers about its parameters.
#include "tlx/Manifest/Manifest.h"

using namespace tlx;
using namespace tlx::rt;

std::optional<ElementType> Param::elementType() const {
  std::string_view text = type;
  if (text.starts_with('*'))
    text.remove_prefix(1);
  return parseElementType(text);
}

bool Param::isHidden() const {
  return kind == ParamKind::Scratch || (kind == ParamKind::TensorMap && tensorMap && tensorMap->source);
}

const std::string *rt::parameterOf(const Extent &extent) {
  if (auto *multiple = std::get_if<Multiple>(&extent))
    return &multiple->parameter;
  return std::get_if<std::string>(&extent);
}

const Param *Manifest::findParam(std::string_view name) const {
  for (const Param &param : params)
    if (param.name == name)
      return &param;
  return nullptr;
}
