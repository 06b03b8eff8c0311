/* Things that a sandbox may deny, by name. Each returns a negative number and sets errno if it
 * fails. */
#ifndef QUARRY_TESTS_ATTEMPTS_H
#define QUARRY_TESTS_ATTEMPTS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* A file of the system, which can be read. */
#define READABLE "/etc/localtime"
#define ONE_MIB ((size_t)1 << 20)

static int outcome_of(const void* mapped) {
  return mapped == MAP_FAILED ? -1 : 0;
}

static int map(int flags) {
  return outcome_of(mmap(NULL, ONE_MIB, PROT_READ | PROT_WRITE, flags, -1, 0));
}

static int a_pipe(void) {
  int ends[2];
  return pipe(ends) < 0 ? -1 : ends[0];
}

/* Files. */
static int passwd(void) {
  return open("/etc/passwd", O_RDONLY);
}
static int write_elsewhere(void) {
  return open("/tmp/faulty", O_WRONLY | O_CREAT, 0600);
}
static int libraries(void) {
  return open("/usr/lib", O_RDONLY);
}
static int look(void) {
  struct stat status;
  return stat("/etc/passwd", &status);
}
static int times_elsewhere(void) {
  return utimensat(AT_FDCWD, "/tmp", NULL, 0);
}
static int old_times(void) {
  return utimes("/tmp", NULL);
}
static int watch(void) {
  return inotify_init1(0);
}
static int mode(void) {
  return chmod("/tmp", 01777);
}
static int user_identity(void) {
  return fchmod(open(READABLE, O_RDONLY | O_CLOEXEC), S_ISUID | 0644);
}
static int owner_of(void) {
  return fchown(open(READABLE, O_RDONLY | O_CLOEXEC), getuid(), -1);
}
static int cut(void) {
  return truncate("/tmp/faulty", 0);
}
static int cut_open(void) {
  return open(READABLE, O_RDONLY | O_TRUNC);
}
static int reserve(void) {
  return fallocate(open(READABLE, O_RDONLY | O_CLOEXEC), 0, 0, (off_t)ONE_MIB);
}
static int node(void) {
  return mkfifo("/tmp/faulty", 0600);
}
static int attribute(void) {
  return (int)syscall(SYS_setxattr, "/tmp", "user.faulty", "1", (size_t)1, 0);
}

/* Other processes, and new ones. */
static int connect_anywhere(void) {
  return socket(AF_INET, SOCK_STREAM, 0);
}
static int pair(void) {
  int ends[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}
static int pass(void) {
  return sendmsg(3, NULL, 0) < 0 ? -1 : 0;
}
static int exec(void) {
  return execl("/bin/true", "true", (char*)NULL);
}
static int fork_one(void) {
  return fork();
}
static int kill_host(void) {
  return kill(getppid(), 0);
}
static int queue_signal(void) {
  siginfo_t nothing;
  memset(&nothing, 0, sizeof nothing);
  return (int)syscall(SYS_rt_sigqueueinfo, getppid(), 0, &nothing);
}
static int orphan(void) {
  return prctl(PR_SET_PDEATHSIG, 0);
}
static int own_signals(void) {
  return fcntl(a_pipe(), F_SETOWN, getppid());
}
static int own_by_ioctl(void) {
  const int host = (int)getppid();
  return ioctl(3, 0x8901 /* FIOSETOWN */, &host);
}
static int which_signal(void) {
  return fcntl(a_pipe(), F_SETSIG, SIGKILL);
}
static int lease(void) {
  return fcntl(open(READABLE, O_RDONLY | O_CLOEXEC), F_SETLEASE, F_RDLCK);
}
static int trace(void) {
  return (int)syscall(SYS_ptrace, 16 /* ATTACH */, getppid(), 0, 0);
}
static int read_host(void) {
  return (int)syscall(SYS_process_vm_readv, getppid(), NULL, 0ul, NULL, 0ul, 0ul);
}

/* Processors. */
static int nice_host(void) {
  return setpriority(PRIO_PROCESS, (id_t)getppid(), 19);
}
static int nice_group(void) {
  return setpriority(PRIO_USER, 0, 19);
}
static int hasten(void) {
  return setpriority(PRIO_PROCESS, 0, -1);
}
static int slow_down(void) {
  return setpriority(PRIO_PROCESS, 0, 19);
}
static int scheduler(void) {
  const struct sched_param none = {0};
  return sched_setscheduler(getppid(), SCHED_IDLE, &none);
}
static int own_scheduler(void) {
  const struct sched_param first = {1};
  return sched_setscheduler(0, SCHED_FIFO, &first);
}
static int affinity(void) {
  const unsigned long one = 1;
  return (int)syscall(SYS_sched_setaffinity, getppid(), sizeof one, &one);
}
static int disk_priority(void) {
  return (int)syscall(SYS_ioprio_set, 1, getppid(), 0);
}
static int host_limit(void) {
  const struct rlimit none = {0, 0};
  return (int)syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, &none, NULL);
}

/* Memory. */
static int shared_memory(void) {
  return map(MAP_SHARED | MAP_ANONYMOUS);
}
static int validated_memory(void) {
  return map(0x03 /* MAP_SHARED_VALIDATE */ | MAP_ANONYMOUS);
}
static int stack(void) {
  return map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN);
}
static int huge_pages(void) {
  return map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB);
}
static int private_memory(void) {
  return map(MAP_PRIVATE | MAP_ANONYMOUS);
}
static int zeros(void) {
  const int file = open("/dev/zero", O_RDWR);
  if (file < 0) return -1;
  return outcome_of(mmap(NULL, ONE_MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
}
static int memory_file(void) {
  return (int)syscall(SYS_memfd_create, "faulty", 0);
}
static int secret_memory(void) {
  return (int)syscall(447 /* memfd_secret */, 0);
}
static int segment(void) {
  return shmget(IPC_PRIVATE, ONE_MIB, 0600);
}
static int messages(void) {
  return msgget(IPC_PRIVATE, 0600);
}
static int semaphores(void) {
  return (int)syscall(SYS_semget, IPC_PRIVATE, 1, 0600);
}
static int queue(void) {
  return (int)syscall(SYS_mq_open, "faulty", O_CREAT | O_RDWR, 0600, NULL);
}
static int pipe_size(void) {
  return fcntl(a_pipe(), F_SETPIPE_SZ, 1 << 20);
}
static int address_space(void) {
  /* More than any limit of unused memory, but not more than a processor has. */
  return outcome_of(
      mmap(NULL, (size_t)1 << 43, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

/* The system. */
static int user_namespace(void) {
  return (int)syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */);
}
static int ring(void) {
  return (int)syscall(425 /* io_uring_setup */, 1, NULL);
}
static int program(void) {
  return (int)syscall(SYS_bpf, 0, NULL, 0);
}
static int key(void) {
  return (int)syscall(SYS_add_key, "user", "faulty", "1", (size_t)1, -1);
}
static int identity(void) {
  return setuid(getuid());
}
static int newer(void) {
  return (int)syscall(470 /* newer than the list */);
}

static const struct {
  const char* name;
  int (*run)(void);
} kAttempts[] = {
    {"passwd", passwd},
    {"write", write_elsewhere},
    {"libraries", libraries},
    {"look", look},
    {"times", times_elsewhere},
    {"old_times", old_times},
    {"watch", watch},
    {"mode", mode},
    {"user_identity", user_identity},
    {"owner", owner_of},
    {"cut", cut},
    {"cut_open", cut_open},
    {"reserve", reserve},
    {"node", node},
    {"attribute", attribute},
    {"connect", connect_anywhere},
    {"pair", pair},
    {"pass", pass},
    {"exec", exec},
    {"fork", fork_one},
    {"kill", kill_host},
    {"queue_signal", queue_signal},
    {"orphan", orphan},
    {"own_signals", own_signals},
    {"own_by_ioctl", own_by_ioctl},
    {"which_signal", which_signal},
    {"lease", lease},
    {"trace", trace},
    {"read_host", read_host},
    {"nice_host", nice_host},
    {"nice_group", nice_group},
    {"hasten", hasten},
    {"slow_down", slow_down},
    {"scheduler", scheduler},
    {"own_scheduler", own_scheduler},
    {"affinity", affinity},
    {"disk_priority", disk_priority},
    {"host_limit", host_limit},
    {"shared_memory", shared_memory},
    {"validated_memory", validated_memory},
    {"stack", stack},
    {"huge_pages", huge_pages},
    {"private_memory", private_memory},
    {"zeros", zeros},
    {"memory_file", memory_file},
    {"secret_memory", secret_memory},
    {"segment", segment},
    {"messages", messages},
    {"semaphores", semaphores},
    {"queue", queue},
    {"pipe_size", pipe_size},
    {"address_space", address_space},
    {"user_namespace", user_namespace},
    {"ring", ring},
    {"program", program},
    {"key", key},
    {"identity", identity},
    {"newer", newer},
};

/* "done", or the error. */
static const char* attempt(const char* name) {
  for (size_t i = 0; i < sizeof kAttempts / sizeof *kAttempts; ++i) {
    if (strcmp(name, kAttempts[i].name) != 0) continue;
    errno = 0;
    return kAttempts[i].run() < 0 ? strerror(errno) : "done";
  }
  return "unknown";
}

#endif
