# How lit runs the tests of this folder: shell tests over the programs of build/bin, checked by FileCheck.
import os
import sys

import lit.formats

config.name = "tlxc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".tlx"]
# Inputs stand in folders of this name; unit tests are gtest programs of their own.
config.excludes = ["Inputs", "unit", "fuzz", "bench", "Device", "Conformance"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_folder, "test", "lit")

folders = [os.path.join(config.build_folder, "bin"), config.llvm_tools]
config.environment["PATH"] = os.pathsep.join(folders + [config.environment.get("PATH", "")])
for variable in ("CUDA_HOME", "CUDA_PATH", "TLXC_PTXAS", "CCACHE_DIR", "HOME"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions.append(("%samples", os.path.join(config.source_folder, "samples")))
config.substitutions.append(("%source", config.source_folder))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%build", config.build_folder))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%cxx", config.cxx_compiler))


def has_assembler():
    places = [os.environ.get("TLXC_PTXAS", "")]
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        places.append(os.path.join(os.environ.get(variable, ""), "bin", "ptxas"))
    places.append("/usr/local/cuda/bin/ptxas")
    places += [os.path.join(folder, "ptxas") for folder in os.environ.get("PATH", "").split(os.pathsep)]
    return any(os.path.isfile(place) and os.access(place, os.X_OK) for place in places)


# Tests that need NVIDIA's assembler say `REQUIRES: ptxas`.
if has_assembler():
    config.available_features.add("ptxas")
if config.emulator:
    config.available_features.add("emulator")
if config.runtime:
    config.available_features.add("runtime")
