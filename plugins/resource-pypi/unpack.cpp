#include "resource-pypi/unpack.h"

#include "package_source/unpack.h"

#include <algorithm>
#include <archive.h>

namespace quarry::resource_pypi {
namespace {

/// Adds the files, and keeps the metadata of the package.
class PackageSink : public package_source::TreeSink {
 public:
  PackageSink(Tree& tree, bool is_wheel, Unpacked& out)
      : TreeSink(tree), is_wheel_(is_wheel), out_(out) {}

  bool add_file(const std::string& path, std::string_view content) override {
    if (path == kOverview) out_.has_overview = true;
    if (is_metadata(path)) out_.metadata = content;
    return TreeSink::add_file(path, content);
  }

 private:
  [[nodiscard]] bool is_metadata(const std::string& path) const {
    if (!is_wheel_) return path == "PKG-INFO";
    return path.ends_with(".dist-info/METADATA") && std::count(path.begin(), path.end(), '/') == 1;
  }

  bool is_wheel_;
  Unpacked& out_;
};

package_source::ArchiveFile archive_file(const Call& call, const package_source::File& file,
                                         const std::string& name, bool is_zip) {
  using package_source::Fault;
  package_source::ArchiveFile out{
      call, file, {}, is_zip, [&name](Fault fault, const std::string& what) {
        if (fault != Fault::kTooMuch) {
          return Failure{
              QUARRY_DATA_LOSS, name + " " + what, "Choose another version or format.", {}};
        }
        return Failure{QUARRY_RESOURCE_EXHAUSTED,
                       name + " " + what,
                       "Choose another version or format. If you trust it, unpack it yourself and "
                       "add its folder as a local resource.",
                       {}};
      }};
  if (is_zip) {
    out.support = {archive_read_support_format_zip_seekable};
  } else {
    out.support = {archive_read_support_format_tar, archive_read_support_filter_gzip,
                   archive_read_support_filter_bzip2};
  }
  return out;
}

}  // namespace

Outcome<Unpacked> unpack(const Call& call, const package_source::File& file,
                         const std::string& name, Tree& tree) {
  const bool is_wheel = name.ends_with(".whl");
  package_source::UnpackRules rules;
  rules.limits = kUnpackLimits;
  rules.refused = {true, true, true, true, true, true};
  rules.strip_root = !is_wheel;  // the folders of a wheel are packages and belong to the paths
  // LZMA and PPMd may demand gigabytes of memory, and no builder uses them.
  rules.compressions = {"deflation", "uncompressed", "bzip"};
  Unpacked out;
  PackageSink sink(tree, is_wheel, out);
  const auto archive = archive_file(call, file, name, is_wheel || name.ends_with(".zip"));
  const auto unpacked = package_source::unpack(archive, rules, sink);
  if (!unpacked) return unpacked.failure();
  if (unpacked->found == 0) return archive.refuse(package_source::Fault::kDamaged, "has no files");
  out.root = unpacked->root;
  out.notes = unpacked->notes();
  if (unpacked->links.count > 0) out.notes.push_back(unpacked->links.note_of_links());
  return out;
}

}  // namespace quarry::resource_pypi
