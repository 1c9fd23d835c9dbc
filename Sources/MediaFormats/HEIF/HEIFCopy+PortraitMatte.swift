// Copies of HEIC files with a person's matte as an auxiliary picture.

import Foundation
import Localization

extension HEIFCopy {
  /// In bytes; a matte is smaller than its picture.
  private static let longestMatte: UInt64 = 64 << 20

  /// The pieces of a copy with a matte instead of the one that the file has, up to the end of the picture. libheif has no
  /// call for it.
  ///
  /// The matte becomes an item as Apple's phones write it: hidden, an auxiliary picture (`auxl`) of the primary one by the
  /// type `XMPPacket.portraitMatteType`, with a packet that describes it. It gets the turns of the primary picture, so that
  /// both are shown alike: a matte is of the picture as it is stored. All coded pictures stay byte for byte.
  ///
  /// Source: ISO/IEC 23008-12, 6.4.4 and 6.5.8; for the type and the packet see `XMPPacket.portraitMatte`.
  ///
  /// - Parameter matte: A file of the same format whose picture isn't cut into tiles, gray; of it the coded picture is
  ///   taken. `nil` removes the matte.
  /// - Throws: `FormatError.refused` when either has a form with which it can't be done.
  public static func pieces<Source: ByteSource>(
    of source: Source, portraitMatte matte: (any ByteSource)?
  ) throws(FormatError) -> [BytePiece<Source>] {
    guard let file = try HEIFFile(source) else { throw .refused(reason: localized("the file isn’t a HEIF picture")) }
    let end = try end(of: file, source)
    let old = file.directory.auxiliary(XMPPacket.portraitMatteType)
    if old == nil, matte == nil { return [.file(source, 0..<end)] }
    var editor = try HEIFEditor(file: file, end: end)
    if let old { try editor.removePicture(old.id) }
    if let matte { try add(matte, to: &editor) }
    return try editor.finished(source)
  }

  private static func add(_ matte: any ByteSource, to editor: inout HEIFEditor) throws(FormatError) {
    guard let file = try HEIFFile(matte), file.format == editor.file.format,
      let item = file.directory.item(file.directory.primary)
    else { throw .refused(reason: localized("the file isn’t a HEIF picture")) }
    let configuration: MP4Type = item.type == "hvc1" ? "hvcC" : "av1C"
    let own = file.directory.properties.all(of: item.id)
    guard ["hvc1", "av01"].contains(item.type), let settings = own.first(where: { $0.type == configuration }),
      let size = own.first(where: { $0.type == "ispe" }),
      let bytes = try file.bytes(of: item.id, in: matte, atMost: longestMatte), !bytes.isEmpty
    else { throw HEIFDirectory.damaged }
    // Without its range of values, black would be dark gray.
    let meanings = own.filter { $0.type == "pixi" || $0.type == "colr" && $0.bytes.starts(with: "nclx".utf8) }
    let type = MP4Box("auxC", [0, 0, 0, 0] + Array(XMPPacket.portraitMatteType.utf8) + [0])
    let turns = editor.directory.properties.all(of: editor.directory.primary).filter {
      ["irot", "imir"].contains($0.type)
    }
    try editor.addPicture(
      item.type, bytes,
      properties: [(settings, true), (size, false)] + meanings.map { ($0, false) } + [(type, true)]
        + turns.map { ($0, true) },
      xmp: XMPPacket.portraitMatte)
  }
}
