// The parsers that can be fuzzed, a line each.

import CameraCore
import Foundation

@testable import PhotoLibrary

/// A parser, what to feed it with at first, and what must be true of its answer whatever the bytes are.
struct FuzzedParser: Sendable {
  var name: String
  /// Well-formed inputs, from which libFuzzer makes others.
  var seeds: @Sendable () throws -> [Data]
  /// Words that inputs are made of, for libFuzzer's dictionary.
  var words: [String] = []
  /// Reads the bytes. It may throw and say no; a trap or a failed `precondition` is a finding.
  var read: @Sendable (Data) throws -> Void

  static let all: [FuzzedParser] =
    ofRecords + [
      // A JPEG with all that is in it: segments, EXIF, XMP, the movie behind it.
      FuzzedParser(name: "motion-photo", seeds: Seeds.photos, words: Words.xmp + Words.boxes) {
        try check(FileFacts(Workplace.file($0, "IMG_20261121_073106_123.MP.jpg")))
      },
      FuzzedParser(name: "exif", seeds: Seeds.exif, words: Words.makers) { check(exif: $0) },
      FuzzedParser(name: "xmp", seeds: Seeds.xmp, words: Words.xmp) { check(MotionPhotoDescription(xmp: $0)) },
      FuzzedParser(name: "mp4", seeds: Seeds.movies, words: Words.boxes) {
        try check(FileFacts(Workplace.file($0, "movie.mp4")))
      },
      // The same, as copies of it are made: without sound and place, and for a pair.
      FuzzedParser(name: "movie-copy", seeds: Seeds.tables, words: Words.boxes + Words.tables) {
        try checkCopies(ofMovie: Workplace.file($0, "movie.mp4"))
      },
      // A picture, as copies of it are made.
      FuzzedParser(name: "picture-copy", seeds: Seeds.photos, words: Words.xmp) {
        try checkCopies(ofPicture: Workplace.file($0, "IMG_20261121_073106_123.MP.jpg"))
      },
      // The whole JPEG, as it is taken apart when its metadata change.
      FuzzedParser(name: "jpeg", seeds: Seeds.photos) { try check(JPEGSegments(parsing: $0)) },
      FuzzedParser(name: "name", seeds: Seeds.names, words: Words.names) { check(name: $0) },
    ]

  /// The one that `--parser=NAME` names. libFuzzer passes over what begins with two hyphens, and gives it to the processes
  /// that it starts.
  static let chosen = all.first { CommandLine.arguments.contains("--parser=\($0.name)") }

  /// Writes the seeds, and the dictionary beside their folder.
  func writeSeeds(into folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, seed) in try seeds().enumerated() {
      try seed.write(to: folder.appendingPathComponent("seed-\(number)", isDirectory: false))
    }
    let lines = words.map { word in
      let escaped = word.utf8.map { byte in
        (32...126).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
          ? String(UnicodeScalar(byte)) : String(format: "\\x%02x", Int(byte))
      }
      return "\"\(escaped.joined())\"\n"
    }
    try Data(lines.joined().utf8).write(to: folder.appendingPathExtension("dict"))
  }
}

/// What libFuzzer calls for each input, on the main thread.
func fuzzOne(bytes: UnsafePointer<UInt8>?, count: Int) -> CInt {
  // That something is no picture is as good an answer as any.
  try? FuzzedParser.chosen?.read(bytes.map { Data(bytes: $0, count: count) } ?? Data())
  return 0
}
