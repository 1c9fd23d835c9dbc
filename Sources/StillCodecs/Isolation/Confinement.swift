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
  /// reduced, and as much again in a decoder.
  private static let mostMemory: UInt64 = 6 << 30
  /// Of the shared memory, in bytes: the largest picture and its profile.
  private static let largestFile: UInt64 = 1 << 30

  /// The system calls of memory, threads, time, and of reading and writing what is open.
  private static let allowed = [
    "read", "write", "readv", "writev", "pread64", "pwrite64", "recvfrom", "recvmsg", "sendto", "sendmsg", "poll",
    "ppoll",
    "ftruncate", "lseek", "close", "fstat", "newfstatat", "fcntl",
    "munmap", "mremap", "madvise", "brk", "membarrier",
    "futex", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "gettid", "getpid", "sched_yield",
    "sched_getaffinity", "sched_getparam", "sched_getscheduler", "getcpu", "exit", "exit_group", "restart_syscall",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill", "alarm", "setitimer",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "getrandom", "getrusage",
    "getuid", "geteuid", "getgid", "getegid", "sysinfo", "uname",
  ]

  /// `CLONE_THREAD`, which is defined for _GNU_SOURCE only.
  private static let cloneThread: UInt64 = 0x10000

  /// Where the kernel has no seccomp, the limits of memory and files remain.
  static func begin() {
    limit(RLIMIT_AS, mostMemory)
    limit(RLIMIT_FSIZE, largestFile)
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_NOFILE, 64)
    // Everything else is refused as if the person had no permission: a library that asks for a file of its own goes on
    // without it.
    guard let filter = seccomp_init(refusal(EPERM)) else { return }
    defer { seccomp_release(filter) }
    func allow(_ name: String, _ conditions: [scmp_arg_cmp] = []) {
      let number = seccomp_syscall_resolve_name(name)
      // A call that this architecture doesn't have.
      guard number >= 0 else { return }
      _ = seccomp_rule_add_array(filter, UInt32(SCMP_ACT_ALLOW), number, UInt32(conditions.count), conditions)
    }
    for name in allowed { allow(name) }
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
    _ = seccomp_load(filter)
  }

  /// `SCMP_ACT_ERRNO`, which Swift can't read.
  private static func refusal(_ code: Int32) -> UInt32 { 0x0005_0000 | UInt32(code) }

  private static func limit(_ kind: __rlimit_resource, _ most: UInt64) {
    var now = rlimit()
    guard getrlimit(Int32(kind.rawValue), &now) == 0 else { return }
    let value = min(most, UInt64(now.rlim_max))
    var wanted = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
    setrlimit(Int32(kind.rawValue), &wanted)
  }
}
