// `photomectl library verify` and `rebuild`: integrity of the library and its index.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Checks every picture, every record, and the index."),
      discussion: localized("Reads every byte of the library. The status is 1 when something is wrong."))

    @Flag(
      help: ArgumentHelp(
        localized("Forget the pictures that can’t be found; what was kept for them goes to the Trash.")))
    var forgetMissing = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let found = try await place.useUntilInterrupted { [forgetMissing] library in
        if forgetMissing { try await library.forgetMissing() }
        let bar = ProgressBar()
        defer { bar.end() }
        return try await library.verify { bar.show($0) }
      }
      if output.json { try printJSON(VerificationReport(found)) } else { show(found) }
      guard found.isComplete else { throw CommandError(localized("The check was canceled.")) }
      let count = found.problems.count
      guard count == 0 else {
        throw CommandError(
          localized("There is \(count) problem.", plural: "There are \(count) problems.", count: count))
      }
    }

    private func show(_ found: LibraryVerification) {
      for note in found.recovery { say(oneLine(note.description)) }
      for note in found.notes { say(oneLine(note)) }
      for problem in found.problems { say(oneLine("\(problem.kind.rawValue): \(problem.description)")) }
      for line in Self.counts(of: found) { say(oneLine(line)) }
      if found.isClean { say(localized("All is well.")) }
    }

    /// What was found, a sentence or a list on each line.
    private static func counts(of found: LibraryVerification) -> [String] {
      let contents = [
        localized(
          "\(found.photos) photo (\(found.livePhotos) live)",
          plural: "\(found.photos) photos (\(found.livePhotos) live)", count: found.photos,
          comment: "{1} of the photos are live photos"),
        localized("\(found.videos) video", plural: "\(found.videos) videos", count: found.videos),
        localized(
          "\(found.originals) original", plural: "\(found.originals) originals", count: found.originals,
          comment: "Of edited photos and videos"),
        localized(
          "\(found.records) record", plural: "\(found.records) records", count: found.records,
          comment: "Files about photos and videos"),
        localized("\(found.albums) album", plural: "\(found.albums) albums", count: found.albums),
      ]
      let bytes = String(found.bytes)
      var lines = [
        contents.localizedList,
        localized("\(bytes) byte was read.", plural: "\(bytes) bytes were read.", count: Int(clamping: found.bytes)),
        localized(
          "\(found.unchanged) file is as it was at the last check.",
          plural: "\(found.unchanged) files are as they were at the last check.", count: found.unchanged),
        localized(
          "\(found.noted) file was noted for the next check.",
          plural: "\(found.noted) files were noted for the next check.", count: found.noted),
      ]
      if found.trashedRecords > 0 {
        lines.append(
          localized(
            "\(found.trashedRecords) record belongs to a picture in the Trash.",
            plural: "\(found.trashedRecords) records belong to pictures in the Trash.", count: found.trashedRecords))
      }
      if found.clearedRecords > 0 {
        lines.append(
          localized(
            """
            What was kept for \(found.clearedRecords) picture that has long been gone was moved to the Trash.
            """,
            plural: """
              What was kept for \(found.clearedRecords) pictures that have long been gone was moved to the Trash.
              """, count: found.clearedRecords))
      }
      if found.orphanedRecords > 0 {
        lines.append(
          localized(
            "\(found.orphanedRecords) record of a picture that can’t be found was kept.",
            plural: "\(found.orphanedRecords) records of pictures that can’t be found were kept.",
            count: found.orphanedRecords))
      }
      let skipped = found.skippedFolders
      if !skipped.isEmpty {
        lines.append(
          localized(
            "\(skipped.count) folder wasn’t searched: \(skipped.joined(separator: ", "))",
            plural: "\(skipped.count) folders weren’t searched: \(skipped.joined(separator: ", "))",
            count: skipped.count))
      }
      return lines
    }
  }

  struct Rebuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Rebuilds the index from the files."),
      discussion: localized("Changes nothing but the index."))

    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let count = try await place.useUntilInterrupted { library in
        let bar = ProgressBar()
        defer { bar.end() }
        return try await library.rebuild { bar.show($0) }
      }
      if output.json { return try printJSON(["assets": count]) }
      say(localized("\(count) item is in the index.", plural: "\(count) items are in the index.", count: count))
    }
  }
}

/// A verification as `--json` prints it.
struct VerificationReport: Encodable {
  struct Problem: Encodable {
    var kind: String
    var path: String
    var id: String?
    var reason: String
    var advice: String
  }

  var clean: Bool
  var assets: Int
  var photos: Int
  var livePhotos: Int
  var videos: Int
  var originals: Int
  var records: Int
  var albums: Int
  var bytes: UInt64
  var unchanged: Int
  var noted: Int
  var trashedRecords: Int
  var clearedRecords: Int
  var forgottenRecords: Int
  var skippedFolders: [String]
  var recovered: [String]
  var problems: [Problem]
  /// What is no problem, said once.
  var notes: [String]

  init(_ found: LibraryVerification) {
    clean = found.isClean
    assets = found.assets
    photos = found.photos
    livePhotos = found.livePhotos
    videos = found.videos
    originals = found.originals
    records = found.records
    albums = found.albums
    bytes = found.bytes
    unchanged = found.unchanged
    noted = found.noted
    trashedRecords = found.trashedRecords
    clearedRecords = found.clearedRecords
    forgottenRecords = found.orphanedRecords
    skippedFolders = found.skippedFolders
    recovered = found.recovery.map(\.description)
    notes = found.notes
    problems = found.problems.map {
      Problem(kind: $0.kind.rawValue, path: $0.path, id: $0.assetID, reason: $0.reason, advice: $0.advice)
    }
  }
}
