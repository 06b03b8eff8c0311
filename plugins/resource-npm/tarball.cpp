#include "resource-npm/tarball.h"

#include "package_source/text.h"
#include "package_source/unpack.h"

#include <archive.h>

namespace quarry::resource_npm {
namespace {

using package_source::Fault;
using package_source::lower;

constexpr std::size_t kMostPackageJson = std::size_t{4} << 20;

/// The rank of a name as the readme, 0 = not one.
int readme_rank(std::string_view path) {
  const std::string name = lower(path);
  if (name == "readme.md") return 4;
  if (name == "readme.markdown") return 3;
  if (name == "readme") return 2;
  return name.starts_with("readme.") && name.find('/') == name.npos ? 1 : 0;
}

/// Adds the files, and keeps those that the package's page is made of.
class PackageSink : public package_source::TreeSink {
 public:
  PackageSink(Tree& tree, Tarball& out) : TreeSink(tree), out_(out) {}

  bool add_file(const std::string& path, std::string_view content) override {
    see(path);
    if (path == "package.json" && content.size() <= kMostPackageJson) out_.package_json = content;
    if (const int rank = readme_rank(path); rank > readme_rank_) {
      readme_rank_ = rank;
      out_.readme = content;
    }
    return TreeSink::add_file(path, content);
  }
  bool add_large(const std::string& path, std::uint64_t size) override {
    see(path);
    return TreeSink::add_large(path, size);
  }

 private:
  void see(std::string_view path) {
    out_.names.insert(lower(path.substr(0, path.find('/'))));
    ++out_.files;
  }

  Tarball& out_;
  int readme_rank_ = 0;
};

Failure refuse(Fault fault, const std::string& what) {
  const std::string message = "the tarball is refused: it " + what;
  if (fault == Fault::kTooMuch) {
    return {QUARRY_RESOURCE_EXHAUSTED,
            message,
            "Choose another version of the package. If you trust this one, unpack it yourself and "
            "add its folder as a local resource.",
            {}};
  }
  return {fault == Fault::kHostile ? QUARRY_PERMISSION_DENIED : QUARRY_DATA_LOSS,
          message,
          "Report it to the package's publisher; another version may be intact.",
          {}};
}

std::vector<std::string> notes_of(const package_source::Unpacked& unpacked) {
  std::vector<std::string> out;
  if (unpacked.links.count > 0) out.push_back(unpacked.links.note_of_links());
  if (unpacked.hard_links.count > 0) {
    out.push_back(unpacked.hard_links.note("hard link was left out, as npm does",
                                           "hard links were left out, as npm does"));
  }
  if (unpacked.shallow.count > 0) {
    out.push_back(
        unpacked.shallow.note("file outside the package's folder was left out, as npm does",
                              "files outside the package's folder were left out, as npm does"));
  }
  const auto others = unpacked.notes();
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace

Outcome<Tarball> unpack(const package_source::File& file,
                        const package_source::UnpackLimits& limits, const Call& call, Tree& tree) {
  const package_source::ArchiveFile archive{
      call,
      file,
      {archive_read_support_filter_gzip, archive_read_support_format_tar},
      false,
      refuse};
  package_source::UnpackRules rules;
  rules.limits = limits;
  rules.refused = {.absolute = true, .outside = true, .devices = true, .unreadable = true};
  rules.strip = 1;
  rules.first_counts = true;
  rules.hard_links = false;
  rules.links_block = false;
  Tarball out;
  PackageSink sink(tree, out);
  const auto unpacked = package_source::unpack(archive, rules, sink);
  if (!unpacked) return unpacked.failure();
  if (unpacked->members == 0) return refuse(Fault::kDamaged, "is empty");
  out.notes = notes_of(*unpacked);
  return out;
}

}  // namespace quarry::resource_npm
