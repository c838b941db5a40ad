// SHA-256 (FIPS 180-4), for the identity of images.
#ifndef TLX_MANIFEST_SHA256_H
#define TLX_MANIFEST_SHA256_H

#include <string>
#include <string_view>

namespace tlx::rt {

/// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace tlx::rt

#endif
