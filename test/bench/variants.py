"""The variants file: which kernels there are, how each is built and launched, and which one a shape gets."""

import json
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def evaluate(expression, names):
    """The value of an expression of the variants file. Anything that is not a string stands for itself."""
    if not isinstance(expression, str):
        return expression
    allowed = {"min": min, "max": max, "abs": abs, "cdiv": lambda a, b: -(-a // b), "sqrt": math.sqrt,
               "log2e": 1.4426950408889634}
    return eval(expression, {"__builtins__": {}}, {**allowed, **names})


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def case_name(kind, case):
    """Folder name of what is compiled for one case, such as `pair.fp16.NT`."""
    if kind == "gemm":
        return f"{case['dtype']}.{case['layout']}"
    return f"{case['dtype']}.d{case['D']}.{'causal' if case['causal'] else 'full'}"


def applies(variant, case):
    return bool(evaluate(variant.get("only", "True"), case))


def defines(family, variant, case):
    """Compile-time values of one build: those of the variant, and those that follow from the case."""
    result = dict(variant.get("defines", {}))
    for name, expression in family.get("per_case", {}).items():
        result[name] = evaluate(expression, case)
    return result


def folder(root, kind, name, case):
    return pathlib.Path(root) / kind / f"{name}.{case_name(kind, case)}"


def manifest_path(root, kind, name, case):
    """The manifest of a build, or None when it was not built."""
    found = sorted(folder(root, kind, name, case).glob("*.json"))
    return found[0] if found else None


def chosen(family, names):
    """The variant that the rule of the file gives a shape: the first whose `when` holds."""
    for rule in family["choose"]:
        if evaluate(rule.get("when", "True"), names):
            return rule["variant"]
    raise SystemExit(f"no rule of the variants file chooses for {names}")
