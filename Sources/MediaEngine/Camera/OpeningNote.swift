// The note of an opening under way, which outlives the program.

import CameraCore
import Foundation
import Logging

/// Storage for the note that a camera is being opened. A start that finds it knows which camera hung or crashed the
/// program the last time.
///
/// The driver of the state machine writes it before a camera is touched, and removes it when the opening has ended,
/// whoever asked for the opening: a camera that is plugged in again opens without a request.
protocol OpeningNote: Sendable {
  /// - Parameter camera: The camera that is about to be opened; `nil` while one is still being looked for.
  func write(_ camera: CameraDevice.ID?)
  func remove()
  /// The camera of a note that is there, or `""` where none was known; `nil` without a note.
  func read() -> CameraDevice.ID?
}

/// The note as a file with the camera's id.
///
/// It isn't synchronized to the disk: it is for the program's end, not for that of the machine.
struct OpeningNoteFile: OpeningNote {
  let url: URL
  private static let logger = Logger(label: "photome.camera.note")

  /// `photome/opening-camera` in the XDG state folder.
  static var standard: OpeningNoteFile {
    OpeningNoteFile(url: UserFolders().state.appendingPathComponent("photome/opening-camera"))
  }

  func write(_ camera: CameraDevice.ID?) {
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((camera ?? "").utf8).write(to: url)
    } catch {
      Self.logger.notice(
        "The note of the camera that is being opened can't be written to “\(url.path)”: \(error.localizedDescription)")
    }
  }

  func remove() {
    guard unlink(url.path) != 0, errno != ENOENT else { return }
    Self.logger.notice("“\(url.path)” can't be removed: \(String(cString: strerror(errno))).")
  }

  func read() -> CameraDevice.ID? {
    (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// No note, for programs that ask for each opening themselves: scripts and measurements.
struct NoOpeningNote: OpeningNote {
  func write(_ camera: CameraDevice.ID?) {}
  func remove() {}
  func read() -> CameraDevice.ID? { nil }
}
