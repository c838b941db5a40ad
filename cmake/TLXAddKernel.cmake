# tlx_add_kernel(<target> SOURCES gemm.tlx TARGETS sm_90a [sm_100a …]
#                [KERNEL name…] [DEFINES NAME=VALUE…] [SIGNATURE "a_ptr=*fp16:16, …"] [NUM_WARPS n] [CLUSTER x,y,z]
#                [CONFIG n] [VARIANT name] [OPTIONS …] [LINEINFO])
#
# Makes the library <target>: one header `<kernel>[.<variant>].h` for each kernel, with a typed launch function, and the images
# for all TARGETS. KERNEL may be left out when the source is named after its only kernel. What links <target> finds the
# headers and libtlxrt. A changed source, or a changed tlxc, compiles again.
function(tlx_add_kernel target)
  cmake_parse_arguments(KERNEL "LINEINFO" "SOURCES;SIGNATURE;NUM_WARPS;CLUSTER;CONFIG;VARIANT"
    "KERNEL;TARGETS;DEFINES;OPTIONS" ${ARGN})
  if(KERNEL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tlx_add_kernel(${target}): unknown arguments ${KERNEL_UNPARSED_ARGUMENTS}; SOURCES takes one file")
  endif()
  foreach(needed SOURCES TARGETS)
    if(NOT KERNEL_${needed})
      message(FATAL_ERROR "tlx_add_kernel(${target}): ${needed} is missing")
    endif()
  endforeach()
  get_filename_component(source ${KERNEL_SOURCES} ABSOLUTE)
  if(NOT KERNEL_KERNEL)
    get_filename_component(KERNEL_KERNEL ${source} NAME_WE)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels)
  string(JOIN "," targets ${KERNEL_TARGETS})
  set(options --target=${targets} -o ${folder} --emit=header,object,deps)
  foreach(define ${KERNEL_DEFINES})
    list(APPEND options -D ${define})
  endforeach()
  foreach(option SIGNATURE NUM_WARPS CLUSTER CONFIG VARIANT)
    if(DEFINED KERNEL_${option})
      string(TOLOWER ${option} name)
      string(REPLACE "_" "-" name ${name})
      list(APPEND options --${name} ${KERNEL_${option}})
    endif()
  endforeach()
  if(KERNEL_LINEINFO)
    list(APPEND options --lineinfo)
  endif()

  set(objects)
  foreach(kernel ${KERNEL_KERNEL})
    set(stem ${folder}/${kernel})
    if(DEFINED KERNEL_VARIANT)
      string(APPEND stem .${KERNEL_VARIANT})
    endif()
    add_custom_command(OUTPUT ${stem}.h ${stem}.o
      COMMAND tlxc::tlxc ${source} --kernel ${kernel} ${options} ${KERNEL_OPTIONS}
      DEPENDS ${source} tlxc::tlxc DEPFILE ${stem}.d
      COMMENT "Compiling kernel ${kernel} for ${targets}" VERBATIM)
    list(APPEND objects ${stem}.o ${stem}.h)
  endforeach()
  add_library(${target} STATIC ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target} PUBLIC ${folder})
  target_link_libraries(${target} PUBLIC tlxc::tlxrt)
endfunction()
