// WebP, GIF, TIFF, JPEG XL, raw and animated PNG files, copies of them with other metadata, and movies not made of boxes.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import TestSupport

@testable import PhotoLibrary

extension FuzzedParser {
  static let ofContainers = [
    FuzzedParser(name: "webp", seeds: Seeds.webps, words: Words.webp) { try check(WebPHead.self, $0) },
    FuzzedParser(name: "gif", seeds: Seeds.gifs, words: Words.gif) { try check(GIFHead.self, $0) },
    FuzzedParser(name: "tiff", seeds: Seeds.tiffs, words: Words.raw) { try check(TIFFHead.self, $0) },
    FuzzedParser(name: "jxl", seeds: Seeds.jxls, words: Words.jxl) { try check(JXLHead.self, $0) },
    FuzzedParser(name: "raw", seeds: { try Seeds.rawPictures() + Seeds.tiffs() }, words: Words.raw) { bytes in
      try check(RAWHead.self, bytes)
      guard let preview = try RAWHead(FuzzedBytes(bytes))?.preview else { return }
      precondition(preview.range.upperBound <= UInt64(bytes.count), "a preview beyond the file")
      precondition(preview.size.width > 0 && preview.size.height > 0, "a preview of nothing")
    },
    FuzzedParser(name: "png-animation", seeds: Seeds.animations, words: Words.png + ["acTL", "fcTL", "fdAT"]) { bytes in
      let file = FuzzedBytes(bytes)
      guard let animation = try PNGAnimation(file) else { return }
      for frame in animation.frames {
        precondition(frame.x >= 0 && frame.x + frame.size.width <= animation.size.width, "a frame beyond its picture")
        precondition(frame.y >= 0 && frame.y + frame.size.height <= animation.size.height, "a frame beyond its picture")
        precondition(frame.duration >= 0 && frame.duration.isFinite, "a frame of no time")
        let picture = try PNGHead(FuzzedBytes(animation.file(of: frame, in: file)))
        precondition(picture != nil, "a frame that is no picture")
      }
    },
    FuzzedParser(name: "matroska", seeds: Seeds.matroskas, words: Words.matroska) { try check(movie: $0) },
    FuzzedParser(name: "avi", seeds: Seeds.avis, words: Words.avi) { try check(movie: $0) },
    FuzzedParser(name: "preset", seeds: Seeds.presets, words: Words.json + Words.presets) { bytes in
      let preset = try EditPreset(data: bytes)
      let again = try EditPreset(data: preset.data())
      precondition(again == preset, "a preset that changes when kept")
    },
  ]

  private static let packet = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
  private static let changes = [
    PictureMetadata(exif: .replaced(Data("II*\0\u{8}\0\0\0\0\0\0\0\0\0".utf8)), xmp: .replaced(packet)),
    PictureMetadata(xmp: .removed), PictureMetadata(exif: .removed, xmp: .removed, dropsOthers: true),
  ]
  /// In bytes, of coded pixels that are compared.
  private static let most: UInt64 = 1 << 20

  /// Its parts lie in the file; a copy of a whole file is whole, has the same pixels, and the packet that it was given.
  private static func check<Container: PictureContainer>(_ type: Container.Type, _ bytes: Data) throws {
    let file = FuzzedBytes(bytes)
    guard let head = try type.init(file) else { return }
    precondition(head.size.width > 0 && head.size.height > 0, "a size of nothing")
    precondition(head.end <= file.count && !head.imageRanges.isEmpty, "an end beyond the file")
    precondition(head.imageRanges.allSatisfy { $0.upperBound <= file.count }, "pixels beyond the file")
    let isWhole = try type.walk(file) == .complete
    for change in changes {
      let source = DataSource(bytes, name: "picture")
      guard let copy = try? type.pieces(of: source, change).joined() else { continue }
      let second = try type.pieces(of: source, change).joined()
      precondition(second == copy, "another copy the second time")
      let copied = FuzzedBytes(copy)
      guard isWhole else { continue }
      guard let after = try type.init(copied) else { preconditionFailure("no picture any more") }
      let walk = try type.walk(copied)
      precondition(walk == .complete, "a damaged copy")
      precondition(after.size == head.size && after.isAnimated == head.isAnimated, "another picture")
      if case .replaced(let packet) = change.xmp { precondition(after.xmp == packet, "another packet") }
      // Without everything else, frames lose chunks that aren't theirs, and small pictures go.
      guard !change.dropsOthers, let old = try pixels(of: head, in: file), let new = try pixels(of: after, in: copied)
      else { continue }
      precondition(old == new, "other pixels")
    }
  }

  /// `nil` when they are too many to be compared.
  private static func pixels(of head: some PictureContainer, in file: FuzzedBytes) throws -> Data? {
    guard head.imageRanges.reduce(UInt64(0), { $0 + UInt64($1.count) }) <= most else { return nil }
    return try head.imageRanges.reduce(into: Data()) {
      $0 += try file.data(at: $1.lowerBound, count: $1.count)
    }
  }

  private static func check(movie bytes: Data) throws {
    let file = FuzzedBytes(bytes)
    guard let head = try MovieHead(file) else { return }
    if let duration = head.duration { precondition((0...864_000).contains(duration), "a movie of no length") }
    if let size = head.size { precondition(size.width > 0 && size.height > 0, "a size of nothing") }
    precondition((0...3).contains(head.quarterTurns), "a turn that there is not")
    precondition(head.mediaRange.map { $0.upperBound <= file.count } ?? true, "media beyond the file")
    _ = try MovieHead.walk(file)
    try check(FileFacts(Workplace.file(bytes, "movie.\(head.format.rawValue)")))
    for piece in (try? PlacelessMovie.pieces(of: file)) ?? [] {
      if case .file(_, let range) = piece { precondition(range.upperBound <= file.count, "bytes beyond the file") }
    }
  }
}

extension Seeds {
  private static let emptyEXIF = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  private static let packetBytes = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)

  static func webps() -> [Data] {
    let picture = HandMadeWebP.Chunk.picture(width: 20, height: 10)
    let lossless = HandMadeWebP.Chunk.lossless(width: 20, height: 10)
    let frame = HandMadeWebP.Chunk.frame(width: 20, height: 10, [picture])
    let files: [[HandMadeWebP.Chunk]] = [
      [picture], [lossless],
      [.extended(0x0c, width: 20, height: 10), picture, .init("EXIF", emptyEXIF), .init("XMP ", packetBytes)],
      [.extended(0x20, width: 20, height: 10), .init("ICCP", [1, 2, 3]), lossless],
      [.extended(0x02, width: 20, height: 10), .init("ANIM", [0, 0, 0, 0, 0, 0]), frame, frame],
    ]
    return files.map { HandMadeWebP($0).data }
  }

  static func gifs() -> [Data] {
    var gif = HandMadeGIF(
      width: 4, height: 3, frames: (0..<2).map { .init(width: 4, height: 3, color: UInt8($0)) })
    let plain = gif.data
    gif.loops = 0
    let text: [UInt8] = [0x21, 0xfe, 3] + Array("abc".utf8) + [0]
    gif.extensions = text + [0x21, 0xff, 11] + Array("XMP DataXMP".utf8) + [3] + Array("<x>".utf8) + [0]
    return [plain, gif.data, HandMadeGIF(width: 4, height: 3, frames: [gif.frames[0]]).data]
  }

  static func tiffs() -> [Data] {
    [(false, false), (true, false), (false, true)].flatMap { isBig, isBigTIFF in
      var tiff = HandMadeTIFF()
      (tiff.isBigEndian, tiff.isBigTIFF) = (isBig, isBigTIFF)
      let plain = tiff.data
      tiff.pages[0].fields += [
        .short(274, 6), .bytes(700, packetBytes), .directory(34665, [.text(0x9003, "2026:11:21 07:31:06")]),
      ]
      tiff.pages.append(HandMadeTIFF.Page(kind: 1))
      return [plain, tiff.data]
    }
  }

  static func jxls() -> [Data] {
    var file = HandMadeJXL()
    let stream = file.codestream
    (file.orientation, file.isAnimated) = (6, true)
    let boxes = [MP4Box("jxll", [5]), HandMadeJXL.exif(emptyEXIF), MP4Box("xml ", packetBytes)]
    return [
      Data(stream), Data(file.codestream), HandMadeJXL.container(boxes + [MP4Box("jxlc", stream)]),
      HandMadeJXL.container(
        [HandMadeJXL.part(0, isLast: false, stream.prefix(3)), HandMadeJXL.part(1, isLast: true, stream.dropFirst(3))]
          + boxes),
    ]
  }

  /// A picture of 2 pixels a side in two frames.
  static func animations() -> [Data] {
    func words(_ numbers: Int...) -> [UInt8] { numbers.flatMap { ByteWriter.number($0, 4) } }
    /// Two rows of two pixels, stored.
    let rows = [UInt8](repeating: 0, count: 14)
    let stored: [UInt8] = [0x78, 1, 1, 14, 0, 0xf1, 0xff] + rows + [0, 14, 0, 1]
    func control(_ number: Int) -> [UInt8] {
      HandMadePNG.chunk("fcTL", words(number, 2, 2, 0, 0) + [0, 1, 0, 10, UInt8(number % 3), 0])
    }
    let chunks: [[UInt8]] = [
      HandMadePNG.chunk("IHDR", words(2, 2) + [8, 2, 0, 0, 0]), HandMadePNG.chunk("acTL", words(2, 0)), control(0),
      HandMadePNG.chunk("IDAT", stored), control(1), HandMadePNG.chunk("fdAT", words(2) + stored),
      HandMadePNG.chunk("IEND", []),
    ]
    return [Data(HandMadePNG.signature + chunks.flatMap(\.self))]
  }

  static func matroskas() -> [Data] {
    typealias Made = HandMadeMatroska
    let facts = Made.element(
      Made.information,
      Made.number(0x2ad7b1, 1_000_000) + Made.float(0x4489, 2500) + Made.number(0x4461, 1_000_000_000))
    let tracks = Made.tracks(Made.picture(width: 320, height: 240, roll: 90), Made.sound)
    let frames = Made.frames(from: 0, at: [0, 40])
    let tags = Made.tag("LOCATION", "+48.8577+002.2950/") + Made.tag("COM.ANDROID.MODEL", "Pixel 8")
    let closed = facts + tracks + Made.element(Made.cluster, frames) + tags
    let open = tracks + Made.openEnded(Made.cluster, frames) + Made.openEnded(Made.cluster, frames) + tags
    return [
      Data(Made.header() + Made.element(Made.segment, closed)),
      Data(Made.header("webm") + Made.openEnded(Made.segment, open)),
    ]
  }

  static func avis() -> [Data] {
    typealias Made = HandMadeAVI
    let frames = Made.list("movi", Made.chunk("00dc", [1, 2, 3]))
    let date = Made.chunk("IDIT", Array("SUN JUN 15 10:20:30 2003\n\0".utf8))
    let total = Made.list("odml", Made.chunk("dmlh", Made.words(100)))
    let list = Made.list("INFO", Made.chunk("ICRD", Array("2003-06-15".utf8)))
    return [
      Data(Made.file(Made.header(width: 32, height: -24, frames: 25, more: date), list, frames)),
      Data(
        Made.file(Made.header(width: 8, height: 8, frames: 25, more: total), frames)
          + Made.list("AVIX", frames, as: "RIFF")),
    ]
  }

  static func presets() throws -> [Data] {
    [
      try EditPreset(name: "Comic", lookOf: AdjustmentRecipe(.init(Effect.named("comic")))).data(),
      Data(
        """
        {"format":"io.github.photome.preset","name":"Evening","recipe":{"adjustments":{"warmth":0.2}},"version":"1.0"}
        """.utf8),
    ]
  }
}

extension Words {
  static let webp = ["RIFF", "WEBP", "VP8 ", "VP8L", "VP8X", "ANIM", "ANMF", "ALPH", "EXIF", "XMP ", "ICCP"]
  static let gif = ["GIF89a", "GIF87a", "NETSCAPE2.0", "XMP DataXMP", "!\u{f9}\u{4}", "!\u{fe}", ",", ";"]
  static let jxl = ["JXL ", "ftyp", "jxlc", "jxlp", "jxll", "jbrd", "Exif", "xml ", "brob"]
  static let matroska = ["LOCATION", "matroska", "webm", "COM.ANDROID.MODEL"]
  static let avi = [
    "RIFF", "LIST", "AVI ", "AVIX", "hdrl", "strl", "strh", "strf", "avih", "movi", "idx1", "IDIT", "odml",
  ]
  static let presets = ["io.github.photome.preset", "recipe", "adjustments", "effect", "warmth", "version", "1.0"]
}
