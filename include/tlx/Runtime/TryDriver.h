// How calls of a driver, whichever vendor's, become results.
#ifndef TLX_RUNTIME_TRYDRIVER_H
#define TLX_RUNTIME_TRYDRIVER_H

/// Returns from the enclosing function when a driver call fails. Zero is success in CUDA and HIP.
#define TLX_TRY_DRIVER(DRIVER, MEMBER, ...)                                                                            \
  do {                                                                                                                 \
    if (auto result_ = (DRIVER).MEMBER(__VA_ARGS__))                                                                   \
      return (DRIVER).failure(result_, #MEMBER);                                                                       \
  } while (false)

#endif
