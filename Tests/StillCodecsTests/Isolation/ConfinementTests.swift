// The filter of system calls, run as the kernel runs it.

import CSeccomp
import Foundation
import Testing

@testable import StillCodecs

@Suite("The decoder's confinement")
struct ConfinementTests {
  /// A filter as the kernel has it: instructions of the classic Berkeley packet filter (bpf(4), linux/filter.h).
  private struct Program {
    struct Instruction {
      var code: UInt16
      var (yes, no): (UInt8, UInt8)
      var value: UInt32
    }

    let instructions: [Instruction]

    /// - Parameter process: The number of the process that is to be confined.
    init(of process: pid_t) throws {
      let filter = try #require(Confinement.filter(of: process))
      defer { seccomp_release(filter) }
      let file = try #require(tmpfile())
      defer { fclose(file) }
      try #require(seccomp_export_bpf(filter, fileno(file)) == 0)
      rewind(file)
      var list: [Instruction] = []
      var bytes = [UInt8](repeating: 0, count: 8)
      while fread(&bytes, 1, 8, file) == 8 {
        let value = bytes[4...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        list.append(
          Instruction(code: UInt16(bytes[0]) | UInt16(bytes[1]) << 8, yes: bytes[2], no: bytes[3], value: value))
      }
      instructions = list
    }

    /// Whether a call is made (seccomp(2), `struct seccomp_data`).
    func allows(_ name: String, _ arguments: UInt64...) throws -> Bool {
      let number = seccomp_syscall_resolve_name(name)
      try #require(number >= 0)
      var words: [UInt32] = [UInt32(number), seccomp_arch_native(), 0, 0]
      for index in 0..<6 {
        let argument = index < arguments.count ? arguments[index] : 0
        words += [UInt32(truncatingIfNeeded: argument), UInt32(argument >> 32)]
      }
      var (at, accumulator) = (0, UInt32(0))
      while instructions.indices.contains(at) {
        let instruction = instructions[at]
        at += 1
        func jump(_ isTrue: Bool) { at += Int(isTrue ? instruction.yes : instruction.no) }
        switch instruction.code {
        // Load; and; jumps: always, equal, greater, greater or equal, a bit set; return.
        case 0x20: accumulator = words[Int(instruction.value) / 4]
        case 0x54: accumulator &= instruction.value
        case 0x05: at += Int(instruction.value)
        case 0x15: jump(accumulator == instruction.value)
        case 0x25: jump(accumulator > instruction.value)
        case 0x35: jump(accumulator >= instruction.value)
        case 0x45: jump(accumulator & instruction.value != 0)
        case 0x06: return instruction.value == 0x7fff_0000
        default: throw CocoaError(.featureUnsupported)
        }
      }
      throw CocoaError(.featureUnsupported)
    }
  }

  @Test("It reads, computes and answers")
  func allowed() throws {
    let program = try Program(of: 1234)
    for name in ["read", "pread64", "pwrite64", "recvfrom", "sendto", "futex", "munmap", "exit_group", "brk", "poll"] {
      #expect(try program.allows(name), "\(name)")
    }
    #expect(try program.allows("mmap", 0, 4096, UInt64(PROT_READ | PROT_WRITE)))
    #expect(try program.allows("clone", 0x3d0f00))
  }

  @Test("It opens nothing, starts nothing, and reaches no other process")
  func refused() throws {
    let program = try Program(of: 1234)
    let names = [
      "open", "openat", "openat2", "execve", "execveat", "fork", "vfork", "clone3", "socket", "connect", "sendmsg",
      "recvmsg", "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal", "ptrace",
      "process_vm_readv", "process_vm_writev", "prctl", "seccomp", "unlink", "rename", "ioctl", "io_uring_setup", "bpf",
      "userfaultfd", "memfd_create", "dup2", "prlimit64", "setpriority", "mount", "unshare", "setns", "shmget",
      "msgget",
    ]
    for name in names { #expect(try !program.allows(name), "\(name)") }
    #expect(try !program.allows("mmap", 0, 4096, UInt64(PROT_READ | PROT_EXEC)))
    #expect(try !program.allows("mprotect", 0, 4096, UInt64(PROT_EXEC)))
    // A process instead of a thread.
    #expect(try !program.allows("clone", UInt64(SIGCHLD)))
  }

  @Test("It signals itself only, and its socket nobody")
  func signals() throws {
    let program = try Program(of: 1234)
    #expect(try program.allows("tgkill", 1234, 1234, UInt64(SIGABRT)))
    #expect(try !program.allows("tgkill", 1233, 1233, UInt64(SIGKILL)))
    #expect(try !program.allows("tgkill", 1234 | 1 << 32, 1, UInt64(SIGKILL)))
    #expect(try program.allows("fcntl", 0, UInt64(F_GETFL)))
    // F_SETFL with O_ASYNC, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_ADD_SEALS.
    for command in [UInt64(4), 8, 10, 15, 1033] { #expect(try !program.allows("fcntl", 0, command), "\(command)") }
  }
}
