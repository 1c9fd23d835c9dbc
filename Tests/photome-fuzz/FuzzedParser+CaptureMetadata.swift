// Changes of the time and the place in files, and their undoing.

import CameraCore
import Foundation
import MediaFormats

@testable import PhotoLibrary

extension FuzzedParser {
  static let ofCaptureMetadata = [
    FuzzedParser(name: "exif-block", seeds: Seeds.exif, words: Words.makers) { bytes in
      var block = try EXIFBlock(bytes)
      let texts: [EXIFBlock.Text: String] = [
        .dateTimeOriginal: "2026:11:28 07:31:06", .offsetOriginal: "+01:00", .subsecondsOriginal: "123",
      ]
      try block.set(texts)
      for (tag, text) in texts { precondition(block.text(tag) == text, "a text that isn't there") }
      try block.setPosition(latitude: -33.5, longitude: 179.999)
      precondition(block.hasPosition, "a position that isn't there")
      // Each directory may have been written anew.
      precondition(block.bytes.count <= 3 * bytes.count + mostGrowth, "a block that grows without end")
      let again = try EXIFBlock(Data(block.bytes))
      precondition(again.text(.offsetOriginal) == "+01:00" && again.hasPosition, "another block when it is read again")
      try block.removePosition()
      precondition(!block.hasPosition, "a position that stays")
    },
    FuzzedParser(name: "capture-jpeg", seeds: Seeds.photos, words: Words.xmp + Words.makers) {
      try checkCapture($0, "IMG_1.MP.jpg")
    },
    FuzzedParser(name: "capture-heif", seeds: Seeds.heifs, words: Words.heif + Words.boxes) {
      try checkCapture($0, "IMG_1.heic")
    },
    FuzzedParser(name: "capture-png", seeds: Seeds.pngs, words: Words.png) { try checkCapture($0, "IMG_1.png") },
    FuzzedParser(name: "capture-webp", seeds: Seeds.webps, words: Words.webp) { try checkCapture($0, "IMG_1.webp") },
    FuzzedParser(name: "capture-tiff", seeds: Seeds.tiffs, words: Words.raw) { try checkCapture($0, "IMG_1.tif") },
    FuzzedParser(name: "capture-jxl", seeds: Seeds.jxls, words: Words.jxl) { try checkCapture($0, "IMG_1.jxl") },
    FuzzedParser(name: "capture-raw", seeds: { try Seeds.rawPictures() + Seeds.tiffs() }, words: Words.raw) {
      try checkCapture($0, "IMG_1.dng")
    },
    FuzzedParser(
      name: "capture-movie", seeds: { Seeds.movies() + Seeds.tables() },
      words: Words.boxes + Words.tables + ["mvhd", "tkhd", "mdhd", "udta", "\u{a9}xyz", "\u{a9}day", "keys", "ilst"]
    ) {
      try checkCapture($0, "VID_1.mp4")
    },
  ]

  /// In bytes: three texts and a position, with their directories.
  private static let mostGrowth = 4096

  /// A change of the time and the place keeps what the file is, and can be undone byte for byte.
  private static func checkCapture(_ bytes: Data, _ name: String) throws {
    let file = try Workplace.file(bytes, name)
    guard let facts = try FileFacts(file) else { return }
    let before = CaptureMetadata(facts)
    let place = GeoLocation(latitude: -33.5, longitude: 179.999)
    let moved = CaptureMetadata(milliseconds: before.milliseconds + 5_400_000, utcOffset: 3600, location: place)
    for after in [
      moved, CaptureMetadata(milliseconds: before.milliseconds, utcOffset: before.utcOffset, location: nil),
    ]
    where after.isPossible {
      let change = CaptureMetadataChange(before: before, after: after)
      guard let parts = try? CaptureMetadataRewriter.parts(of: file, name: name, change) else { continue }
      let changed = try Workplace.file(joined(parts), "changed-\(name)")
      // What wouldn't be found as the same picture is refused.
      guard let now = try FileFacts(changed, named: name), now.contentID == facts.contentID, now.isShown(as: facts)
      else { continue }
      // Where too much has changed, the whole file is kept.
      guard let reversal = try FileReversal(of: file, parts) else { continue }
      guard let undone = try reversal.parts(of: changed) else { preconditionFailure("a change that can't be undone") }
      let restored = try joined(undone)
      precondition(restored == bytes, "another file when undone")
    }
  }

  private static func joined(_ parts: [FilePart]) throws -> Data {
    try parts.reduce(Data()) { joined, part in
      switch part {
      case .bytes(let data): joined + data
      case .file(let file, let range): joined + (try file.data(at: range.lowerBound, count: range.count))
      }
    }
  }
}
