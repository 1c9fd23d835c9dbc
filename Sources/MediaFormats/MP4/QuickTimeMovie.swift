// Conversion of an MP4's description to QuickTime's form.

import Foundation

/// The differences between QuickTime and ISO/IEC 14496-12, which was made of it: the headers, not tracks and tables.
///
/// Source: QuickTime File Format, “Handler reference atoms”, “Sound sample descriptions”.
enum QuickTimeMovie {
  /// Converts a `moov` box. Boxes in QuickTime's form stay as they are.
  ///
  /// - Throws: `FormatError.refused` when a track has no handler.
  static func convert(_ movie: inout MP4Box) throws(FormatError) {
    // MPEG-4's object descriptor, which QuickTime doesn't use.
    movie.keep { $0.type != "iods" }
    try movie.changeAll("trak") { track throws(FormatError) in
      try track.changeAll("mdia") { media throws(FormatError) in
        guard let handler = media["hdlr"] else { throw .damagedMovie }
        let kind = try handler.number(at: 8, 4)
        media["hdlr"] = Self.handler("mhlr", MP4Type(code: UInt32(kind)))
        media.changeAll("minf") { information in
          if information["hdlr"] == nil {
            // Behind the media's header, before the samples.
            let place = min(1, information.children?.count ?? 0)
            information.children?.insert(Self.handler("dhlr", "url "), at: place)
          }
          information.changeAll("stbl") { table in
            guard kind == UInt64(("soun" as MP4Type).code) else { return }
            table.changeAll("stsd") { describeSound(&$0) }
          }
        }
      }
    }
  }

  /// A `hdlr` box.
  ///
  /// - Parameter component: `mhlr` for media, `dhlr` for data references.
  static func handler(_ component: MP4Type, _ kind: MP4Type) -> MP4Box {
    // Version, component, subtype, manufacturer, flags and mask, and an empty name.
    MP4Box("hdlr", BigEndian.words(0, UInt64(component.code), UInt64(kind.code), 0, 0, 0) + [0])
  }

  /// AAC needs version 1 of a sound description, with the decoder's configuration in a `wave` box.
  private static func describeSound(_ table: inout MP4Box) {
    guard table.bytes.count > 8, let entries = try? MP4Box.boxes(in: table.bytes[8...]), entries.count == 1,
      let entry = entries.first, entry.type == "mp4a", entry.bytes.count > 28, (try? entry.number(at: 8, 2)) == 0,
      let inner = try? MP4Box.boxes(in: entry.bytes[28...]), let settings = inner.first(where: { $0.type == "esds" })
    else { return }
    var description = Array(entry.bytes[..<28])
    // Version 1, and -2 for compression with packets of different lengths.
    description.replaceSubrange(8..<10, with: BigEndian.halves(1))
    description.replaceSubrange(20..<22, with: BigEndian.halves(0xfffe))
    // Samples per packet; bytes per packet and per frame, which vary; bytes per uncompressed sample.
    description += BigEndian.words(1024, 0, 0, 2)
    var wave: [UInt8] = []
    MP4Box("frma", Array("mp4a".utf8)).write(to: &wave)
    MP4Box("mp4a", BigEndian.words(0)).write(to: &wave)
    settings.write(to: &wave)
    // The terminator: a box without a type.
    MP4Box(MP4Type(code: 0), []).write(to: &wave)
    MP4Box("wave", wave).write(to: &description)
    var bytes = Array(table.bytes[..<8])
    MP4Box("mp4a", description).write(to: &bytes)
    table.bytes = bytes
  }
}
