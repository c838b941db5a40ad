# How a room of lib/ becomes a library. `tlx_room(Name SOURCES a.cpp DEPS TLXOther [MLIR|LLVM])` makes TLX<Name>.
# Rooms that use MLIR share one precompiled header, which cuts their compile time by more than half.

if(TLXC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize=vptr)
  add_link_options(-fsanitize=address,undefined)
endif()

# Every target of the compiler (not of the runtime) is built without exceptions and RTTI, as LLVM is.
add_library(tlx_compiler_flags INTERFACE)
target_compile_options(tlx_compiler_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> -Wall -Wextra -Wno-unused-parameter)

# What rooms link for LLVM, MLIR and lld: the shared libraries, or all static ones (names of CMake's targets differ between
# packages, so they are taken from the folder), of which the linker keeps what is used. Programs that users start over and over
# are linked statically where the archives and lld are there: they start in half the time and need libc only.
if(NOT TLXC_RUNTIME_ONLY)
  add_library(tlx_llvm INTERFACE)
  add_library(tlx_mlir INTERFACE)
  file(GLOB TLXC_LLVM_ARCHIVES ${LLVM_LIBRARY_DIR}/libLLVM*.a ${LLVM_LIBRARY_DIR}/libMLIR*.a
    # lld names it in its link-time optimisation, and LLVM packages it apart.
    ${LLVM_LIBRARY_DIR}/libPolly*.a)
  list(FILTER TLXC_LLVM_ARCHIVES EXCLUDE REGEX "CAPI|Test|Exegesis|Fuzz|BOLT")
  # The property of the program that is linked in the end.
  set(static "$<BOOL:$<TARGET_PROPERTY:TLX_STATIC_LLVM>>")
  target_link_libraries(tlx_llvm INTERFACE "$<${static}:${TLXC_LLVM_ARCHIVES};-l:libz.a;-l:libzstd.a>" "$<$<NOT:${static}>:LLVM>")
  target_link_options(tlx_llvm INTERFACE "$<${static}:-fuse-ld=lld;-Wl,--gc-sections;-static-libstdc++;-static-libgcc>")
  target_link_libraries(tlx_mlir INTERFACE "$<$<NOT:${static}>:MLIR>" tlx_llvm)
  # By their files, as LLVM's package for CMake has other names for static LLVM than lld's asks for.
  find_library(TLXC_LLD_ELF NAMES lldELF HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH)
  find_library(TLXC_LLD_COMMON NAMES lldCommon HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH)
  if(NOT TLXC_LLD_ELF OR NOT TLXC_LLD_COMMON)
    message(FATAL_ERROR "lld's libraries are not in ${LLVM_LIBRARY_DIR}: install liblld-22-dev (scripts/packages.txt)")
  endif()
  add_library(tlx_lld INTERFACE)
  target_link_libraries(tlx_lld INTERFACE ${TLXC_LLD_ELF} ${TLXC_LLD_COMMON} tlx_llvm "$<$<NOT:${static}>:z;zstd>")
endif()

function(tlx_room name)
  cmake_parse_arguments(ROOM "MLIR;LLVM;RUNTIME" "" "SOURCES;DEPS" ${ARGN})
  set(target TLX${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${ROOM_DEPS})
  if(NOT ROOM_RUNTIME)
    target_link_libraries(${target} PUBLIC tlx_compiler_flags)
  endif()
  if(ROOM_MLIR OR ROOM_LLVM)
    target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS_LIST})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if(ROOM_MLIR)
    target_link_libraries(${target} PUBLIC tlx_mlir)
    if(NOT "${name}" STREQUAL "Precompiled")
      target_precompile_headers(${target} REUSE_FROM TLXPrecompiled)
    endif()
  elseif(ROOM_LLVM)
    target_link_libraries(${target} PUBLIC tlx_llvm)
  endif()
endfunction()

# A program of tlxc/: `tlx_program(name [STATIC] SOURCES main.cpp DEPS TLXDriver)`. STATIC: links LLVM statically where that is wanted.
function(tlx_program name)
  cmake_parse_arguments(PROGRAM "RUNTIME;STATIC" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE ${PROGRAM_DEPS})
  if(PROGRAM_STATIC AND TLXC_STATIC_LLVM)
    set_target_properties(${name} PROPERTIES TLX_STATIC_LLVM ON)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
