// The parsers of records beside the pictures, and changes of metadata.

import CameraCore
import Foundation
import MediaFormats

@testable import PhotoLibrary

extension FuzzedParser {
  static let ofRecords = [
    FuzzedParser(name: "record", seeds: Seeds.records, words: Words.json) {
      let record = try AssetRecord(json: $0, path: "record.json")
      precondition(record.edit.map { AssetRecord.isName($0.original) } ?? true, "an original elsewhere")
      precondition(
        (try? AssetRecord(json: record.json, path: "again.json")) == record, "a record that changes when kept")
    },
    FuzzedParser(name: "album", seeds: Seeds.records, words: Words.json) {
      let record = try CollectionRecord(json: $0, path: "album.json")
      precondition(
        (try? CollectionRecord(json: record.json, path: "again.json")) == record, "an album that changes when kept")
    },
    FuzzedParser(name: "journal", seeds: Seeds.records, words: Words.json) {
      _ = try JSONDecoder().decode(Journal.self, from: $0)
    },
    FuzzedParser(name: "rating", seeds: Seeds.xmp, words: Words.xmp + Words.ratings) { bytes in
      var packet = try XMPPacket([UInt8](bytes))
      let before = packet.standardMetadata
      try packet.setRating(5)
      try packet.addSubject("a <&> \"b\"")
      let after = packet.standardMetadata
      precondition(after.rating == 5 && after.subjects.contains("a <&> \"b\""), "a change that did nothing")
      precondition(Set(before.subjects).isSubset(of: after.subjects), "a lost keyword")
      try packet.removeSubject("a <&> \"b\"")
      try packet.setRating(nil)
      precondition(packet.standardMetadata.rating == nil, "a rating that stays")
    },
    FuzzedParser(name: "rewrite", seeds: Seeds.photos, words: Words.xmp + Words.ratings) { bytes in
      let file = try Workplace.file(bytes, "IMG_1.MP.jpg")
      let change = StandardMetadataChange(rating: .favorite, addedSubjects: ["Ada"])
      guard case .possible(_, let after, let new?) = try MetadataRewriter.rewrite(file, change) else { return }
      let rewritten = try Workplace.file(joined(new, of: file), "IMG_2.MP.jpg")
      precondition((try? MetadataRewriter.standardMetadata(of: rewritten)) == after, "a change that did nothing")
      let (old, now) = (try FileFacts(file), try FileFacts(rewritten))
      precondition(old?.contentID == now?.contentID && old?.isLive == now?.isLive, "another picture")
    },
    FuzzedParser(name: "still", seeds: Seeds.photos, words: Words.xmp) { bytes in
      let file = try Workplace.file(bytes, "IMG_1.MP.jpg")
      guard case .possible(_, _, let new?) = try MetadataRewriter.withoutMovie(file) else { return }
      let rewritten = try Workplace.file(joined(new, of: file), "IMG_2.jpg")
      guard let head = try JPEGHead(rewritten) else { preconditionFailure("no picture any more") }
      let movie = try MotionPhoto(rewritten, head: head)
      precondition(movie == nil, "a movie that stays")
    },
    FuzzedParser(
      name: "trash-info", seeds: { [Data("[Trash Info]\nPath=/a%20b\nDeletionDate=2026-11-21T07:31:06\n".utf8)] }
    ) {
      guard let info = TrashInfo($0, timeZone: .gmt) else { return }
      let again = TrashInfo(info.bytes(timeZone: .gmt), timeZone: .gmt)
      precondition(
        again?.path.utf8.elementsEqual(info.path.utf8) == true && again?.deleted == info.deleted, "another place")
    },
    FuzzedParser(name: "apple-photo", seeds: Seeds.exif, words: ["Apple iOS\0", "MM", "II"]) {
      _ = AppleContentIdentifier.photo(exif: $0)
    },
    FuzzedParser(
      name: "apple-movie", seeds: Seeds.movies, words: Words.boxes + ["meta", "keys", "ilst", "data", "mdta"]
    ) {
      _ = try AppleContentIdentifier.movie(FuzzedBytes($0))
    },
    FuzzedParser(
      name: "multi-picture",
      seeds: {
        [
          Data("MPF\0MM\0*\0\0\0\u{8}\0\u{1}".utf8) + Data([0xb0, 2, 0, 7, 0, 0, 0, 16, 0, 0, 0, 26, 0, 0, 0, 0])
            + Data(count: 16)
        ]
      }
    ) {
      let bytes = [UInt8]($0)
      let adjusted = MultiPictureIndex.adjusted(bytes, growth: 100, growthBehind: -50)
      precondition(adjusted.map { $0.count == bytes.count } ?? true, "a block of another length")
    },
  ]

  /// The bytes of a rewritten file.
  private static func joined(_ bytes: MetadataRewrite.Bytes, of file: ReadableFile) throws -> Data {
    try bytes.pieces.reduce(Data()) { joined, piece in
      switch piece {
      case .new(let data): joined + data
      case .old(let range): joined + (try file.data(at: range.lowerBound, count: range.count))
      }
    }
  }
}

extension Seeds {
  static func records() -> [Data] {
    [
      #"{"version":1,"favorite":true,"hidden":true,"albums":{"0123456789abcdef0123456789abcdef":1795242666123},"#
        + #""edit":{"formatIdentifier":"a","formatVersion":"1","data":"AAEC","original":"a.jpg"},"new":[1,-2.5e3,null,{}]}"#,
      #"{"version":1,"kind":"folder","title":"T\u00e9\n","parent":"0123456789abcdef0123456789abcdef","created":1}"#,
      #"{"version":1,"steps":[{"remove":{"number":1,"path":"a"}},{"replace":{"path":"a","temporary":"b"}}]}"#,
      #"{"version":1,"x":"# + String(repeating: "[", count: 400) + String(repeating: "]", count: 400) + "}",
    ].map { Data($0.utf8) }
  }
}

extension Words {
  static let json = [
    "\"version\":1", "\"edit\":{", "\"original\":", "\"albums\":{", "\"others\"", "\\u", "null", "1e308", "-0.0",
    "9223372036854775807", "[[[[[[[[", "]]]]]]]]",
  ]
  static let ratings = [
    "http://ns.adobe.com/xap/1.0/", "http://purl.org/dc/elements/1.1/", "Rating", "subject", "rdf:Bag", "rdf:li",
    "rdf:Description", "xmlns=\"", "&#x", "&amp;",
  ]
}
