// `photomectl library verify` and `rebuild`: integrity of the library and its index.

import ArgumentParser
import Foundation
import PhotoLibrary

extension LibraryCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks every picture, every record and the index.",
      discussion: "Reads every byte of the library. The status is 1 when something is wrong.")

    @Flag(help: "Forget the pictures that are nowhere; what was kept for them goes to the Trash.")
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
      guard found.isComplete else { throw CommandError("The check was canceled.") }
      let count = found.problems.count
      guard count == 0 else { throw CommandError(count == 1 ? "There is 1 problem." : "There are \(count) problems.") }
    }

    private func show(_ found: LibraryVerification) {
      for note in found.recovery { say(oneLine(note.description)) }
      for note in found.notes { say(oneLine(note)) }
      for problem in found.problems { say(oneLine("\(problem.kind.rawValue): \(problem.description)")) }
      say(
        "\(found.photos) photos (\(found.livePhotos) live), \(found.videos) videos, \(found.originals) originals, "
          + "\(found.records) records, \(found.albums) albums; \(found.bytes) bytes read")
      say("\(found.unchanged) files as at the last check, \(found.noted) taken note of for the next")
      if found.trashedRecords > 0 { say("\(found.trashedRecords) records of pictures in the Trash") }
      if found.clearedRecords > 0 {
        say("what was kept for \(found.clearedRecords) pictures that have long been gone was moved to the Trash")
      }
      if found.orphanedRecords > 0 { say("\(found.orphanedRecords) records of pictures that are nowhere were kept") }
      if !found.skippedFolders.isEmpty {
        say(
          "\(found.skippedFolders.count) folders are not looked into: \(found.skippedFolders.joined(separator: ", "))")
      }
      if found.isClean { say("All is well.") }
    }
  }

  struct Rebuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rebuilds the index from the files.", discussion: "Changes nothing but the index.")

    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let count = try await place.useUntilInterrupted { library in
        let bar = ProgressBar()
        defer { bar.end() }
        return try await library.rebuild { bar.show($0) }
      }
      if output.json { return try printJSON(["assets": count]) }
      say("\(count) pictures and videos are in the index.")
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
