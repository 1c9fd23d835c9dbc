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
///
/// Each call may block as long as the disk does.
protocol OpeningNote: Sendable {
  func write(_ opening: UnfinishedOpening)
  func remove()
  /// The note that is there.
  func read() -> UnfinishedOpening?
}

/// Writes and removes the note, in the order of the requests, on a queue of its own: a home folder on a network disk may
/// hang, and no camera hangs with it.
final class OpeningNoteKeeper: Sendable {
  /// The time that an opening waits for its note.
  private static let limit = TimeSpan.seconds(1)

  private let note: any OpeningNote
  private let queue = DispatchQueue(label: "photome.camera.note", qos: .userInitiated)

  init(_ note: any OpeningNote) { self.note = note }

  /// Writes the note. Returns when it is written, or after the limit.
  func write(_ opening: UnfinishedOpening) async {
    let isWritten = OneShot<Void, CameraError>()
    request { note in
      note.write(opening)
      isWritten.decide(.success(()))
    }
    try? await isWritten.wait(atMost: Self.limit, late: .notRunning)
  }

  /// Writes another note. Returns at once.
  func rewrite(_ opening: UnfinishedOpening) { request { $0.write(opening) } }

  /// Removes the note. Returns at once.
  func remove() { request { $0.remove() } }

  private func request(_ body: @escaping @Sendable (any OpeningNote) -> Void) {
    let note = note
    queue.async { body(note) }
  }
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
        "The note of the camera that is being opened can’t be written to “\(url.path)”: \(error.localizedDescription)")
    }
  }

  func remove() {
    guard unlink(url.path) != 0, errno != ENOENT else { return }
    Self.logger.notice("“\(url.path)” can’t be removed: \(String(cString: strerror(errno))).")
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
