// Plugins that cannot be loaded: BAD selects the action of their static initialiser.
#include <quarry/abi.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

extern "C" int a_function_nobody_has();

namespace {
int misbehave() {
#if BAD == 1
  std::_Exit(7);
#elif BAD == 2
  throw std::runtime_error("thrown while loading");
#elif BAD == 3
  for (;;) ::pause();
#elif BAD == 4
  return std::raise(SIGILL);  // which no sanitizer handles
#elif BAD == 6
  for (int descriptor = 0; descriptor < 256; ++descriptor) ::close(descriptor);
  for (;;) ::pause();
#else
  return a_function_nobody_has();
#endif
}
const int kDone = misbehave();
}  // namespace

extern "C" QUARRY_EXPORT const quarry_entry quarry_plugin_entry_v1 = {
    sizeof(quarry_entry), 1, 0, 0, nullptr, nullptr, nullptr, nullptr, 0, nullptr};
