#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Checks that `bytes` are a complete shared object for this machine, with each segment and section
/// inside the file: the dynamic linker maps without checks, and a truncated file would crash the
/// process. Returns the exported names, in order: the first 256 bytes of the first 100.
/// kInvalidArgument names the defect. [any]
Result<std::vector<std::string>> check_shared_object(std::string_view bytes);

/// Machine that a shared object is built for: "x86_64", "aarch64", "riscv64", or its ELF number.
/// kInvalidArgument if `bytes` do not begin as a shared object of 64 bits. [any]
Result<std::string> shared_object_machine(std::string_view bytes);

}  // namespace quarry::plugins
