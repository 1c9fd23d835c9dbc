// The facts of a WebP file that an index needs, and copies with other metadata.

import CameraCore
import Foundation
import Localization

/// The size and the metadata blocks of a WebP file.
///
/// Nothing is decoded, and the input is untrusted.
public struct WebPHead: PictureContainer {
  public let size: PixelSize
  public var exif: Data?
  public var xmp: Data?
  public var profile: Data?
  public let end: UInt64
  public let imageRanges: [Range<UInt64>]
  public let isAnimated: Bool
  /// Whether the picture, or its first frame, is stored without loss.
  public let isLossless: Bool

  private static let exifIdentifier = Array("Exif\0\0".utf8)
  /// Of coded pixels.
  private static let pixels: Set<MP4Type> = ["VP8 ", "VP8L", "ALPH", "ANMF"]
  /// Of everything that is needed to show the picture.
  private static let needed: Set<MP4Type> = ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]

  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    try WebPFile.begins(in: source)
  }

  /// - Returns: `nil` when it isn't a WebP with pixels in it.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try WebPFile(source) else { return nil }
    (size, end, isLossless) = (file.size, file.end, file.isLossless)
    isAnimated = file.chunks.contains { $0.type == "ANMF" }
    imageRanges = file.chunks.filter { Self.pixels.contains($0.type) && !$0.content.isEmpty }.map(\.content)
    guard !imageRanges.isEmpty else { return nil }
    func content(_ type: MP4Type) throws(FormatError) -> Data? {
      guard let chunk = file.first(type), !chunk.content.isEmpty, chunk.content.count <= Self.longestBlock else {
        return nil
      }
      return try source.data(at: chunk.content.lowerBound, count: chunk.content.count)
    }
    profile = try content("ICCP")
    xmp = try content("XMP ")
    if let block = try content("EXIF") {
      // Some programs write JPEG's identifier before the TIFF structure.
      exif = block.starts(with: Self.exifIdentifier) ? Data(block.dropFirst(Self.exifIdentifier.count)) : block
    }
  }

  public static func walk(_ source: any ByteSource) throws(FormatError) -> PictureWalk {
    guard let file = try WebPFile(source) else {
      return try WebPFile.isCutShort(source) ? .cutShort : .damaged(at: 0)
    }
    if file.isCutShort { return .cutShort }
    let reached = file.chunks.last?.range.upperBound ?? WebPFile.headLength
    // Less than the head of a chunk may be left.
    return reached + 8 > file.end ? .complete : .damaged(at: reached)
  }

  /// The pieces of a copy with other metadata. A file in the simple form becomes an extended one when it gets metadata, and
  /// a simple one again when all of them are taken away. EXIF stays in the form that the file has it in.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard let file = try WebPFile(source), !file.isCutShort, let last = file.chunks.last else {
      throw .refused(reason: localized("the WebP file is incomplete or damaged"))
    }
    if change == PictureMetadata() { return [.file(source, 0..<source.count)] }
    for (type, block) in [("EXIF", change.exif), ("XMP ", change.xmp)] as [(MP4Type, MetadataBlock)] {
      guard
        block == .kept && !change.needsXMP || change.dropsOthers || file.chunks.count(where: { $0.type == type }) <= 1
      else {
        throw .refused(reason: localized("the metadata is stored in a form that can’t be changed"))
      }
    }
    if change.keepsBlocks { return [.file(source, 0..<source.count)] }
    var editor = Editor(file: file)
    editor.set("ICCP", change.profile, behind: editor.head)
    // In the specification's order: EXIF before XMP.
    let tail = last.range.upperBound..<last.range.upperBound
    let prefix = try hasIdentifier(file.first("EXIF"), in: source) ? exifIdentifier : []
    var exif = editor.set("EXIF", change.exif, prefix: prefix)
    let xmp = editor.set("XMP ", change.xmp)
    if !exif.isEmpty, let packet = file.first("XMP "), change.xmp == .kept {
      editor.splice.replace(packet.range.lowerBound..<packet.range.lowerBound, with: exif)
      exif = []
    }
    if !exif.isEmpty || !xmp.isEmpty {
      let lacksPadding = last.lacksPadding && !editor.replaces(last)
      editor.splice.replace(tail, with: (lacksPadding ? [0] : []) + exif + xmp)
    }
    if change.dropsOthers {
      try editor.dropOthers(keeping: needed, in: source)
    }
    try editor.finish()
    return editor.splice.pieces(of: source, upTo: change.dropsOthers ? file.end : source.count)
  }

  private static func hasIdentifier(
    _ chunk: WebPFile.Chunk?, in source: any ByteSource
  ) throws(FormatError) -> Bool {
    guard let chunk else { return false }
    return try source.prefix(at: chunk.content.lowerBound, count: exifIdentifier.count) == exifIdentifier
  }

  /// The changes of one file.
  private struct Editor {
    let file: WebPFile
    var splice = ByteSplice()
    private var present: Set<MP4Type>

    init(file: WebPFile) {
      self.file = file
      present = Set(file.chunks.map(\.type))
    }

    /// Behind the first chunk of an extended file, or where it will be.
    var head: UInt64 { file.first("VP8X")?.range.upperBound ?? WebPFile.headLength }

    /// Replaces or removes a chunk where it is.
    ///
    /// - Returns: The bytes of a new one, which has no place yet.
    mutating func set(_ type: StaticString, _ block: MetadataBlock, prefix: [UInt8] = []) -> [UInt8] {
      let code = MP4Type(stringLiteral: type)
      guard block != .kept else { return [] }
      var bytes: [UInt8] = []
      if case .replaced(let data) = block { bytes = WebPFile.chunk(type, prefix + [UInt8](data)) }
      if bytes.isEmpty { present.remove(code) } else { present.insert(code) }
      guard let old = file.first(code) else { return bytes }
      splice.replace(old.range, with: bytes)
      return []
    }

    /// The same; a new one is put at an offset.
    mutating func set(_ type: StaticString, _ block: MetadataBlock, behind offset: UInt64) {
      let bytes = set(type, block)
      if !bytes.isEmpty { splice.replace(offset..<offset, with: bytes) }
    }

    func replaces(_ chunk: WebPFile.Chunk) -> Bool { splice.edits.contains { $0.range == chunk.range } }

    /// Removes what isn't needed to show the picture: further chunks, second ones of those that there may be one of, and
    /// chunks that don't belong into frames.
    mutating func dropOthers(keeping needed: Set<MP4Type>, in source: any ByteSource) throws(FormatError) {
      var seen: Set<MP4Type> = []
      for chunk in file.chunks {
        let isFirst = seen.insert(chunk.type).inserted
        let isKept =
          needed.contains(chunk.type) && (isFirst || chunk.type == "ANMF")
          || isFirst && ["EXIF", "XMP "].contains(chunk.type)
        if !isKept {
          splice.replace(chunk.range, with: [])
        } else if chunk.type == "ANMF" {
          try dropOthers(inFrame: chunk, source)
        }
      }
    }

    private mutating func dropOthers(
      inFrame frame: WebPFile.Chunk, _ source: any ByteSource
    ) throws(FormatError) {
      let (inner, rest) = try WebPFile.chunks(inFrame: frame, of: source)
      var (seen, dropped): (Set<MP4Type>, [Range<UInt64>]) = ([], rest.isEmpty ? [] : [rest])
      for chunk in inner where !(["ALPH", "VP8 ", "VP8L"].contains(chunk.type) && seen.insert(chunk.type).inserted) {
        dropped.append(chunk.range)
      }
      guard !dropped.isEmpty else { return }
      for range in dropped { splice.replace(range, with: []) }
      let length = UInt64(frame.content.count) - dropped.reduce(0) { $0 + UInt64($1.count) }
      let size = frame.range.lowerBound + 4
      splice.replace(size..<size + 4, with: LittleEndian.bytes(length, 4))
      // What was odd may be even now, and the other way round.
      let padding = frame.content.upperBound..<frame.range.upperBound
      if !padding.isEmpty, length % 2 == 0 { splice.replace(padding, with: []) }
      if padding.isEmpty, length % 2 == 1 { splice.replace(padding, with: [0]) }
    }

    /// Writes the heads that say what there is.
    mutating func finish() throws(FormatError) {
      var features: UInt8 = 0
      if present.contains("ICCP") { features |= WebPFile.Feature.profile }
      if present.contains("EXIF") { features |= WebPFile.Feature.exif }
      if present.contains("XMP ") { features |= WebPFile.Feature.xmp }
      let metadata = WebPFile.Feature.profile | WebPFile.Feature.exif | WebPFile.Feature.xmp
      features |= (file.features ?? (file.hasOpacity ? WebPFile.Feature.opacity : 0)) & ~metadata
      let isSimple =
        present.isSubset(of: ["VP8X", "VP8 ", "VP8L"]) && file.frameSize == file.size
        && features & ~(file.hasOpacity ? WebPFile.Feature.opacity : 0) == 0
      var extended: [UInt8] = []
      if !isSimple {
        let (width, height) = (UInt64(file.size.width - 1), UInt64(file.size.height - 1))
        extended = WebPFile.chunk(
          "VP8X", [features, 0, 0, 0] + LittleEndian.bytes(width, 3) + LittleEndian.bytes(height, 3))
      }
      if let old = file.first("VP8X") {
        splice.replace(old.range, with: extended)
      } else if !extended.isEmpty {
        // Before a profile, which is put at the same place.
        var inserted = extended
        if let edit = splice.edits.first(where: { $0.range == head..<head }) { inserted += edit.bytes }
        if inserted.count > extended.count {
          splice.update(head..<head, with: inserted)
        } else {
          splice.replace(head..<head, with: inserted)
        }
      }
      var length = Int64(file.end) - 8
      for edit in splice.edits { length += Int64(edit.bytes.count) - Int64(edit.range.count) }
      guard length <= UInt32.max - 1 else { throw .refused(reason: localized("the file is too large for WebP")) }
      splice.replace(4..<8, with: LittleEndian.bytes(UInt64(length), 4))
      try splice.sort()
    }
  }
}
