#include "services/thread_setup.h"

#include <algorithm>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include <sys/resource.h>

namespace quarry::services {

void name_this_thread(std::string name) {
  name.resize(std::min<std::size_t>(name.size(), 15));
  pthread_setname_np(pthread_self(), name.c_str());
}

void become_worker(std::string name) {
  constexpr int kNicer = 5;
  name_this_thread(std::move(name));
  constexpr id_t kThisThread = 0;
  // A thread begins with the value of the one that starts it, which may be a worker itself.
  const int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(::getpid())) + kNicer;
  if (getpriority(PRIO_PROCESS, kThisThread) < nice) setpriority(PRIO_PROCESS, kThisThread, nice);
}

}  // namespace quarry::services
