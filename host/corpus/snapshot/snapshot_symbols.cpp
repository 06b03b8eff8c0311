#include "base/file.h"
#include "corpus/index/symbol_index.h"
#include "corpus/scip/scip_analyser.h"
#include "corpus/snapshot/index_files.h"

namespace quarry::corpus {

std::shared_ptr<const SymbolIndex> Snapshot::symbols(std::uint32_t segment) const {
  return open_index(state_->symbols[segment], state_->open_files->symbols,
                    *state_->segments[segment], state_->on_damage);
}

std::shared_ptr<const ScipIndex> Snapshot::scip() const {
  std::call_once(state_->scip_opened, [&] {
    // A damaged one is like none: the files are read by their analysers alone.
    const auto file = directory() / ScipIndex::kFileName;
    auto opened = state_->open_files->scips.get(file, [&] { return ScipIndex::open(file); });
    if (opened) state_->scip = std::move(*opened);
  });
  return state_->scip;
}

Status build_symbols(const Snapshot& snapshot, std::uint32_t segment, SymbolAnalyser& others,
                     Executor& executor, std::stop_token stop) {
  ScipAnalyser analyser(snapshot.scip(), others);
  const Segment& of = *snapshot.segments()[segment];
  const auto known = snapshot.symbols(segment);
  if (known && !is_outdated(*known, of, analyser)) return {};
  sweep_workspaces(of);
  const auto files = read_symbols(of, known.get(), analyser, executor, stop);
  if (!files) return files.error();
  Status made = make_index(of, SymbolIndex::kFileName, [&](const std::filesystem::path& out) {
    return write_file_atomically(out, SymbolIndex::bytes_of(of, *files));
  });
  if (!made) return made;
  LazyIndex<SymbolIndex>& lazy = snapshot.state().symbols[segment];
  const std::lock_guard lock(lazy.mutex);
  lazy.index = nullptr;  // the new one is mapped on its first use
  return {};
}

}  // namespace quarry::corpus
