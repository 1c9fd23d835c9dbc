// Makes the description of an MP4 one of a QuickTime movie: the same tracks and tables, with QuickTime's own headers.

import Foundation

/// What QuickTime has in other words than ISO/IEC 14496-12, which was made of it.
///
/// Source: QuickTime File Format, “Handler reference atoms”, “Sound sample descriptions”.
enum QuickTimeMovie {
  /// Nothing happens to what is in QuickTime's form already.
  static func convert(_ movie: inout MP4Box) throws(MP4Refusal) {
    // MPEG-4's, which QuickTime has no use for.
    movie.keep { $0.type != "iods" }
    try movie.changeAll("trak") { track throws(MP4Refusal) in
      try track.changeAll("mdia") { media throws(MP4Refusal) in
        guard let handler = media["hdlr"] else { throw .damaged }
        let kind = try handler.number(at: 8, 4)
        media["hdlr"] = Self.handler("mhlr", MP4Type(code: UInt32(kind)))
        media.changeAll("minf") { information in
          if information["hdlr"] == nil {
            // Behind the media's own header, before the samples.
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

  /// - Parameter component: `mhlr` for media, `dhlr` for where they lie.
  static func handler(_ component: MP4Type, _ kind: MP4Type) -> MP4Box {
    // Version, component, kind, maker, flags and mask, and a name without letters.
    MP4Box("hdlr", MP4Bytes.words(0, UInt64(component.code), UInt64(kind.code), 0, 0, 0) + [0])
  }

  /// AAC needs the second version of a sound description, with its decoder's settings in a box `wave`.
  private static func describeSound(_ table: inout MP4Box) {
    guard table.bytes.count > 8, let entries = try? MP4Box.boxes(in: table.bytes[8...]), entries.count == 1,
      let entry = entries.first, entry.type == "mp4a", entry.bytes.count > 28, (try? entry.number(at: 8, 2)) == 0,
      let inner = try? MP4Box.boxes(in: entry.bytes[28...]), let settings = inner.first(where: { $0.type == "esds" })
    else { return }
    var description = Array(entry.bytes[..<28])
    // The second version, and compressed with packets of different lengths: -2.
    description.replaceSubrange(8..<10, with: MP4Bytes.halves(1))
    description.replaceSubrange(20..<22, with: MP4Bytes.halves(0xfffe))
    // Samples a packet; bytes a packet and a frame, which differ; bytes a sample when it is uncompressed.
    description += MP4Bytes.words(1024, 0, 0, 2)
    var wave: [UInt8] = []
    MP4Box("frma", Array("mp4a".utf8)).write(to: &wave)
    MP4Box("mp4a", MP4Bytes.words(0)).write(to: &wave)
    settings.write(to: &wave)
    // The end of the list: a box without a type.
    MP4Box(MP4Type(code: 0), []).write(to: &wave)
    MP4Box("wave", wave).write(to: &description)
    var bytes = Array(table.bytes[..<8])
    MP4Box("mp4a", description).write(to: &bytes)
    table.bytes = bytes
  }
}
