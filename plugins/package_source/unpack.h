#pragma once

#include "package_source/archive_reader.h"
#include "package_source/left_out.h"

#include <quarry/resource.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::package_source {

/// Members that end the unpacking before anything is added; where false, they are left out.
struct RefusedMembers {
  bool absolute = false;    ///< paths that begin with '/'; else it is dropped
  bool outside = false;     ///< paths with ".."
  bool devices = false;     ///< devices, pipes and sockets
  bool dangling = false;    ///< hard links to files that the archive does not have
  bool clashes = false;     ///< files with the path of a folder
  bool unreadable = false;  ///< encrypted files, unknown compression, members without a name
};

struct UnpackRules {
  UnpackLimits limits;
  RefusedMembers refused;
  std::size_t strip = 0;      ///< components that each path loses
  bool strip_root = false;    ///< paths lose the one folder that everything lies in
  std::string beneath;        ///< only this path and what is beneath it, after strip; empty = all
  bool first_counts = false;  ///< of members of one path; else the last
  bool hard_links = true;     ///< false: they are left out, else they are copies
  bool links_block = true;    ///< false: a file may have the path of a symbolic link and more
  std::vector<std::string_view> compressions;  ///< of members of a zip; empty = any
};

/// Receives the files of an archive. A function returns false when it takes no more.
class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual bool add_file(const std::string& path, std::string_view content) = 0;
  virtual bool add_link(const std::string& path, const std::string& target) = 0;
  /// A file of more than file_limit() bytes, whose content is not read.
  virtual bool add_large(const std::string& path, std::uint64_t size) = 0;
  [[nodiscard]] virtual std::uint64_t file_limit() const = 0;
};

class TreeSink : public FileSink {
 public:
  explicit TreeSink(Tree& tree) : tree_(tree) {}
  bool add_file(const std::string& path, std::string_view content) override {
    return tree_.add_file(path, content);
  }
  bool add_link(const std::string& path, const std::string&) override {
    return tree_.add_link(path);
  }
  bool add_large(const std::string& path, std::uint64_t size) override {
    return tree_.add_large(path, size);
  }
  [[nodiscard]] std::uint64_t file_limit() const override { return tree_.file_limit(); }

 protected:
  Tree& tree_;
};

/// What an archive had besides the files.
struct Unpacked {
  std::size_t members = 0;
  std::size_t found = 0;  ///< files and links, before `beneath`
  std::size_t added = 0;
  std::string root;              ///< the folder that each path lost
  std::vector<std::string> top;  ///< first components of some paths, for messages
  LeftOut outside;
  LeftOut special;
  LeftOut dangling;
  LeftOut encrypted;
  LeftOut unreadable;
  LeftOut unsupported;
  LeftOut blocked;
  LeftOut long_paths;
  LeftOut repeated;
  bool first_counts = false;  ///< of those repeated
  LeftOut hard_links;         ///< where they are left out
  LeftOut shallow;            ///< paths with no more components than are lost
  LeftOut links;              ///< symbolic links, which are listed

  /// Sentences about what was left out, and about files that were there more than once. Those about
  /// hard_links, shallow and links are the caller's.
  [[nodiscard]] std::vector<std::string> notes() const;
};

/// Adds the files of an archive to `sink`, as a program that unpacks to a disk does: the last of
/// several members of one path counts, and a hard link is a copy, unless the rules say otherwise.
/// Everything is summed before anything is added, so that an archive with too much in it, or with a
/// refused member, adds nothing. [worker]
Outcome<Unpacked> unpack(const ArchiveFile& file, const UnpackRules& rules, FileSink& sink);

}  // namespace quarry::package_source
