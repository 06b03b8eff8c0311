#include "config/project.h"

#include "base/printable.h"
#include "base/text.h"
#include "config/layers.h"

namespace quarry::config {

namespace fs = std::filesystem;

std::string warning_of(const ProjectFile& file) {
  return printable_exact(file.path.string()) + " is not read: " + file.not_read +
         ". To use it anyway, pass --config " + printable_exact(shell_word(file.path.string()));
}

Result<ProjectSearch> find_project_file(const Sources& sources) {
  const auto is_own = [&](const fs::path& file) {
    std::error_code ignored;
    return fs::equivalent(file, user_file(sources), ignored) ||
           fs::equivalent(file, sources.system_file, ignored);
  };
  ProjectSearch out;
  for (fs::path directory = sources.working_directory;; directory = directory.parent_path()) {
    if (!is_own(directory / kProjectFileName)) {
      auto found = read_project_file(directory, kProjectFileName, kMaxFileBytes);
      if (!found) return std::move(found).error().tagged("ConfigError");
      if (*found && (*found)->not_read.empty()) {
        out.file = std::move(**found);
        return out;
      }
      if (*found) out.skipped.push_back(std::move(**found));
    }
    if (directory == directory.parent_path()) return out;
  }
}

Error mistakes_error(std::vector<FieldError> mistakes) {
  Error error{Code::kInvalidArgument, "",
              "Correct the named places; \"quarry config check\" checks them."};
  error.tag = "ConfigError";
  for (const FieldError& mistake : mistakes) {
    error.message += (error.message.empty() ? "" : "\n") +
                     (mistake.field.empty() ? "" : mistake.field + ": ") + mistake.message;
  }
  error.details = std::move(mistakes);
  return error;
}

Result<Project> judge(ProjectFile file, const Json& below, const TrustList& list) {
  auto document = parse_document(file.bytes, file.path);
  if (!document) return std::move(document).error();
  Project out;
  out.document = std::move(*document);
  out.mistakes = mistakes_in(out.document);
  out.keys = keys_for_trust(out.document, below, file.path.parent_path());
  out.trusted = list.trusts(file.path, file.bytes);
  out.changed = !out.trusted && list.knows(file.path);
  out.file = std::move(file);
  return out;
}

}  // namespace quarry::config
