#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_npm::testing {

/// `bytes` compressed with gzip.
std::string gzipped(std::string_view bytes);

/// Builds a tarball byte by byte, including ones that no program would write.
class TarBuilder {
 public:
  TarBuilder& file(std::string_view path, std::string_view bytes) {
    return entry('0', path, bytes);
  }
  /// `type` is the flag of the header (POSIX.1-1988, ustar); `size` other than -1 is a false size.
  TarBuilder& entry(char type, std::string_view path, std::string_view bytes,
                    std::string_view link = {}, long size = -1);
  /// A file with its path in a pax header.
  TarBuilder& pax_file(std::string_view path, std::string_view bytes);
  /// A file with its path in GNU's long name.
  TarBuilder& gnu_file(std::string_view path, std::string_view bytes);
  [[nodiscard]] std::string tar() const { return tar_ + std::string(1024, '\0'); }
  [[nodiscard]] std::string packed() const { return gzipped(tar()); }

 private:
  std::string tar_;
};

/// The tarball of a small valid package.
std::string small_package();

}  // namespace quarry::resource_npm::testing
