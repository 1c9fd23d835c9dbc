// The program that holds a device, as far as /proc tells.

import Foundation

/// Finds out which program of the same user has a device open, as `fuser` does. Other users' programs can't be seen.
enum DeviceHolder {
  /// Programs that hold cameras for others, which can't be closed by anyone.
  private static let mediators: Set<String> = ["pipewire", "wireplumber", "pipewire-media-session"]

  /// The name of a program that has the file open; `nil` when there is none that can be seen. Takes some milliseconds.
  ///
  /// - Parameter proc: `/proc`, or a folder like it.
  static func name(of path: String, in proc: String = "/proc", besides own: Int32 = getpid()) -> String? {
    let files = FileManager.default
    let processes = ((try? files.contentsOfDirectory(atPath: proc)) ?? []).compactMap { Int32($0) }
    for process in processes.sorted() where process != own {
      let folder = "\(proc)/\(process)"
      let descriptors = (try? files.contentsOfDirectory(atPath: "\(folder)/fd")) ?? []
      let isHolder = descriptors.contains { descriptor in
        (try? files.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(descriptor)")) == path
      }
      guard isHolder, let name = programName(folder), !mediators.contains(name) else { continue }
      return name
    }
    return nil
  }

  private static func programName(_ folder: String) -> String? {
    guard
      let name = (try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines), !name.isEmpty
    else { return nil }
    // The kernel keeps 15 bytes of it.
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/exe"))
      .map { URL(fileURLWithPath: $0).lastPathComponent }
    if name.utf8.count == 15, let program, program.hasPrefix(name) { return program }
    return name
  }
}
