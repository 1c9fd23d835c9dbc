// A sandbox like Flatpak's, made with bubblewrap.

import Foundation
import TestSupport

enum Bubblewrap {
  /// Whether there is bubblewrap, and the kernel lets it make a sandbox.
  static let isPossible: Bool =
    Command.areInstalled("bwrap")
    && (try? Command.run("bwrap", ["--ro-bind", "/", "/", "--dev", "/dev", "true"], at: URL(fileURLWithPath: "/")))?
      .status == 0

  /// bubblewrap with the system's folders for reading, a bare `/dev`, and the file by which programs know Flatpak.
  static func launcher(in folder: URL) throws -> [String] {
    let info = folder.appendingPathComponent("flatpak-info")
    try Data("[Application]\nname=\(RunningPhotoMe.busName)\n".utf8).write(to: info)
    // The sandbox ends with the thread that has started it: a shell's only one, not one of a pool.
    var command = ["sh", "-c", #""$@"; exit $?"#, "sh", "bwrap", "--die-with-parent", "--unshare-pid"]
    for name in try FileManager.default.contentsOfDirectory(atPath: "/") where !["dev", "proc", "tmp"].contains(name) {
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/" + name) {
        command += ["--symlink", target, "/" + name]
      } else {
        command += ["--ro-bind", "/" + name, "/" + name]
      }
    }
    // The test's folder, the X server's socket and the bus are in there.
    return command + [
      "--bind", "/tmp", "/tmp", "--proc", "/proc", "--dev", "/dev", "--ro-bind", info.path, "/.flatpak-info",
    ]
  }
}
