// Copies of JPEG XL files with other metadata.

import Foundation
import Localization

extension JXLHead {
  /// The pieces of a copy with other metadata and the same codestream, in which the color profile is.
  ///
  /// Changed boxes stay where they are. New ones come beside the other metadata or before the codestream, but behind
  /// it where the file was a bare codestream: a file in just this form becomes a bare codestream again when all
  /// metadata are removed. So undoing a change gives the old bytes, with one exception: what is needed to reconstruct a
  /// JPEG file goes as soon as EXIF or XMP changes. The JPEG would have the new blocks, whose lengths it wasn't made
  /// for, and so would be damaged or not the old one.
  ///
  /// - Throws: `FormatError.refused` when it isn't a complete JPEG XL file, or a block that changes is compressed or
  ///   there more than once.
  public static func pieces<Source: ByteSource>(
    of source: Source, _ change: PictureMetadata
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard let file = try JXLFile(source), try file.walk(source) == .complete else {
      throw .refused(reason: localized("the JPEG XL file is incomplete or damaged"))
    }
    if file.isBare {
      var metadata: [UInt8] = []
      if case .replaced(let data) = change.exif { metadata += try exifBox(data) }
      if case .replaced(let data) = change.xmp { metadata += try box("xml ", data) }
      guard !metadata.isEmpty else { return [.file(source, 0..<source.count)] }
      let head = JXLFile.signature + JXLFile.fileType + codestreamHead(source.count)
      return [.bytes(Data(head)), .file(source, 0..<source.count), .bytes(Data(metadata))]
    }
    var editor = JXLEditor(file, source)
    try editor.change(change)
    if let codestream = editor.bareCodestream { return [.file(source, codestream)] }
    try editor.splice.sort()
    let end = file.boxes.last?.range.upperBound ?? source.count
    return editor.splice.pieces(of: source, upTo: change.dropsOthers ? end : source.count)
  }

  fileprivate static func exifBox(_ tiff: Data, prefix: [UInt8] = BigEndian.zeros(4)) throws(FormatError) -> [UInt8] {
    try box("Exif", prefix + tiff)
  }

  fileprivate static func box(_ type: MP4Type, _ content: Data) throws(FormatError) -> [UInt8] {
    guard content.count <= longestBlock else {
      throw .refused(reason: localized("the file has no room for more metadata"))
    }
    var bytes: [UInt8] = []
    MP4Box(type, [UInt8](content)).write(to: &bytes)
    return bytes
  }

  /// The head of the box that a bare codestream comes into.
  fileprivate static func codestreamHead(_ count: UInt64) -> [UInt8] {
    let type = Array("jxlc".utf8)
    if count <= UInt64(UInt32.max) - 8 { return BigEndian.words(count + 8) + type }
    var head = BigEndian.words(1) + type
    BigEndian.append(count &+ 16, 8, to: &head)
    return head
  }
}

/// The changes of a file of boxes.
private struct JXLEditor<Source: ByteSource> {
  private let file: JXLFile
  private let source: Source
  private let exif: MP4BoxHead?
  private let xmp: MP4BoxHead?
  var splice = ByteSplice()
  /// The codestream, when it is all that stays of the file.
  private(set) var bareCodestream: Range<UInt64>?

  /// - Parameter file: A complete one.
  init(_ file: JXLFile, _ source: Source) {
    (self.file, self.source) = (file, source)
    (exif, xmp) = (file.box("Exif"), file.box("xml "))
  }

  mutating func change(_ change: PictureMetadata) throws(FormatError) {
    if !change.dropsOthers {
      try check(change.exif != .kept || change.records?.removesPlace == true, "Exif")
      try check(change.needsXMP, "xml ")
      if change.needsXMP, let xmp, xmp.content.count > JXLHead.longestBlock {
        // One that wasn't read isn't replaced by what was made without it.
        throw .refused(reason: localized("the metadata (XMP) is too long"))
      }
    }
    let newExif = try newExif(change)
    let newXMP = try newXMP(change)
    if newExif?.isEmpty ?? (exif == nil), newXMP?.isEmpty ?? (xmp == nil), try isOwnForm {
      bareCodestream = file.box("jxlc")?.content
      return
    }
    var front: [UInt8] = []
    if let newExif {
      if let exif {
        splice.replace(exif.range, with: newExif)
      } else if let xmp {
        splice.replace(xmp.range.lowerBound..<xmp.range.lowerBound, with: newExif)
      } else {
        front += newExif
      }
    }
    if let newXMP {
      if let xmp {
        splice.replace(xmp.range, with: newXMP)
      } else if let exif {
        // A box without a length must stay the last one.
        let offset = exif.isOpenEnded ? exif.range.lowerBound : exif.range.upperBound
        splice.replace(offset..<offset, with: newXMP)
      } else {
        front += newXMP
      }
    }
    if !front.isEmpty, let codestream = file.boxes.first(where: { $0.type == "jxlc" || $0.type == "jxlp" }) {
      splice.replace(codestream.range.lowerBound..<codestream.range.lowerBound, with: front)
    }
    if change.dropsOthers {
      dropOthers()
    } else if newExif != nil || newXMP != nil {
      for box in file.boxes where box.type == "jbrd" { splice.replace(box.range, with: []) }
    }
  }

  /// Refuses to change a block that other boxes contradict.
  private func check(_ isNeeded: Bool, _ type: MP4Type) throws(FormatError) {
    guard isNeeded else { return }
    guard !file.compressedTypes.contains(type) else { throw .refused(reason: localized("the metadata is compressed")) }
    guard file.boxes.count(where: { $0.type == type }) <= 1 else {
      throw .refused(
        reason: type == "Exif"
          ? localized("the metadata is stored in a form that can’t be changed")
          : localized("the metadata (XMP) is stored more than once"))
    }
  }

  /// The new box for EXIF, empty to remove it; `nil` when it stays.
  private func newExif(_ change: PictureMetadata) throws(FormatError) -> [UInt8]? {
    let tiff: Range<UInt64>? = if let exif { try JXLFile.exif(of: exif, in: source) } else { nil }
    switch change.exif {
    case .removed: return exif == nil ? nil : []
    case .kept:
      guard change.dropsOthers, let exif else { return nil }
      // Without what is before the TIFF structure, and not at all when that can't be read.
      guard let tiff else { return [] }
      let isPlain = tiff.lowerBound == exif.content.lowerBound + 4
      return isPlain ? nil : try JXLHead.exifBox(try source.data(at: tiff.lowerBound, count: tiff.count))
    case .replaced(let data):
      guard let exif, let tiff else { return try JXLHead.exifBox(data) }
      let old = try source.data(at: exif.content.lowerBound, count: exif.content.count)
      let head = Int(tiff.lowerBound - exif.content.lowerBound)
      if old.dropFirst(head) == data, !change.dropsOthers || head == 4 { return nil }
      return try JXLHead.exifBox(data, prefix: change.dropsOthers ? BigEndian.zeros(4) : [UInt8](old.prefix(head)))
    }
  }

  /// The new box for XMP, empty to remove it; `nil` when it stays.
  private func newXMP(_ change: PictureMetadata) throws(FormatError) -> [UInt8]? {
    switch change.xmp {
    case .removed: return xmp == nil ? nil : []
    case .kept:
      guard change.dropsOthers, let xmp, xmp.content.count > JXLHead.longestBlock else { return nil }
      return []
    case .replaced(let data):
      if let content = xmp?.content, content.count == data.count,
        try source.data(at: content.lowerBound, count: content.count) == data
      {
        return nil
      }
      return try JXLHead.box("xml ", data)
    }
  }

  /// Whether the file is what a bare codestream becomes that gets metadata.
  private var isOwnForm: Bool {
    get throws(FormatError) {
      let types = file.boxes.map(\.type)
      let metadata: [MP4Type] = [exif, xmp].compactMap(\.?.type)
      guard !metadata.isEmpty, types == ["JXL ", "ftyp", "jxlc"] + metadata, let codestream = file.box("jxlc"),
        !file.boxes.contains(where: \.isOpenEnded)
      else { return false }
      let front = JXLFile.signature + JXLFile.fileType + JXLHead.codestreamHead(UInt64(codestream.content.count))
      guard UInt64(front.count) == codestream.content.lowerBound,
        try source.prefix(at: 0, count: front.count) == front
      else { return false }
      for box in [exif, xmp] {
        guard let box else { continue }
        guard box.content.lowerBound - box.range.lowerBound == 8 else { return false }
        if box.type == "Exif", try source.prefix(at: box.content.lowerBound, count: 4) != BigEndian.zeros(4) {
          return false
        }
      }
      return true
    }
  }

  /// Removes all boxes but those that a decoder needs, and the first ones with EXIF and XMP.
  private mutating func dropOthers() {
    for (index, box) in file.boxes.enumerated() where box != exif && box != xmp {
      switch box.type {
      case "JXL " where index == 0, "jxlc", "jxlp": break
      case "ftyp" where index == 1: splice.replace(box.range, with: JXLFile.fileType)
      // The level of the codestream: a number of one byte.
      case "jxll" where box.content.count == 1: break
      default: splice.replace(box.range, with: [])
      }
    }
  }
}
