// The note of an opening under way, which outlives the program.

import CameraCore
import EngineInterface
import Foundation
import Logging

/// Storage for the note that a camera is being opened. A start that finds it knows which camera hung or crashed the
/// program the last time.
///
/// The driver of the state machine writes it before a camera is touched, and removes it when the opening has ended,
/// whoever asked for the opening: a camera that is plugged in again opens without a request.
protocol OpeningNote: Sendable {
  func write(_ opening: UnfinishedOpening)
  func remove()
  /// The note that is there.
  func read() -> UnfinishedOpening?
}

/// The note as a file with the camera's id in its first line and its name in the second, as far as they are known.
///
/// It isn't synchronized to the disk: it is for the program's end, not for that of the machine.
struct OpeningNoteFile: OpeningNote {
  let url: URL
  private static let logger = Logger(label: "photome.camera.note")

  /// `photome/opening-camera` in the XDG state folder.
  static var standard: OpeningNoteFile {
    OpeningNoteFile(url: UserFolders().state.appendingPathComponent("photome/opening-camera"))
  }

  func write(_ opening: UnfinishedOpening) {
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("\(opening.cameraID ?? "")\n\(opening.cameraName ?? "")".utf8).write(to: url)
    } catch {
      Self.logger.notice(
        "The note of the camera that is being opened can't be written to “\(url.path)”: \(error.localizedDescription)")
    }
  }

  func remove() {
    guard unlink(url.path) != 0, errno != ENOENT else { return }
    Self.logger.notice("“\(url.path)” can't be removed: \(String(cString: strerror(errno))).")
  }

  func read() -> UnfinishedOpening? {
    guard let note = try? Data(contentsOf: url) else { return nil }
    let lines = String(decoding: note, as: UTF8.self).split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    func line(_ index: Int) -> String? {
      index < lines.count && !lines[index].isEmpty ? String(lines[index]) : nil
    }
    return UnfinishedOpening(cameraID: line(0), cameraName: line(1))
  }
}

/// No note, for programs that ask for each opening themselves: scripts and measurements.
struct NoOpeningNote: OpeningNote {
  func write(_ opening: UnfinishedOpening) {}
  func remove() {}
  func read() -> UnfinishedOpening? { nil }
}
