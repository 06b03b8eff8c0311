// Plugins whose static initialiser misbehaves; BAD says how.
#include <quarry/abi.h>

#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

namespace {
int misbehave() {
  if (BAD == 1) std::_Exit(7);
  if (BAD == 2) throw std::runtime_error("thrown while loading");
  for (;;) ::pause();
}
const int kDone = misbehave();
}  // namespace

extern "C" QUARRY_EXPORT const quarry_entry quarry_plugin_entry_v1 = {
    sizeof(quarry_entry), 1, 0, 0, nullptr, nullptr, nullptr, nullptr, 0, nullptr};
