// The seccomp filter: a list of denied system calls, since the libraries of a plugin may need any
// of the harmless ones.
#include "runner/sandbox.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <unistd.h>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace quarry::runner {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no filter
#endif

/// Newer than the system's header.
constexpr int kFchmodat2 = 452;

constexpr int kDenied[] = {
    // Network.
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    // Programs and processes.
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_setpgid,
    SYS_setsid,
    SYS_setrlimit,
    // Modes and owners by path, which Landlock does not restrict.
    SYS_fchmodat,
    kFchmodat2,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    // The system.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_personality,
    SYS_quotactl,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_iopl,
    SYS_ioperm,
#endif
};

constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
/// The C library then starts a thread with clone, whose flags a filter can read.
constexpr std::uint32_t kAbsent = SECCOMP_RET_ERRNO | ENOSYS;
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
/// ioctl that types on the terminal of standard error.
constexpr std::uint32_t kTypeCharacter = 0x5412;  // TIOCSTI
constexpr std::uint32_t kTypeOnConsole = 0x541C;  // TIOCLINUX

/// Low half of argument `index`, on a little-endian machine.
constexpr std::uint32_t argument(std::uint32_t index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * index;
}

class Filter {
 public:
  void load(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  void answer(std::uint32_t value) { add(BPF_RET | BPF_K, value, 0, 0); }
  void answer_if_equal(std::uint32_t value, std::uint32_t answered) {
    answer_where(BPF_JEQ, value, true, answered);
  }
  void answer_unless_equal(std::uint32_t value, std::uint32_t answered) {
    answer_where(BPF_JEQ, value, false, answered);
  }
  void answer_if_any(std::uint32_t bits, std::uint32_t answered) {
    answer_where(BPF_JSET, bits, true, answered);
  }
  void answer_unless_any(std::uint32_t bits, std::uint32_t answered) {
    answer_where(BPF_JSET, bits, false, answered);
  }
  void answer_if_from(std::uint32_t value, std::uint32_t answered) {
    answer_where(BPF_JGE, value, true, answered);
  }
  /// Instructions of `rules` for system call `number` alone; they end with an answer.
  template <class Rules>
  void only_for(int number, Rules rules) {
    const auto jump = code_.size();
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 0);
    rules();
    code_[jump].jf = static_cast<std::uint8_t>(code_.size() - jump - 1);
  }
  bool install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  /// Answers if the comparison `test` of the loaded value with `value` is `outcome`.
  void answer_where(int test, std::uint32_t value, bool outcome, std::uint32_t answered) {
    add(BPF_JMP | test | BPF_K, value, outcome ? 0 : 1, outcome ? 1 : 0);
    answer(answered);
  }
  void add(int code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }
  std::vector<sock_filter> code_;
};

void add_threads(Filter& filter) {
  filter.answer_if_equal(SYS_clone3, kAbsent);
  filter.only_for(SYS_clone, [&] {
    filter.load(argument(0));
    filter.answer_unless_any(CLONE_THREAD, kDeny);
    filter.answer_if_any(kNamespaces, kDeny);
    filter.answer(SECCOMP_RET_ALLOW);
  });
}

/// Signals to this process alone: abort() and raise() need them.
void add_signals(Filter& filter) {
  const auto own = static_cast<std::uint32_t>(::getpid());
  for (const int number : {SYS_kill, SYS_tgkill}) {
    filter.only_for(number, [&] {
      filter.load(argument(0));
      filter.answer_unless_equal(own, kDeny);
      filter.answer(SECCOMP_RET_ALLOW);
    });
  }
  filter.answer_if_equal(SYS_tkill, kDeny);
}

void add_settings(Filter& filter) {
  filter.only_for(SYS_prctl, [&] {
    filter.load(argument(0));
    filter.answer_if_equal(PR_SET_PDEATHSIG, kDeny);
    filter.answer(SECCOMP_RET_ALLOW);
  });
  filter.only_for(SYS_prlimit64, [&] {  // the pointer to new limits must be null
    filter.load(argument(2));
    filter.answer_unless_equal(0, kDeny);
    filter.load(argument(2) + 4);
    filter.answer_unless_equal(0, kDeny);
    filter.answer(SECCOMP_RET_ALLOW);
  });
  filter.only_for(SYS_ioctl, [&] {
    filter.load(argument(1));
    filter.answer_if_equal(kTypeCharacter, kDeny);
    filter.answer_if_equal(kTypeOnConsole, kDeny);
    filter.answer(SECCOMP_RET_ALLOW);
  });
}

}  // namespace

bool restrict_system_calls() {
  if (kArchitecture == 0) return false;
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.answer_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  filter.load_number();
#if defined(__x86_64__)
  filter.answer_if_from(0x40000000, kDeny);  // the numbers of x32
#endif
  for (const int number : kDenied)
    filter.answer_if_equal(static_cast<std::uint32_t>(number), kDeny);
  add_threads(filter);
  add_signals(filter);
  add_settings(filter);
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.install();
}

}  // namespace quarry::runner
