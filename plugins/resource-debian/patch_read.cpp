// Reads unified differences. What dpkg-source refuses is refused here, before anything is applied.
#include "resource-debian/patch.h"

#include <charconv>

namespace quarry::resource_debian {
namespace {

// The name in a header line: a tab separates it from the time, without one a blank does.
std::string_view name_in(std::string_view header) {
  header.remove_prefix(std::min(header.find_first_not_of(" \t"), header.size()));
  const std::size_t tab = header.find('\t');  // after a name with blanks there is always one
  return header.substr(0, tab != std::string_view::npos ? tab : header.find(' '));
}

// -p1: without the first part and its slashes; empty when the name has only one part.
std::string stripped(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (name == "/dev/null" || slash == std::string_view::npos) return {};
  name.remove_prefix(slash);
  while (name.starts_with('/')) name.remove_prefix(1);
  return std::string(name);
}

std::optional<long> number(std::string_view text) {
  long value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// True for the time 0 as diff writes it: "1970-01-01 01:00:00.000000000 +0100".
bool is_epoch(std::string_view header) {
  header.remove_prefix(std::min(header.find_first_not_of(" \t"), header.size()));
  const std::string_view name = name_in(header);
  if (name == "/dev/null") return true;
  const auto parts = words(header.substr(name.size()), ":");
  if (parts.size() == 6 && parts[2] == "1") {  // "Thu Jan  1 00:00:00 1970" has another order
    return false;
  }
  if (parts.size() == 7 && parts[1] == "Jan" && parts[2] == "1" && parts[6] == "1970") {
    return parts[3] == "00" && parts[4] == "00" && parts[5] == "00";
  }
  if (parts.size() < 4 || parts.size() > 5) return false;
  const bool before = parts[0] == "1969-12-31";
  const auto hour = number(parts[1]);
  const auto minute = number(parts[2]);
  const auto second = number(parts[3].substr(0, 2));
  if ((!before && parts[0] != "1970-01-01") || !hour || !minute || second != 0) return false;
  long zone = 0;
  if (parts.size() == 5) {
    const auto said = number(parts[4].substr(parts[4].starts_with('+') ? 1 : 0));
    if (!said) return false;
    zone = *said / 100 * 60 + *said % 100;
  }
  return *hour * 60 + *minute - (before ? 24 * 60 : 0) == zone;
}

// "@@ -1,2 +3,4 @@ …"
struct Range {
  std::size_t old_first = 0, old_lines = 1, new_first = 0, new_lines = 1;
};
std::optional<Range> range_of(std::string_view line) {
  if (!line.starts_with("@@ -")) return std::nullopt;
  const std::size_t end = line.find(" @@", 4);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(end + 3);
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  const auto halves = words(line.substr(4, end - 4));
  if (halves.size() != 2 || !halves[1].starts_with('+')) return std::nullopt;
  Range out;
  const auto read = [](std::string_view half, std::size_t& first, std::size_t& lines) {
    const std::size_t comma = half.find(',');
    const auto begin = number(half.substr(0, comma));
    const auto count = comma == std::string_view::npos ? 1 : number(half.substr(comma + 1));
    constexpr long kMost = 1L << 40;
    if (!begin || !count || *begin < 0 || *count < 0 || *begin > kMost || *count > kMost)
      return false;
    first = static_cast<std::size_t>(*begin);
    lines = static_cast<std::size_t>(*count);
    return true;
  };
  if (!read(halves[0], out.old_first, out.old_lines) ||
      !read(halves[1].substr(1), out.new_first, out.new_lines)) {
    return std::nullopt;
  }
  return out;
}

class PatchReader {
 public:
  PatchReader(std::string_view text, std::deque<std::string>& storage)
      : rest_(text), storage_(storage) {}

  ReadPatch read() {
    advance();
    while (has_ && out_.wrong.empty()) {
      if (!skip_to_file()) break;
      read_file();
    }
    end_git();
    return std::move(out_);
  }

 private:
  void advance() {
    ++number_;
    has_ = !rest_.empty();
    if (!has_) return;
    const std::size_t end = rest_.find('\n');
    raw_ = rest_.substr(0, end == std::string_view::npos ? end : end + 1);
    rest_.remove_prefix(raw_.size());
    line_ = raw_;
    if (line_.ends_with('\n')) line_.remove_suffix(1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
  }
  void fail(const std::string& what) {
    if (out_.wrong.empty()) out_.wrong = what + " in line " + std::to_string(number_);
  }
  // A rename or copy of git without hunks is a change as well.
  void end_git() {
    if (!git_.rename_from.empty() && !git_.rename_to.empty()) out_.files.push_back(git_);
    git_ = {};
  }
  void read_git() {
    const auto value = [&](std::string_view key) -> std::optional<std::string> {
      if (!line_.starts_with(key)) return std::nullopt;
      return std::string(line_.substr(key.size()));
    };
    if (value("diff --git ")) {
      end_git();
      in_git_ = true;
    } else if (in_git_) {
      if (auto from = value("rename from ")) git_.rename_from = *from;
      if (auto to = value("rename to ")) git_.rename_to = *to;
      if (auto from = value("copy from ")) git_.rename_from = *from, git_.copies = true;
      if (auto to = value("copy to ")) git_.rename_to = *to, git_.copies = true;
      if (value("new file mode 120000")) git_.makes_link = true;
      if (value("GIT binary patch"))
        fail("it has a binary change of git, which patch does not apply,");
    }
  }
  bool skip_to_file() {
    while (has_ && !line_.starts_with("--- ") && !line_.starts_with("+++ ") &&
           !line_.starts_with("@@ -")) {
      read_git();
      advance();
    }
    return has_ && out_.wrong.empty();
  }
  void read_file() {
    FilePatch file = in_git_ ? git_ : FilePatch{};
    git_ = {};
    in_git_ = false;
    if (!line_.starts_with("--- ")) return fail("\"--- \" is missing");
    const std::string_view old_header = line_.substr(4);
    advance();
    if (!has_ || !line_.starts_with("+++ ")) return fail("\"+++ \" is missing");
    const std::string_view new_header = line_.substr(4);
    strip_ = raw_.ends_with("\r\n");
    for (const std::string_view header : {old_header, new_header}) {
      if (trimmed(header).starts_with('"')) return fail("a file name is quoted");
      if (name_in(header).ends_with(".dpkg-orig")) return fail("a file name ends in .dpkg-orig");
    }
    file.old_name = stripped(name_in(old_header));
    file.new_name = stripped(name_in(new_header));
    if (file.old_name.empty() && file.new_name.empty()) return fail("no file name is valid");
    advance();
    read_hunks(file, old_header, new_header);
    if (file.hunks.empty()) fail("\"@@\" is missing");
    out_.files.push_back(std::move(file));
  }
  void read_hunks(FilePatch& file, std::string_view old_header, std::string_view new_header) {
    while (has_ && out_.wrong.empty()) {
      if (line_.starts_with("\\ ")) {
        advance();
        continue;
      }
      const auto range = range_of(line_);
      if (!range) return;
      if (file.hunks.empty()) {
        file.creates = range->old_first == 0 && is_epoch(old_header);
        file.removes = range->new_first == 0 && is_epoch(new_header);
      }
      advance();
      read_hunk(file, *range);
    }
  }
  // The content of a line of a hunk, with its line end.
  std::string_view content(std::string_view raw) {
    const bool whole = raw.ends_with('\n');
    if (whole && !(strip_ && raw.ends_with("\r\n"))) return raw;
    std::string text(raw);
    if (whole) text.pop_back();
    if (strip_ && text.ends_with('\r')) text.pop_back();
    return storage_.emplace_back(text + '\n');
  }
  void read_hunk(FilePatch& file, const Range& range) {
    Hunk hunk;
    hunk.old_first = range.old_first + (range.old_lines == 0 ? 1 : 0);
    std::size_t old_left = range.old_lines;
    std::size_t new_left = range.new_lines;
    bool changed = false;
    char last = ' ';
    while (old_left > 0 || new_left > 0) {
      if (!has_ && (old_left != new_left || old_left >= 3)) return fail("it ends within a hunk");
      if (has_ && line_.starts_with("\\ ")) {
        cut_line_end(hunk, last);
        advance();
        continue;
      }
      // Blank lines at the end of a patch are often lost.
      last = !has_ || line_.empty() ? ' ' : line_.front();
      const std::string_view text =
          !has_ ? std::string_view("\n") : content(line_.empty() ? raw_ : raw_.substr(1));
      const bool is_old = last == ' ' || last == '-';
      const bool is_new = last == ' ' || last == '+';
      if (!is_old && !is_new) return fail("a line of a hunk begins with none of \" +-\"");
      if ((is_old && old_left == 0) || (is_new && new_left == 0))
        return fail("a hunk has too many lines");
      if (is_old) --old_left, hunk.before.push_back(text);
      if (is_new) --new_left, hunk.after.push_back(text);
      changed = changed || last != ' ';
      if (last != ' ') hunk.suffix = 0;
      if (last == ' ') ++(changed ? hunk.suffix : hunk.prefix);
      if (has_) advance();
    }
    if (has_ && line_.starts_with("\\ ")) cut_line_end(hunk, last);
    file.hunks.push_back(std::move(hunk));
  }
  // "\ No newline at end of file": the line before has none.
  static void cut_line_end(Hunk& hunk, char last) {
    const auto cut = [](std::vector<std::string_view>& lines) {
      if (!lines.empty() && lines.back().ends_with('\n')) lines.back().remove_suffix(1);
    };
    if (last != '+') cut(hunk.before);
    if (last != '-') cut(hunk.after);
  }

  std::string_view rest_;
  std::deque<std::string>& storage_;
  std::string_view raw_;   // the present line with its line end
  std::string_view line_;  // without
  std::size_t number_ = 0;
  bool has_ = false;
  bool strip_ = false;  // line ends of this file's changes are CR LF by transport
  bool in_git_ = false;
  FilePatch git_;
  ReadPatch out_;
};

}  // namespace

ReadPatch read_patch(std::string_view text, std::deque<std::string>& storage) {
  return PatchReader(text, storage).read();
}

}  // namespace quarry::resource_debian
