#pragma once

#include <cstddef>
#include <string_view>

namespace quarry::plugins {

// Names and sizes in bytes of a plugin's files.

inline constexpr std::string_view kManifestFile = "plugin.toml";
inline constexpr std::size_t kMaxManifest = 256u << 10;
/// Of the shared object, and of its file where that is compressed.
inline constexpr std::size_t kMaxFile = 512u << 20;
/// Suffix of a shared object that zstd has compressed.
inline constexpr std::string_view kCompressedSuffix = ".zst";
inline constexpr std::size_t kMaxSchema = 4u << 20;
/// Name of the signature of the manifest (minisign).
inline constexpr std::string_view kSignatureFile = "plugin.toml.minisig";
inline constexpr std::size_t kMaxSignature = 16u << 10;

}  // namespace quarry::plugins
