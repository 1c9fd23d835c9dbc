// The last trials of the journals that wait: one isn't read and tried again by every command.

import Foundation
import Localization
import Logging

/// What came of the last trial of a journal that waits. It is kept beside the journal, with what that depends on.
///
/// What a journal needs may be long to read and to look at, and commands come one after the other; so one that waits for
/// a disk is tried again when the disk's place or the journal has changed. For other reasons there is nothing that would
/// tell that they have passed: a long journal is then tried again after some minutes, a short one each time.
struct JournalTrial {
  /// The reason for which it waits, a clause in the language of whoever has tried it.
  var reason: String
  /// The folder of the disk for which it waits, relative to the library's, which may be elsewhere the next time; empty
  /// for another reason.
  var place: String
  /// The journal, and what is in that place.
  var state: String

  /// Of the names of their files.
  static let ending = ".tried"
  /// In bytes: a journal that is no longer takes no time.
  fileprivate static let shortest: UInt64 = 1 << 16
  /// In nanoseconds.
  fileprivate static let interval: Int64 = 600 * 1_000_000_000
  private static let version: Int64 = 1
  /// In bytes; a longer file isn't one of ours.
  private static let largestFile: UInt64 = 1 << 16

  /// - Parameter journal: Its path.
  static func path(of journal: String) -> String { "\(journal.dropLast(".json".count))\(ending)" }

  init(reason: String, place: String, state: String) {
    (self.reason, self.place, self.state) = (reason, place, state)
  }

  /// Parses the file, which is untrusted.
  init?(of journal: String, disk: Disk) {
    guard let data = try? disk.read(Self.path(of: journal), range: 0..<Self.largestFile),
      let values = JSONValue(parsing: data)?.object, values["version"]?.integer == Self.version,
      let reason = values["reason"]?.text, let place = values["place"]?.text, let state = values["state"]?.text
    else { return nil }
    self.init(reason: reason, place: place, state: state)
  }

  var json: Data {
    JSONValue.object([
      "version": .integer(Self.version), "reason": .text(reason), "place": .text(place), "state": .text(state),
    ]).data
  }
}

extension JournalRunner {
  /// The reason for which a journal waits, if it would be the same now.
  ///
  /// - Parameter status: Of the journal.
  func lastTrial(of path: String, _ status: Disk.Status) -> String? {
    guard let trial = JournalTrial(of: path, disk: disk), trial.state == state(of: status, awaiting: trial.place) else {
      return nil
    }
    if trial.place.isEmpty {
      guard status.size > JournalTrial.shortest, let noted = disk.status(JournalTrial.path(of: path)),
        !noted.isOlder(than: JournalTrial.interval)
      else { return nil }
    }
    return trial.reason
  }

  /// Notes why a journal waits. Without the note it is tried each time.
  ///
  /// - Parameter missing: The folder of the disk for which it waits, absolute; empty for another reason.
  func noteTrial(of path: String, _ reason: String, awaiting missing: String) {
    guard let status = disk.status(path) else { return }
    let place = folder.relative(missing) ?? ""
    let trial = JournalTrial(reason: reason, place: place, state: state(of: status, awaiting: place))
    let target = JournalTrial.path(of: path)
    let temporary = target + ".new"
    // Of a process that was killed just then.
    disk.discard(temporary)
    do throws(PhotoLibraryError) {
      try FileWriter(disk: disk).write(trial.json, to: temporary)
      try disk.replace(target, with: temporary)
    } catch {
      Self.logger.debug("\(error.description)")
      disk.discard(temporary)
    }
  }

  /// Removes the notes of journals that don't wait anymore.
  ///
  /// - Parameter names: All names in the folder of those that wait.
  func discardTrials(among names: [String]) {
    let journals = Set(names.filter { Journal.parts(of: $0) != nil }.map { JournalTrial.path(of: $0) })
    for name in names {
      let note = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
      guard note.hasSuffix(JournalTrial.ending), !journals.contains(note) else { continue }
      disk.discard("\(folder.waiting)/\(name)")
    }
  }

  private func state(of status: Disk.Status, awaiting place: String) -> String {
    // The reason is shown as it was written: a person with another language gets one of their own.
    var parts = [Locale.forText.identifier]
    parts += ["\(status.number)", "\(status.size)", "\(status.modified)", "\(status.changed)"]
    if !place.isEmpty {
      let disks = LibraryDisks(of: folder, disk: disk)
      let top = Self.top(of: place, in: folder)
      let there = disk.status(absolute(place))
      parts += [disks.isDisk(top) ? "disk" : "", disks.id(at: top) ?? ""]
      parts += [there.map { "\($0.device)" } ?? "", there.map { "\($0.modified)" } ?? ""]
    }
    return parts.joined(separator: " ")
  }
}
