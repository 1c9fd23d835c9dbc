// The identity of a computer, for libraries that more than one of them can reach.

import Foundation

/// A computer and its present run, as lock files and journals name them.
///
/// On a network share, through sshfs or in a synchronized folder, a lock of the kernel says nothing about programs on
/// other computers.
struct MachineIdentity: Codable, Hashable, Sendable {
  /// A digest of the computer's id; empty when it has none. The id itself is confidential: see machine-id(5).
  var machine: String
  /// A digest of the id of the kernel's present run, which containers share; empty when it isn't known.
  var boot: String
  /// The host name, for messages.
  var name: String

  static let this = MachineIdentity(
    machine: digest(of: "/etc/machine-id", "/var/lib/dbus/machine-id"),
    boot: digest(of: "/proc/sys/kernel/random/boot_id"),
    name: hostName)

  /// In bytes; more isn't ours.
  static let largest = 1024

  /// Whether locks of the kernel tell this computer about programs of that one.
  func isSame(as other: MachineIdentity) -> Bool {
    (!boot.isEmpty && boot == other.boot) || (!machine.isEmpty && machine == other.machine)
  }

  /// For messages; `nil` when it isn't known.
  var shownName: String? {
    let plain = name.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }.prefix(64)
    return plain.isEmpty ? nil : String(plain)
  }

  /// One line.
  var json: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Three strings can always be encoded.
    return ((try? encoder.encode(self)) ?? Data()) + Data("\n".utf8)
  }

  init(machine: String, boot: String, name: String) {
    (self.machine, self.boot, self.name) = (machine, boot, name)
  }

  /// - Returns: `nil` for anything else, such as the empty lock file of an earlier version.
  init?(json: Data) {
    guard let identity = try? JSONDecoder().decode(Self.self, from: json) else { return nil }
    self = identity
  }

  private static func digest(of paths: String...) -> String {
    for path in paths {
      guard let text = FileManager.default.contents(atPath: path), text.count > 1 else { continue }
      return String(AssetIdentity.digest(Data("photome\n".utf8) + text).prefix(16))
    }
    return ""
  }

  private static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, 255) == 0 else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension Disk {
  /// The computer that a lock file names; `nil` when it names none, or can't be read.
  ///
  /// - Parameter descriptor: Open for reading.
  func machine(in descriptor: Int32) -> MachineIdentity? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: MachineIdentity.largest, alignment: 1)
    defer { buffer.deallocate() }
    guard let base = buffer.baseAddress else { return nil }
    let count = system.pread(descriptor, base, buffer.count, 0)
    return count > 0 ? MachineIdentity(json: Data(buffer[..<count])) : nil
  }

  /// Writes this computer into a lock file that was just opened. On a full disk it names none, as in earlier versions.
  func writeMachine(to descriptor: Int32) {
    let json = machine.json
    _ = system.ftruncate(descriptor, 0)
    _ = json.withUnsafeBytes { bytes in bytes.baseAddress.map { system.write(descriptor, $0, bytes.count) } ?? 0 }
  }
}
