// Names and status of a simulated file system.

import Foundation

extension SimulatedFileSystem {
  /// The place where a file is kept.
  struct Place {
    /// With the spelling that the disk has.
    var path: String
    /// The same with the last name as it was given.
    var asGiven: String
    var exists: Bool
  }

  func isInside(_ path: String) -> Bool {
    path.utf8.starts(with: root.utf8)
      && (path.utf8.count == root.utf8.count || path.utf8.starts(with: (root + "/").utf8))
  }

  /// Looks a path up, name by name where names aren't bytes.
  func place(_ path: String) -> Place {
    var status = Glibc.stat()
    if kernel.lstat(path, &status) == 0 { return Place(path: path, asGiven: path, exists: true) }
    guard isInside(path), kind.names != .bytes else { return Place(path: path, asGiven: path, exists: false) }
    var current = root
    var rest = path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }[
      ...]
    while let name = rest.popFirst() {
      let asGiven = "\(current)/\(name)"
      guard let found = spelling(of: name, in: current) else {
        let path = ([asGiven] + rest).joined(separator: "/")
        return Place(path: path, asGiven: path, exists: false)
      }
      current += "/" + found
      if rest.isEmpty { return Place(path: current, asGiven: asGiven, exists: true) }
    }
    return Place(path: current, asGiven: current, exists: true)
  }

  /// The name as the folder has it.
  private func spelling(of name: String, in folder: String) -> String? {
    var status = Glibc.stat()
    if kernel.lstat("\(folder)/\(name)", &status) == 0 { return name }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
    return names.first { isSame($0, name) }
  }

  private func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (one.lowercased(), other.lowercased())
    return switch kind.names {
    case .bytes: false
    case .ignoringCase: one.utf8.elementsEqual(other.utf8)
    // Strings are compared by canonical equivalence.
    case .ignoringCaseAndForm: one == other
    }
  }

  /// The `errno` of giving a file this name; `nil` when it can have it.
  func refusal(of path: String) -> Int32? {
    guard isInside(path), !kind.forbidden.isEmpty else { return nil }
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path[...].utf8
    return name.contains(where: kind.forbidden.contains) ? EINVAL : nil
  }

  /// The path of an open file; `nil` when it isn't in this file system.
  func path(of descriptor: Int32) -> String? {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)") else {
      return nil
    }
    return isInside(path) ? path : nil
  }

  /// Makes the status of a file one of this kind of file system.
  ///
  /// - Parameter path: As the disk spells it.
  func adapt(_ status: inout Glibc.stat, path: String) {
    let device = Self.mixed(Self.digest(root))
    func number(_ value: UInt64) -> ino_t { ino_t(truncatingIfNeeded: Self.mixed(value) >> 1) }
    switch kind.numbers {
    case .always: status.st_dev = dev_t(truncatingIfNeeded: device)
    case .untilUnmounted:
      if let number = given(to: status.st_ino) {
        status.st_dev = dev_t(truncatingIfNeeded: device)
        status.st_ino = number
        break
      }
      status.st_dev = dev_t(truncatingIfNeeded: Self.mixed(device ^ mount))
      status.st_ino = number(UInt64(status.st_ino) ^ Self.mixed(mount))
    case .untilRenamed:
      status.st_dev = dev_t(truncatingIfNeeded: Self.mixed(device ^ mount))
      status.st_ino = number(Self.digest(path))
    }
    status.st_mtim = coarse(status.st_mtim)
    status.st_ctim = kind.hasChangeTime ? coarse(status.st_ctim) : status.st_mtim
    if kind.linkError != nil, status.st_mode & S_IFMT == S_IFREG { status.st_nlink = 1 }
  }

  private func coarse(_ time: timespec) -> timespec {
    let second: Int64 = 1_000_000_000
    guard kind.timeUnit > 1 else { return time }
    let whole = (Int64(time.tv_sec) * second + Int64(time.tv_nsec)) / kind.timeUnit * kind.timeUnit
    return timespec(tv_sec: Int(whole / second), tv_nsec: Int(whole % second))
  }

  /// FNV-1a.
  private static func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }

  /// The finalizer of SplitMix64: one-to-one, so that different files keep different numbers.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
