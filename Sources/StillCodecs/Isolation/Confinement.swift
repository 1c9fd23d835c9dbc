// What the decoder process gives up before it sees a file.

import CSeccomp
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Takes away from this process what decoding doesn't need: files, network, programs, other processes. Memory is limited.
///
/// Sources: seccomp(2), seccomp_rule_add(3), setrlimit(2).
enum Confinement {
  /// Of memory, mapped or reserved, in bytes. The largest picture takes 0.9 GB as pixels, twice while it is put over white or
  /// reduced, and as much again in a decoder; its opacity takes 0.2 GB.
  private static let mostMemory: UInt64 = 6 << 30
  /// Of the shared memory, in bytes: the largest picture, its opacity and its profile.
  private static let largestFile: UInt64 = 5 << 28

  /// The system calls of memory, threads, time, and of reading and writing what is open.
  private static let allowed = [
    "read", "write", "readv", "writev", "pread64", "pwrite64", "recvfrom", "sendto", "poll", "ppoll",
    "ftruncate", "lseek", "close", "fstat", "newfstatat",
    "munmap", "mremap", "madvise", "brk", "membarrier",
    "futex", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "gettid", "getpid", "sched_yield",
    "sched_getaffinity", "sched_getparam", "sched_getscheduler", "getcpu", "exit", "exit_group", "restart_syscall",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "alarm", "setitimer",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "getrandom", "getrusage",
    "getuid", "geteuid", "getgid", "getegid", "sysinfo", "uname",
  ]

  /// `CLONE_THREAD`, which is defined for _GNU_SOURCE only.
  private static let cloneThread: UInt64 = 0x10000

  /// Of a thousand: the kernel ends this process before any other when memory is short (proc(5), oom_score_adj).
  static let readinessToEnd = 900

  /// Where the kernel has no seccomp, the limits of memory and files remain.
  static func begin() {
    offerToEnd()
    limit(RLIMIT_AS, mostMemory)
    limit(RLIMIT_FSIZE, largestFile)
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_NOFILE, 64)
    guard let filter = filter(of: getpid()) else { return }
    defer { seccomp_release(filter) }
    _ = seccomp_load(filter)
  }

  /// The system calls that a process may make of itself.
  ///
  /// - Returns: libseccomp's filter, which the caller releases; `nil` without memory.
  static func filter(of process: pid_t) -> scmp_filter_ctx? {
    // Everything else is refused as if the person had no permission: a library that asks for a file of its own goes on
    // without it.
    guard let filter = seccomp_init(refusal(EPERM)) else { return nil }
    // For the threads that a library has started by now, too.
    _ = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1)
    func allow(_ name: String, _ conditions: [scmp_arg_cmp] = []) {
      let number = seccomp_syscall_resolve_name(name)
      // A call that this architecture doesn't have.
      guard number >= 0 else { return }
      _ = seccomp_rule_add_array(filter, UInt32(SCMP_ACT_ALLOW), number, UInt32(conditions.count), conditions)
    }
    func equal(_ value: UInt64, in argument: UInt32) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }
    for name in allowed { allow(name) }
    // Signals to itself, by which a library gives up.
    allow("tgkill", [equal(UInt64(process), in: 0)])
    // Others than these two let the socket send any signal to any process of the person (F_SETOWN, F_SETSIG).
    for command in [F_GETFD, F_GETFL] { allow("fcntl", [equal(UInt64(command), in: 1)]) }
    // No new code.
    func without(_ bits: Int32, in argument: UInt32) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(bits), datum_b: 0)
    }
    for name in ["mmap", "mprotect"] { allow(name, [without(PROT_EXEC, in: 2)]) }
    // Threads, and no processes. glibc asks for them with a structure that a filter can't see, unless the kernel is too old
    // for that.
    let thread = Self.cloneThread
    allow("clone", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_MASKED_EQ, datum_a: thread, datum_b: thread)])
    let newer = seccomp_syscall_resolve_name("clone3")
    if newer >= 0 { _ = seccomp_rule_add_array(filter, refusal(ENOSYS), newer, 0, []) }
    return filter
  }

  /// `SCMP_ACT_ERRNO`, which Swift can't read.
  private static func refusal(_ code: Int32) -> UInt32 { 0x0005_0000 | UInt32(code) }

  private static func offerToEnd() {
    let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    let text = "\(readinessToEnd)"
    // Where it may not, it is as ready as PhotoMe.
    _ = write(file, text, text.utf8.count)
  }

  private static func limit(_ kind: __rlimit_resource, _ most: UInt64) {
    var now = rlimit()
    guard getrlimit(Int32(kind.rawValue), &now) == 0 else { return }
    let value = min(most, UInt64(now.rlim_max))
    var wanted = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
    setrlimit(Int32(kind.rawValue), &wanted)
  }
}
