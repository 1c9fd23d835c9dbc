// Processor time and memory of a process, from the kernel.

import Foundation

/// Reads `/proc`, for a process with everything that it started.
enum ProcessUsage {
  /// Processor time since the start, in seconds: user and system, all threads, living and ended children.
  ///
  /// The kernel counts the scheduler's own times, not samples; it rounds to 10 ms.
  static func processorSeconds(of pid: pid_t) -> Double {
    family(of: pid).reduce(0) { sum, member in
      guard let fields = statistics(of: member) else { return sum }
      // utime, stime, and those of children that were waited for: fields 14 to 17 of proc(5), of which 3 is the first.
      return sum + fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// Processor time of the calling thread, in seconds.
  static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Memory in bytes that the process and what it started hold: `resident` counts shared pages in full, `proportional`
  /// by how many share them.
  static func memory(of pid: pid_t) -> (resident: Int, proportional: Int) {
    memory(ofAll: family(of: pid))
  }

  /// Memory of this process that no file backs, in bytes: what it has taken, without the parts of programs and of the index
  /// that the system has read for it.
  static func ownMemory() -> Int { ownStatus("RssAnon:") }

  /// The most resident memory that this process ever had, in bytes.
  ///
  /// Not from `getrusage`, in which a child begins with what its parent had.
  static func ownPeakMemory() -> Int { ownStatus("VmHWM:") }

  private static func ownStatus(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") where line.hasPrefix(name) {
      return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 } ?? 0
    }
    return 0
  }

  private static func memory(ofAll members: [pid_t]) -> (resident: Int, proportional: Int) {
    var sum = (resident: 0, proportional: 0)
    for member in members {
      guard let text = try? String(contentsOfFile: "/proc/\(member)/smaps_rollup", encoding: .utf8) else { continue }
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count >= 2, let kilobytes = Int(words[1]) else { continue }
        if words[0] == "Rss:" { sum.resident += kilobytes << 10 }
        if words[0] == "Pss:" { sum.proportional += kilobytes << 10 }
      }
    }
    return sum
  }

  /// The process and its living descendants.
  private static func family(of pid: pid_t) -> [pid_t] {
    var children: [pid_t: [pid_t]] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let member = pid_t(name), let parent = statistics(of: member).flatMap({ pid_t($0[1]) }) else { continue }
      children[parent, default: []].append(member)
    }
    var family = [pid]
    var index = 0
    while index < family.count {
      family += children[family[index]] ?? []
      index += 1
    }
    return family
  }

  /// The fields of `/proc/PID/stat` after the name, which may hold spaces: state, parent, …
  private static func statistics(of pid: pid_t) -> [Substring]? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    return fields.count > 20 ? fields : nil
  }
}
