// The seccomp filter: a list of permitted system calls. A call that is not listed fails with EPERM,
// and one that is newer than the list with ENOSYS, so that libraries do without it.
#include "runner/sandbox.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

/// The last one that the list considers.
constexpr std::uint32_t kNewest = SYS_futex_waitv;

/// Permitted with any arguments. Landlock decides about paths, the limits of the process about
/// amounts. Facts about files (stat, access, readlink, extended attributes) can be read anywhere:
/// no part of the kernel refuses that by path.
constexpr int kPermitted[] = {
    // Files that are open.
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_close,
    SYS_close_range,
    SYS_lseek,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync_file_range,
    SYS_ftruncate,
    SYS_fadvise64,
    SYS_readahead,
    SYS_flock,
    SYS_getdents64,
    SYS_sendfile,
    SYS_copy_file_range,
    SYS_splice,
    SYS_tee,
    SYS_fstat,
    SYS_fstatfs,
    SYS_fgetxattr,
    SYS_flistxattr,
    // Files by path.
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_chdir,
    SYS_fchdir,
    SYS_getcwd,
    SYS_umask,
    // Waiting.
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_eventfd2,
    SYS_signalfd4,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_futex,
    SYS_futex_waitv,
    SYS_restart_syscall,
    // Memory. See add_memory().
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_msync,
    SYS_mincore,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_membarrier,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_pkey_mprotect,
    // Threads and signals. See add_threads() and add_signals().
    SYS_exit,
    SYS_exit_group,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_gettid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_sigaltstack,
    SYS_setitimer,
    SYS_getitimer,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_getoverrun,
    SYS_timer_delete,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_getpriority,
    // The answers of this process and the machine.
    SYS_getpid,
    SYS_getppid,
    SYS_getpgid,
    SYS_getsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getgroups,
    SYS_getresuid,
    SYS_getresgid,
    SYS_capget,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_getrlimit,
    SYS_times,
    SYS_getcpu,
    SYS_getrandom,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    // The connection to the host, a socket.
    SYS_sendto,
    SYS_recvfrom,
    SYS_shutdown,
    SYS_getsockopt,
#if defined(__x86_64__)
    // Older forms of the above.
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_renameat,
    SYS_link,
    SYS_symlink,
    SYS_dup2,
    SYS_pipe,
    SYS_getdents,
    SYS_poll,
    SYS_select,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_signalfd,
    SYS_pause,
    SYS_alarm,
    SYS_time,
    SYS_getpgrp,
    SYS_arch_prctl,
#elif defined(__aarch64__)
    SYS_renameat,
#endif
};

constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
/// Of calls whose arguments a filter cannot read: the libraries then use an older form.
constexpr std::uint32_t kAbsent = SECCOMP_RET_ERRNO | ENOSYS;
/// Of calls in place of which the libraries write.
constexpr std::uint32_t kUnsupported = SECCOMP_RET_ERRNO | EOPNOTSUPP;
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// Commands that concern the descriptor alone. Others name a process that gets signals, or change
// what the machine has for all.
constexpr std::uint32_t kDescriptorCommands[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,      F_SETFL,      F_GETLK,
    F_SETLK, F_SETLKW,        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS};
constexpr std::uint32_t kDeviceCommands[] = {
    0x5401,      // TCGETS: is it a terminal?
    0x5413,      // TIOCGWINSZ
    0x5421,      // FIONBIO
    0x541B,      // FIONREAD
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x40049409,  // FICLONE
};
/// Of prctl; the name of a mapping is shown to nobody but this process.
constexpr std::uint32_t kProcessCommands[] = {PR_SET_NAME,         PR_GET_NAME,    PR_GET_DUMPABLE,
                                              PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_CAPBSET_READ,
                                              PR_SET_VMA};
constexpr std::uint32_t kHighestNiceness = 19;

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

/// Permits a call whose argument `index` is one of `values`.
template <std::size_t count>
void permit_values(Filter& filter, int number, std::uint32_t index,
                   const std::uint32_t (&values)[count]) {
  filter.only_for(number, [&] {
    filter.load(argument(index));
    for (const std::uint32_t value : values) filter.answer_if_equal(value, kAllow);
    filter.answer(kDeny);
  });
}

/// Permits a call whose pointer `index` is null.
void permit_null(Filter& filter, int number, std::uint32_t index) {
  filter.only_for(number, [&] {
    filter.load(argument(index));
    filter.answer_unless_equal(0, kDeny);
    filter.load(argument(index) + 4);
    filter.answer_unless_equal(0, kDeny);
    filter.answer(kAllow);
  });
}

/// Permits a call without any of `bits` in its argument `index`.
void permit_without(Filter& filter, int number, std::uint32_t index, std::uint32_t bits) {
  filter.only_for(number, [&] {
    filter.load(argument(index));
    filter.answer_if_any(bits, kDeny);
    filter.answer(kAllow);
  });
}

/// The limit of memory counts private memory that can be written: neither shared memory, nor
/// mappings that grow down, which count as stacks.
void add_memory(Filter& filter) {
  filter.only_for(SYS_mmap, [&] {
    filter.load(argument(3));
    filter.answer_if_any(MAP_GROWSDOWN | MAP_HUGETLB, kDeny);
    filter.answer_unless_any(MAP_SHARED, kAllow);  // a bit of MAP_SHARED_VALIDATE too
    filter.answer_if_any(MAP_ANONYMOUS, kDeny);
    filter.answer(kAllow);
  });
}

void add_threads(Filter& filter) {
  filter.answer_if_equal(SYS_clone3, kAbsent);
  filter.only_for(SYS_clone, [&] {
    filter.load(argument(0));
    filter.answer_unless_any(CLONE_THREAD, kDeny);
    filter.answer_if_any(kNamespaces, kDeny);
    filter.answer(kAllow);
  });
  // The calling thread alone, and never before others.
  constexpr std::uint32_t kItself[] = {0};
  permit_values(filter, SYS_sched_setaffinity, 0, kItself);
  filter.only_for(SYS_setpriority, [&] {
    filter.load(argument(0));
    filter.answer_unless_equal(PRIO_PROCESS, kDeny);
    filter.load(argument(1));
    filter.answer_unless_equal(0, kDeny);
    filter.load(argument(2));
    filter.answer_if_from(kHighestNiceness + 1, kDeny);
    filter.answer(kAllow);
  });
}

/// Signals to this process alone: abort() and raise() need them.
void add_signals(Filter& filter) {
  const std::uint32_t own[] = {static_cast<std::uint32_t>(::getpid())};
  for (const int number : {SYS_kill, SYS_tgkill}) permit_values(filter, number, 0, own);
}

void add_settings(Filter& filter) {
  permit_values(filter, SYS_prctl, 0, kProcessCommands);
  permit_values(filter, SYS_fcntl, 1, kDescriptorCommands);
  permit_values(filter, SYS_ioctl, 1, kDeviceCommands);
  permit_null(filter, SYS_prlimit64, 2);  // no new limits
}

/// Opening a file to read it truncates it, if that is asked for, which Landlock restricts only
/// since version 3.
void answer_open(Filter& filter, int number, std::uint32_t flags) {
  filter.only_for(number, [&] {
    filter.load(argument(flags));
    filter.answer_unless_any(O_TRUNC, kAllow);
    filter.answer_unless_any(O_WRONLY | O_RDWR, kDeny);
    filter.answer(kAllow);
  });
}

/// What Landlock does not restrict: modes and times by path, and truncation in older versions. What
/// is open may be changed, without privileges for who executes it.
void add_files(Filter& filter, int landlock) {
  // Disk space that is reserved does not count as written (UsageWatch).
  filter.answer_if_equal(SYS_fallocate, kUnsupported);
  answer_open(filter, SYS_openat, 2);
  constexpr int kSinceTruncation = 3;
  filter.answer_if_equal(SYS_openat2, landlock >= kSinceTruncation ? kAllow : kAbsent);
  permit_null(filter, SYS_utimensat, 1);
  permit_without(filter, SYS_fchmod, 1, S_ISUID | S_ISGID | S_ISVTX);
#if defined(__x86_64__)
  answer_open(filter, SYS_open, 1);
  filter.answer_if_equal(SYS_creat, kAllow);
#endif
}

}  // namespace

bool restrict_system_calls(int landlock) {
  if (kArchitecture == 0) return false;
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.answer_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  filter.load_number();
#if defined(__x86_64__)
  filter.answer_if_from(0x40000000, kDeny);  // the numbers of x32
#endif
  for (const int number : kPermitted) {
    filter.answer_if_equal(static_cast<std::uint32_t>(number), kAllow);
  }
  add_memory(filter);
  add_threads(filter);
  add_signals(filter);
  add_settings(filter);
  add_files(filter, landlock);
  filter.answer_if_from(kNewest + 1, kAbsent);
  filter.answer(kDeny);
  return filter.install();
}

}  // namespace quarry::runner
