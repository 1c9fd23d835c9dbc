// A folder of pictures in several formats, as people have them.

import Foundation

/// Pictures that no one has seen, no two alike, made by ffmpeg and heif-enc.
struct MixedFolder {
  let url: URL
  let count: Int

  /// The formats by their endings, the share of each in hundredths, and the encoder's options.
  private static let formats: [(ending: String, share: Int, options: [String])] = [
    ("jpg", 72, ["-q:v", "4"]), ("png", 8, []), ("webp", 8, ["-c:v", "libwebp", "-quality", "80"]),
    ("heic", 4, []), ("tif", 4, ["-c:v", "tiff", "-compression_algo", "lzw", "-pix_fmt", "rgb24"]), ("gif", 4, []),
  ]
  /// In pixels: the size of a photo that was sent by a messenger.
  private static let size = (width: 1600, height: 1200)

  /// - Parameters:
  ///   - folder: For the pictures; created.
  ///   - count: At least 100.
  /// - Throws: `BenchError` when an encoder is missing or fails.
  init(in folder: URL, count: Int) throws {
    url = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var made = 0
    for (number, format) in Self.formats.enumerated() {
      let wanted = count * format.share / 100
      // Each kind begins elsewhere; the noise is another in every frame.
      let source =
        "testsrc2=s=\(Self.size.width)x\(Self.size.height),trim=start_frame=\(number * 50),setpts=PTS-STARTPTS"
        + ",noise=alls=12:allf=t:all_seed=\(number + 1)"
      let isHEIC = format.ending == "heic"
      let pattern = folder.appendingPathComponent("\(format.ending)-%05d.\(isHEIC ? "png" : format.ending)").path
      _ = try CommandRun(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "\(wanted)"]
          + (format.ending == "gif" || format.ending == "webp" ? ["-f", "image2"] : []) + format.options + [pattern],
        in: folder.deletingLastPathComponent(), limit: 3600)
      if isHEIC { try Self.encodeHEIC(in: folder) }
      made += wanted
    }
    self.count = made
    try Self.mix(folder)
  }

  private static func encodeHEIC(in folder: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("heic-") }
    for name in names.sorted() {
      let png = folder.appendingPathComponent(name)
      let heic = png.deletingPathExtension().appendingPathExtension("heic")
      _ = try CommandRun(
        ["heif-enc", "-q", "60", "-p", "preset=ultrafast", png.path, "-o", heic.path],
        in: folder.deletingLastPathComponent())
      try FileManager.default.removeItem(at: png)
    }
  }

  /// Spreads the formats over the names and dates, by which programs sort.
  private static func mix(_ folder: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var random = BenchRandom(seed: 14)
    let order = names.shuffled(using: &random)
    let first = Date(timeIntervalSince1970: 1_700_000_000)
    for (number, name) in order.enumerated() {
      let digits = String(number + 100_000).dropFirst()
      let new = folder.appendingPathComponent("IMG_\(digits).\(URL(fileURLWithPath: name).pathExtension)")
      try FileManager.default.moveItem(at: folder.appendingPathComponent(name), to: new)
      try FileManager.default.setAttributes(
        [.modificationDate: first.addingTimeInterval(Double(number) * 60)], ofItemAtPath: new.path)
    }
  }

  /// The files that were made last, which the first page shows.
  func newest(_ most: Int) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasPrefix("IMG_") }.sorted().suffix(most)
      .map { url.appendingPathComponent($0).path }
  }
}
