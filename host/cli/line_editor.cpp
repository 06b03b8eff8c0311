#include "cli/line_editor.h"

#include "base/printable.h"
#include "base/utf8.h"

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <histedit.h>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::cli {
namespace {

constexpr int kHistoryLines = 1000;

// What terminals send around a pasted text, and the sequences that ask them to (DEC mode 2004).
constexpr const char* kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr const char* kMarkPastes = "\x1b[?2004h";
constexpr const char* kMarkNoPastes = "\x1b[?2004l";
/// Stands for the end of a line in the one line that is edited.
constexpr std::string_view kLineEnd = "⏎";

std::string each_replaced(std::string_view text, std::string_view part, std::string_view by) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(part, at);
    out += text.substr(at, next - at);
    if (next == text.npos) return out;
    out += by;
    at = next + part.size();
  }
}

/// Writes a sequence to the terminal at once.
void send(const char* sequence) {
  std::fputs(sequence, stdout);
  std::fflush(stdout);
}

/// Bytes after the first one of a character in UTF-8.
int following_bytes(unsigned char first) {
  if (first >= 0xF0) return 3;
  if (first >= 0xE0) return 2;
  return first >= 0xC0 ? 1 : 0;
}

/// Creates the file for its owner alone; libedit keeps the mode of one that exists.
void create_private(const std::filesystem::path& file) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (fd) static_cast<void>(::fchmod(fd.get(), 0600));
}

}  // namespace

struct LineEditor::State {
  State(Signals& signals_of_program, std::filesystem::path history_file, Complete complete_with)
      : signals(signals_of_program),
        file(std::move(history_file)),
        complete(std::move(complete_with)) {}

  Signals& signals;
  std::filesystem::path file;
  Complete complete;
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
  bool interrupted = false;
  bool ended = false;

  static State& of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<State*>(data);
  }
  static char* show_prompt(EditLine* editor) { return of(editor).prompt.data(); }
  static int read_character(EditLine* editor, wchar_t* out);
  static unsigned char complete_word(EditLine* editor, int key);
  static unsigned char take_paste(EditLine* editor, int key);
  bool read_byte(unsigned char& byte);
};

/// False at the end of the input, and after a signal, which is noted.
bool LineEditor::State::read_byte(unsigned char& byte) {
  if (const auto signal = signals.wait_for_input(STDIN_FILENO)) {
    (*signal == SIGINT ? interrupted : ended) = true;
    return false;
  }
  return ::read(STDIN_FILENO, &byte, 1) == 1;
}

/// Reads UTF-8 whatever the locale, and sees signals, which this program receives as events.
int LineEditor::State::read_character(EditLine* editor, wchar_t* out) {
  State& state = of(editor);
  unsigned char byte = 0;
  if (!state.read_byte(byte)) return 0;
  const int more = following_bytes(byte);
  char32_t value = more == 0 ? byte : byte & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (!state.read_byte(byte)) return 0;
    value = value << 6 | (byte & 0x3Fu);
  }
  *out = static_cast<wchar_t>(value);
  return 1;
}

/// Takes a pasted text as it is up to the sequence that ends it: its lines are one question.
unsigned char LineEditor::State::take_paste(EditLine* editor, int) {
  State& state = of(editor);
  std::string text;
  unsigned char byte = 0;
  while (!text.ends_with(kPasteEnd)) {
    if (!state.read_byte(byte)) return CC_EOF;
    text += static_cast<char>(byte);
  }
  text.resize(text.size() - kPasteEnd.size());
  const std::string line =
      each_replaced(each_replaced(each_replaced(text, "\r\n", "\n"), "\r", "\n"), "\n", kLineEnd);
  // The rest of a control character would be drawn, and an empty text is no paste.
  if (line.empty() || el_insertstr(editor, printable_line(line).c_str()) != 0) return CC_ERROR;
  return CC_REFRESH;
}

unsigned char LineEditor::State::complete_word(EditLine* editor, int) {
  State& state = of(editor);
  const LineInfo* const info = el_line(editor);
  const std::string_view before(info->buffer,
                                static_cast<std::size_t>(info->cursor - info->buffer));
  const std::string_view word = before.substr(before.find_last_of(' ') + 1);
  const auto candidates = state.complete(before, word);
  if (candidates.empty()) return CC_ERROR;
  std::string rest = common_rest(word, candidates);
  if (candidates.size() == 1) rest += ' ';
  if (!rest.empty()) {
    return el_insertstr(editor, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }
  std::string list = "\n";
  for (const std::string& one : candidates) list += printable_line(one) + "  ";
  std::fprintf(stdout, "%s\n", list.c_str());
  std::fflush(stdout);
  return CC_REDISPLAY;
}

std::string common_rest(std::string_view word, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return {};
  std::string_view common = candidates.front();
  for (const std::string& other : candidates) {
    const auto differ = std::ranges::mismatch(common, other);
    common = common.substr(0, static_cast<std::size_t>(differ.in1 - common.begin()));
  }
  if (common.size() <= word.size()) return {};
  return std::string(utf8_prefix(common, common.size()).substr(word.size()));
}

LineEditor::LineEditor(Signals& signals, std::filesystem::path history, Complete complete)
    : state_(std::make_unique<State>(signals, std::move(history), std::move(complete))) {
  // libedit shows and takes characters by the locale.
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
  State& state = *state_;
  state.editor = el_init("quarry", stdin, stdout, stderr);
  state.history = history_init();
  HistEvent event;
  ::history(state.history, &event, H_SETSIZE, kHistoryLines);
  ::history(state.history, &event, H_SETUNIQUE, 1);
  if (!state.file.empty()) ::history(state.history, &event, H_LOAD, state.file.c_str());
  el_set(state.editor, EL_CLIENTDATA, &state);
  el_set(state.editor, EL_PROMPT, &State::show_prompt);
  el_set(state.editor, EL_EDITOR, "emacs");
  el_set(state.editor, EL_HIST, ::history, state.history);
  el_set(state.editor, EL_GETCFN, &State::read_character);
  el_set(state.editor, EL_ADDFN, "complete", "completes a word", &State::complete_word);
  el_set(state.editor, EL_ADDFN, "paste", "takes a pasted text", &State::take_paste);
  el_set(state.editor, EL_BIND, "^I", "complete", nullptr);
  el_set(state.editor, EL_BIND, kPasteBegin, "paste", nullptr);
  el_set(state.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(state.editor, nullptr);
}

LineEditor::~LineEditor() {
  history_end(state_->history);
  el_end(state_->editor);
}

std::optional<LineEditor::Line> LineEditor::read(const std::string& prompt) {
  State& state = *state_;
  state.prompt = prompt;
  state.interrupted = false;
  int count = 0;
  send(kMarkPastes);
  const char* const line = el_gets(state.editor, &count);
  send(kMarkNoPastes);
  if (state.interrupted) {
    std::fputs("^C\n", stdout);
    std::fflush(stdout);
    el_reset(state.editor);
    return Line{{}, true};
  }
  if (state.ended || line == nullptr || count <= 0) return std::nullopt;
  std::string text(line, static_cast<std::size_t>(count));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  if (text.find_first_not_of(' ') != std::string::npos) {
    HistEvent event;
    ::history(state.history, &event, H_ENTER, text.c_str());
    if (!state.file.empty()) {
      create_private(state.file);
      ::history(state.history, &event, H_SAVE, state.file.c_str());
    }
  }
  return Line{each_replaced(text, kLineEnd, "\n")};
}

}  // namespace quarry::cli
