/* libtlxrt: loads an image that tlxc made, checks arguments against its manifest, and launches it.
 *
 * The GPU driver is loaded at run time, the one that the image is for: NVIDIA's (libcuda.so.1, or the library that the
 * environment variable TLXRT_DRIVER names) or AMD's HIP (libamdhip64.so, or TLXRT_HIP_DRIVER). With NVIDIA's, calls
 * work in the context that is current on the calling thread; when there is none, in the primary context of device 0,
 * which is current only during the call. With HIP they work on the thread's current device. Handles may be used from
 * several threads. No call ends the process.
 */
#ifndef TLX_RUNTIME_TLXRT_H
#define TLX_RUNTIME_TLXRT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TLXRT_API __attribute__((visibility("default")))
#else
#define TLXRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What every function returns. The numbers keep their meaning. */
typedef enum tlxrt_status {
  TLXRT_SUCCESS = 0,
  TLXRT_ERROR_FILE = 1,            /* a file cannot be read */
  TLXRT_ERROR_MANIFEST = 2,        /* the manifest does not follow its specification */
  TLXRT_ERROR_IMAGE = 3,           /* size, hash or symbols of the image are not those of the manifest */
  TLXRT_ERROR_DRIVER_MISSING = 4,  /* no driver library, or one that is too old */
  TLXRT_ERROR_NO_DEVICE = 5,       /* the driver finds no GPU */
  TLXRT_ERROR_WRONG_DEVICE = 6,    /* the image was built for another architecture */
  TLXRT_ERROR_DRIVER = 7,          /* a driver call failed; the detail text has its name and error */
  TLXRT_ERROR_ARGUMENT_COUNT = 8,  /* too few or too many arguments */
  TLXRT_ERROR_ARGUMENT_KIND = 9,   /* an argument has the wrong kind or type */
  TLXRT_ERROR_ARGUMENT_VALUE = 10, /* an argument breaks a condition that the kernel was compiled for */
  TLXRT_ERROR_TENSOR_MAP = 11,     /* a tensor cannot be described by a tensor map */
  TLXRT_ERROR_GRID = 12,           /* the grid is empty, too large, or no multiple of the cluster */
  TLXRT_ERROR_UNSUPPORTED = 13,    /* this runtime cannot launch such an image */
  TLXRT_ERROR_NULL = 14,           /* a null pointer was passed */
  TLXRT_ERROR_OUT_OF_MEMORY = 15   /* host or device memory is exhausted */
} tlxrt_status;

/* A sentence for `status`. Never null. */
TLXRT_API const char *tlxrt_status_string(tlxrt_status status);

/* What went wrong in the last failing call on this thread: names, both numbers, the rule. Valid until the next failing
 * call on this thread; empty when none failed. */
TLXRT_API const char *tlxrt_last_error(void);

/* Version of this library as major * 10000 + minor * 100 + patch. */
TLXRT_API int tlxrt_version(void);

typedef enum tlxrt_dtype {
  TLXRT_I1 = 0,
  TLXRT_I8 = 1,
  TLXRT_I16 = 2,
  TLXRT_I32 = 3,
  TLXRT_I64 = 4,
  TLXRT_U8 = 5,
  TLXRT_U16 = 6,
  TLXRT_U32 = 7,
  TLXRT_U64 = 8,
  TLXRT_FP16 = 9,
  TLXRT_BF16 = 10,
  TLXRT_FP32 = 11,
  TLXRT_FP64 = 12,
  TLXRT_FP8E4NV = 13,
  TLXRT_FP8E5 = 14,
  TLXRT_FP8E4B8 = 15,
  TLXRT_FP8E5B16 = 16,
  TLXRT_NO_DTYPE = -1
} tlxrt_dtype;

/* A tensor in device memory, slowest axis first. Sizes and strides are in elements. */
typedef struct tlxrt_tensor {
  void *data;
  int32_t dtype; /* tlxrt_dtype */
  int32_t rank;  /* 1 to 5 */
  int64_t sizes[5];
  int64_t strides[5];
} tlxrt_tensor;

typedef enum tlxrt_arg_kind {
  TLXRT_ARG_TENSOR = 0,  /* for tensor map and pointer parameters */
  TLXRT_ARG_POINTER = 1, /* for pointer parameters */
  TLXRT_ARG_I64 = 2,     /* for integer parameters; must fit the parameter's type */
  TLXRT_ARG_F64 = 3      /* for floating-point parameters; rounded to nearest even */
} tlxrt_arg_kind;

typedef struct tlxrt_arg {
  int32_t kind; /* tlxrt_arg_kind */
  union {
    const tlxrt_tensor *tensor;
    void *pointer;
    int64_t i64;
    double f64;
  } value;
} tlxrt_arg;

typedef struct tlxrt_kernel tlxrt_kernel;

/* Reads a manifest and the image beside it. Needs no GPU: the module is loaded when a context first uses it. */
TLXRT_API tlxrt_status tlxrt_kernel_load(const char *manifest_path, tlxrt_kernel **kernel);

/* The same from memory. `manifest_json` ends with a zero byte; both are copied. */
TLXRT_API tlxrt_status tlxrt_kernel_load_memory(const char *manifest_json, const void *image, size_t image_bytes,
                                                tlxrt_kernel **kernel);

/* Unloads the kernel. Launches in flight must have ended. Null is fine. */
TLXRT_API tlxrt_status tlxrt_kernel_free(tlxrt_kernel *kernel);

typedef enum tlxrt_parameter_kind {
  TLXRT_PARAMETER_POINTER = 0,
  TLXRT_PARAMETER_SCALAR = 1,
  TLXRT_PARAMETER_TENSOR_MAP = 2
} tlxrt_parameter_kind;

/* The parameters that callers pass, in order. Hidden ones (tensor maps that are made from other arguments, scratch) are
 * not counted. An index out of range gives null or -1. */
TLXRT_API int tlxrt_kernel_parameter_count(const tlxrt_kernel *kernel);
TLXRT_API const char *tlxrt_kernel_parameter_name(const tlxrt_kernel *kernel, int index);
TLXRT_API int tlxrt_kernel_parameter_kind(const tlxrt_kernel *kernel, int index);
/* Element type of a scalar, of what a pointer points to, or of a tensor map. */
TLXRT_API int tlxrt_kernel_parameter_dtype(const tlxrt_kernel *kernel, int index);

TLXRT_API const char *tlxrt_kernel_name(const tlxrt_kernel *kernel);
TLXRT_API void tlxrt_kernel_cluster(const tlxrt_kernel *kernel, int cluster[3]);
TLXRT_API int tlxrt_kernel_threads(const tlxrt_kernel *kernel);
/* An integer compile-time value of the kernel (a boolean counts as 0 or 1). False when there is none of this name. */
TLXRT_API int tlxrt_kernel_constexpr(const tlxrt_kernel *kernel, const char *name, int64_t *value);

/* Launches on `stream` (a CUstream, cudaStream_t or hipStream_t; null is the default stream) with one argument for each
 * visible parameter. `grid` counts blocks. Asynchronous; may be captured into a graph after a first launch. */
TLXRT_API tlxrt_status tlxrt_launch(tlxrt_kernel *kernel, void *stream, const int grid[3], const tlxrt_arg *args,
                                    int count);

/* How many clusters of this kernel can be resident on the device at once. */
TLXRT_API tlxrt_status tlxrt_max_active_clusters(tlxrt_kernel *kernel, int *clusters);

/* Multiprocessors (compute units) of the current device: NVIDIA's where its driver is, else AMD's. */
TLXRT_API tlxrt_status tlxrt_multiprocessor_count(int *count);

/* The same of the device that runs this kernel's image. */
TLXRT_API tlxrt_status tlxrt_kernel_multiprocessor_count(tlxrt_kernel *kernel, int *count);

#ifdef __cplusplus
}
#endif

#endif
