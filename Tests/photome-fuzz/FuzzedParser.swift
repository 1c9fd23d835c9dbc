// The list of parsers that can be fuzzed.

import CameraCore
import Foundation
import MediaFormats

@testable import PhotoLibrary

/// A parser with seeds, and with the invariants of its result, whatever the bytes are.
struct FuzzedParser: Sendable {
  var name: String
  /// Well-formed inputs, which libFuzzer mutates.
  var seeds: @Sendable () throws -> [Data]
  /// Keywords of the format, for libFuzzer's dictionary.
  var words: [String] = []
  /// Parses the bytes. It may throw or return nothing; a trap or a failed `precondition` is a finding.
  var read: @Sendable (Data) throws -> Void

  static let all: [FuzzedParser] =
    ofRecords + ofRegions + ofRawPictures + ofPictures + ofContainers + ofCodecs + [ofJPEG, ofNetworks]
    + ofCaptureMetadata + [
      // A JPEG with its segments, EXIF, XMP, and the movie behind it.
      FuzzedParser(name: "motion-photo", seeds: Seeds.photos, words: Words.xmp + Words.boxes) {
        try check(FileFacts(Workplace.file($0, "IMG_20261121_073106_123.MP.jpg")))
      },
      FuzzedParser(name: "exif", seeds: Seeds.exif, words: Words.makers) { check(exif: $0) },
      FuzzedParser(name: "xmp", seeds: Seeds.xmp, words: Words.xmp) { check(MotionPhotoDescription(xmp: $0)) },
      FuzzedParser(name: "mp4", seeds: Seeds.movies, words: Words.boxes) {
        try check(FileFacts(Workplace.file($0, "movie.mp4")))
      },
      // Copies of it: without sound and location, and for a pair.
      FuzzedParser(name: "movie-copy", seeds: Seeds.tables, words: Words.boxes + Words.tables) {
        try checkCopies(ofMovie: FuzzedBytes($0))
      },
      // Its index with the sample tables, and movies that are assembled with its tracks.
      FuzzedParser(name: "mp4-index", seeds: Seeds.tables, words: Words.boxes + Words.tables) {
        try check(MP4Index(FuzzedBytes($0)))
      },
      // Rendered movies: a well-formed picture with the sound, the window and the metadata of the fuzzed movie, and copies of
      // the result.
      FuzzedParser(name: "movie-render", seeds: Seeds.tables, words: Words.boxes + Words.tables) {
        try checkRendering(ofMovie: FuzzedBytes($0))
      },
      FuzzedParser(name: "encoder-delay", seeds: Seeds.tables, words: Words.boxes + Words.tables) {
        let file = [UInt8]($0)
        let result = try EncoderDelay.skip(1024, in: file)
        // Two boxes and three numbers; headers may become shorter.
        precondition(result.count <= file.count + 64, "a movie that has grown")
      },
      FuzzedParser(name: "jpeg-frame", seeds: Seeds.photos) { bytes in
        try bytes.withUnsafeBytes { bytes in
          if let recovered = try? JPEGStream.recover(bytes) { check(recovered) }
          try check(JPEGStream.complete(bytes))
          _ = try JPEGFrame(bytes).refusal
        }
      },
      // Copies of a picture.
      FuzzedParser(name: "picture-copy", seeds: Seeds.photos, words: Words.xmp) {
        try checkCopies(ofPicture: Workplace.file($0, "IMG_20261121_073106_123.MP.jpg"))
      },
      // The end of the pictures, and Samsung's trailer behind them.
      FuzzedParser(name: "trailer", seeds: Seeds.trailers, words: Words.trailers) {
        try checkExtent(of: FuzzedBytes($0))
      },
      // The place in IPTC's records and in XMP.
      FuzzedParser(name: "place", seeds: Seeds.places, words: Words.places) { checkPlaces(in: $0) },
      // The whole JPEG, as it is parsed when its metadata change.
      FuzzedParser(name: "jpeg", seeds: Seeds.photos) { try check(JPEGSegments(parsing: $0)) },
      FuzzedParser(name: "name", seeds: Seeds.names, words: Words.names) { check(name: $0) },
    ]

  /// The parser of `--parser=NAME`. libFuzzer ignores arguments with two hyphens, and passes them to the processes that it
  /// starts.
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

/// Called by libFuzzer for each input, on the main thread.
func fuzzOne(bytes: UnsafePointer<UInt8>?, count: Int) -> CInt {
  // A refusal is as good a result as any.
  try? FuzzedParser.chosen?.read(bytes.map { Data(bytes: $0, count: count) } ?? Data())
  return 0
}
