// Small well-formed pictures, movies and packets, which the fuzzer mutates.

import CTurboJPEG
import CameraCore
import Foundation
import MediaFormats

@testable import PhotoLibrary

enum Seeds {
  /// Photos and live photos, ours and those of other programs.
  static func photos() throws -> [Data] {
    let plain = try jpeg()
    var photos = [plain]
    for thumbnail in [nil, plain] {
      let photo = try PhotoAssembly.photo(
        jpeg: plain, metadata: metadata(thumbnail: thumbnail), id: "0123456789abcdef0123456789abcdef")
      photos.append(photo)
      for movie in movies() {
        let live = try PhotoAssembly.livePhoto(
          photo: photo, movieLength: UInt64(movie.count), photoDisplayTime: 0.5)
        photos.append(live + movie)
      }
    }
    for exif in try self.exif() {
      photos.append(try with(plain, JPEGMarker.app1, Data("Exif\0\0".utf8) + exif))
    }
    let movie = movies()[0]
    for packet in try xmp(movieLength: movie.count) {
      photos.append(try with(plain, JPEGMarker.app1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + packet) + movie)
    }
    photos.append(try with(plain, JPEGMarker.app2, Data("ICC_PROFILE\0\u{1}\u{1}".utf8) + Data(count: 40)))
    photos.append(try with(plain, JPEGMarker.comment, Data("words".utf8)))
    return photos
  }

  /// Pictures with Samsung's trailer, and with further pictures.
  static func trailers() throws -> [Data] {
    let (picture, movie) = (try jpeg(), movies()[0])
    func little(_ number: Int, _ count: Int) -> Data { Data(ByteWriter.number(number, count).reversed()) }
    let name = Data("MotionPhoto_Data".utf8)
    let block = little(0, 2) + little(0x0a30, 2) + little(name.count, 4) + name + movie
    let entry = little(0, 2) + little(0x0a30, 2) + little(block.count, 4) + little(block.count, 4)
    let directory = Data("SEFH".utf8) + little(106, 4) + little(1, 4) + entry
    let list =
      ByteWriter.number(0x2003_0000, 4) + ByteWriter.zeros(12) + ByteWriter.zeros(4)
      + ByteWriter.number(picture.count, 4) + ByteWriter.number(picture.count + 66, 4) + ByteWriter.zeros(4)
    let index =
      Array("MPF\0MM".utf8) + ByteWriter.number(42, 2) + ByteWriter.number(8, 4) + ByteWriter.number(1, 2)
      + ByteWriter.number(0xb002, 2) + ByteWriter.number(7, 2) + ByteWriter.number(32, 4) + ByteWriter.number(26, 4)
      + ByteWriter.zeros(4) + list
    return [
      picture + block + directory + little(directory.count, 4) + Data("SEFT".utf8),
      try with(picture, JPEGMarker.app2, Data(index)) + picture,
    ]
  }

  /// IPTC's records, and packets with places.
  static func places() throws -> [Data] {
    let records = Data([0x1c, 2, 90, 0, 5]) + Data("Paris".utf8) + Data([0x1c, 2, 100, 0, 3]) + Data("FRA".utf8)
    let block =
      Data("Photoshop 3.0\0".utf8) + Data("8BIM".utf8) + Data([4, 4, 0, 0, 0, 0, 0, UInt8(records.count)]) + records
    let packet = """
      <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description r:about="" \
      xmlns:p="http://ns.adobe.com/photoshop/1.0/" xmlns:d="http://purl.org/dc/elements/1.1/" \
      xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" p:City="Paris" p:Headline="In Paris"><d:subject><r:Bag>\
      <r:li>Paris</r:li><r:li>A|Paris</r:li></r:Bag></d:subject><e:LocationShown><r:Bag><r:li r:parseType="Resource">\
      <e:City>Paris</e:City></r:li></r:Bag></e:LocationShown></r:Description></r:RDF>
      """
    return [block, Data(packet.utf8)]
  }

  /// TIFF structures: ours, and one of each byte order and maker, whose notes Exiv2 parses as well.
  static func exif() throws -> [Data] {
    let ours = try [nil, jpeg()].map {
      try MetadataToolkit.exif(for: metadata(thumbnail: $0), id: "0123456789abcdef0123456789abcdef")
    }
    let makers = Words.makers.flatMap { maker in [true, false].map { tiff(maker: maker, isBigEndian: $0) } }
    return ours + makers
  }

  static func xmp() throws -> [Data] { try xmp(movieLength: 1000) }

  /// MP4 files, whole and in fragments, with short and with long numbers.
  static func movies() -> [Data] {
    [
      movie(isLong: false, isFragmented: false), movie(isLong: true, isFragmented: false),
      movie(isLong: false, isFragmented: true), movie(isLong: true, isFragmented: true),
    ]
  }

  /// MP4s with sample tables of a picture and a sound track, with metadata and locations.
  static func tables() -> [Data] {
    [movie(withTables: false), movie(withTables: true), recording()] + movies()
  }

  /// A recording that was broken off, with one fragment behind its beginning.
  private static func recording() -> Data {
    typealias W = ByteWriter
    let beginning = [UInt8](movie(withTables: false, isBroken: true))
    // Behind a `free` box, and the heads of the media.
    let media = W.box("free") + W.box("mdat", W.zeros(24))
    func fragment(_ track: Int, _ offset: Int) -> [UInt8] {
      W.box(
        "traf",
        W.box(
          "tfhd", W.number(0x29, 4), W.number(track, 4), W.number(beginning.count + 16, 8), W.number(3000, 4),
          W.number(0x1_0000, 4)),
        W.box("tfdt", W.number(0x0100_0000, 4), W.number(6000, 8)),
        W.box(
          "trun", W.number(0xf05, 4), W.number(1, 4), W.number(offset, 4), W.zeros(4), W.number(3000, 4),
          W.number(4, 4), W.zeros(4), W.number(100, 4)),
        W.box("trun", W.number(0x201, 4), W.number(2, 4), W.number(offset + 4, 4), W.number(4, 4), W.number(4, 4)))
    }
    return Data(beginning + media + W.box("moof", W.box("mfhd", W.zeros(8)), fragment(1, 0), fragment(2, 12)))
  }

  private static func movie(withTables isLong: Bool, isBroken: Bool = false) -> Data {
    typealias W = ByteWriter
    func words(_ numbers: Int...) -> [UInt8] { numbers.flatMap { W.number($0, 4) } }
    func track(_ id: Int, _ kind: String, _ entry: [UInt8], _ offset: Int) -> [UInt8] {
      let places = isLong ? W.box("co64", words(0, 1), W.number(offset, 8)) : W.box("stco", words(0, 1, offset))
      let table = W.box(
        "stbl", W.box("stsd", words(0, 1), entry), W.box("stts", words(0, 1, 2, 3000)),
        W.box("stsc", words(0, 1, 1, 2, 1)), W.box("stsz", words(0, 0, 2, 4, 4)), places)
      let media = W.box(
        "mdia", W.box("mdhd", words(0, 0, 0, 90_000, 6000, 0)),
        W.box("hdlr", words(0, 0), Array(kind.utf8), W.zeros(13)), W.box("minf", W.box("vmhd", W.zeros(12)), table))
      return W.box(
        "trak", W.box("tkhd", words(3, 0, 0, id, 0, 6000), W.zeros(60)),
        W.box("edts", W.box("elst", words(0, 1, 6000, 0, 0x10000))), W.box("tref", W.box("sync", words(3 - id))), media)
    }
    let sound = W.box("mp4a", W.zeros(6), W.number(1, 2), W.zeros(20), W.box("esds", words(0, 0)))
    let key = Array("com.apple.quicktime.location.ISO6709".utf8)
    let facts = W.box(
      "meta", W.box("hdlr", words(0, 0), Array("mdta".utf8), W.zeros(13)),
      W.box("keys", words(0, 1), W.box("mdta", key)),
      W.box("ilst", W.number(16, 4), W.number(1, 4), W.box("data")))
    let file = W.box("ftyp", Array("isom".utf8), W.zeros(4), Array("mp42".utf8))
    let media = (isBroken ? W.box("free") : []) + W.box("mdat", Array("frm1frm2snd1snd2".utf8))
    let first = file.count + media.count - 16
    let defaults = isBroken ? W.box("mvex", W.box("trex", words(0, 1, 1, 0, 0, 0))) : []
    let movie = W.box(
      "moov", W.box("mvhd", words(0, 0, 0, 90_000, 6000), W.zeros(76), words(3)),
      track(1, "vide", W.box("avc1", W.zeros(78)), first), track(2, "soun", sound, first + 8), facts,
      defaults, W.box("udta", W.box("loci", words(0, 1)), W.box("free", words(7))))
    return Data(file + media + movie + (isBroken ? [] : W.box("uuid", W.zeros(16))))
  }

  static func names() -> [Data] {
    [
      "IMG_20261121_073106_123.jpg", "PXL_20261121_073106123.MP.jpg", "VID_20261121_073200_000.mp4", "two\nlines.JPG",
      "“quoted” 'name'.jpeg", "100% #1?.jpg", "\u{301}e\u{301}.jpg", "~.mov", ".name.0123456789abcdef.1.tmp", "2026-11",
    ].map { Data($0.utf8) }
  }

  // MARK: Pieces

  private static func metadata(thumbnail: Data?) -> PhotoMetadata {
    PhotoMetadata(
      date: Date(timeIntervalSince1970: 1_795_242_666.123), utcOffset: 3600, size: PixelSize(width: 16, height: 16),
      cameraName: "HD Webcam C920", cameraMake: "Logitech", thumbnail: thumbnail)
  }

  /// 16 pixels a side.
  static func jpeg(
    _ format: TJPF = TJPF_BGRX, _ sampling: TJSAMP = TJSAMP_420, flags: Int32 = 0
  ) throws -> Data {
    let encoder = tjInitCompress()
    defer { tjDestroy(encoder) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let pixels = (0..<16 * 16 * 4).map { UInt8(truncatingIfNeeded: $0) }
    let code = tjCompress2(
      encoder, pixels, 16, 0, 16, Int32(format.rawValue), &bytes, &count, Int32(sampling.rawValue), 50, flags)
    defer { tjFree(bytes) }
    guard code == 0, let bytes else {
      throw PhotoLibraryError.unusableFile(path: "the seed", reason: String(cString: tjGetErrorStr2(encoder)))
    }
    return Data(bytes: bytes, count: Int(count))
  }

  private static func with(_ jpeg: Data, _ marker: UInt8, _ payload: Data) throws -> Data {
    try JPEGSegments(parsing: jpeg).assemble(front: [JPEGSegments.segment(marker: marker, payload: payload)])
  }

  /// Our packet, Google's with elements, its predecessor, and one with comments, instructions and CDATA.
  private static func xmp(movieLength: Int) throws -> [Data] {
    let namespaces = """
      xmlns:G="\(XMPNamespace.camera)" xmlns:C="\(XMPNamespace.container)" \
      xmlns:I="\(XMPNamespace.item)"
      """
    let elements = """
      <?xpacket begin="" id=""?><!-- <a> --><r:RDF><r:Description \(namespaces)><G:MotionPhoto>1</G:MotionPhoto>
      <G:MotionPhotoPresentationTimestampUs>-1</G:MotionPhotoPresentationTimestampUs><C:Directory><r:Seq><r:li><C:Item>
      <I:Semantic>MotionPhoto</I:Semantic><I:Length>\(movieLength)</I:Length><I:Mime>video/mp4</I:Mime></C:Item></r:li>
      </r:Seq></C:Directory><![CDATA[ x ]]></r:Description></r:RDF>
      """
    let old = """
      <d \(namespaces) G:MicroVideo='1' G:MicroVideoOffset="\(movieLength)" G:MicroVideoPresentationTimestampUs="5"/>
      """
    let ours = try MetadataToolkit.motionPhotoXMP(movieLength: UInt64(movieLength), presentationTime: 500_000)
    return [ours, Data(elements.utf8), Data(old.utf8)]
  }

  /// A TIFF structure with the tags that are read, a maker note and a thumbnail.
  private static func tiff(maker: String, isBigEndian: Bool) -> Data {
    var writer = ByteWriter(isBigEndian: isBigEndian)
    writer.bytes = Array(isBigEndian ? "MM".utf8 : "II".utf8)
    writer.add(42, 2)
    writer.add(8, 4)
    /// One entry: the tag, the type, how many, and the value or where it lies.
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) {
      writer.add(tag, 2)
      writer.add(type, 2)
      writer.add(count, 4)
      // A short takes the first two of the four bytes.
      writer.add(type == 3 && isBigEndian ? value << 16 : value, 4)
    }
    // The offsets of the directories and values.
    let (exif, thumbnail, texts) = (86, 164, 194)
    writer.add(6, 2)
    entry(0x10f, 2, 20, texts)
    entry(0x110, 2, 20, texts)
    entry(0x112, 3, 1, 6)
    entry(0x132, 2, 20, texts + 20)
    entry(0x8769, 4, 1, exif)
    entry(0x9003, 2, 20, texts + 20)
    writer.add(thumbnail, 4)
    writer.add(6, 2)
    entry(0x9003, 2, 20, texts + 20)
    entry(0x9011, 2, 7, texts + 40)
    entry(0x9291, 2, 4, 0x3132_3300)
    entry(0xa420, 2, 33, texts + 47)
    entry(0x927c, 7, 64, texts + 80)
    entry(0x9000, 7, 4, 0x3032_3332)
    writer.add(0, 4)
    writer.add(2, 2)
    entry(0x201, 4, 1, texts + 144)
    entry(0x202, 4, 1, 4)
    writer.add(0, 4)
    func text(_ text: String, _ count: Int) {
      writer.bytes += (Array(text.utf8) + ByteWriter.zeros(count)).prefix(count)
    }
    text(maker, 20)
    text("2026:11:21 07:31:06", 20)
    text("+01:00", 7)
    text("0123456789abcdef0123456789abcdef", 33)
    // The name again, as most notes begin, and a directory of two entries.
    var note = Array(maker.utf8) + [0]
    var directory = ByteWriter(isBigEndian: isBigEndian)
    directory.add(2, 2)
    for tag in [1, 2] {
      directory.add(tag, 2)
      directory.add(3, 2)
      directory.add(1, 4)
      directory.add(7, 4)
    }
    note += directory.bytes
    writer.bytes += (note + ByteWriter.zeros(64)).prefix(64)
    writer.bytes += [0xff, 0xd8, 0xff, 0xd9]
    return Data(writer.bytes)
  }

  private static func movie(isLong: Bool, isFragmented: Bool) -> Data {
    typealias W = ByteWriter
    let wide = isLong ? 8 : 4
    let head = [isLong ? 1 : 0, 0, 0, 0] as [UInt8]
    func times() -> [UInt8] { W.number(3_900_000_000, wide) + W.number(3_900_000_000, wide) }
    let matrix =
      W.number(0x10000, 4) + W.zeros(12) + W.number(0x10000, 4) + W.zeros(12) + W.number(0x4000_0000, 4)
    let length = W.number(isFragmented ? 0 : 90_000, wide)
    let movieHeader = W.box("mvhd", head, times(), W.number(90_000, 4), length, W.zeros(80))
    let trackHeader = W.box(
      "tkhd", head, times(), W.number(1, 4), W.zeros(4), length, W.zeros(16), matrix, W.number(16 << 16, 4),
      W.number(16 << 16, 4))
    let mediaHeader = W.box("mdhd", head, times(), W.number(90_000, 4), length, W.zeros(4))
    let handler = W.box("hdlr", W.zeros(8), Array("vide".utf8), W.zeros(13))
    let track = W.box("trak", trackHeader, W.box("mdia", mediaHeader, handler))
    let extends = W.box(
      "mvex", W.box("mehd", head, W.number(0, wide)),
      W.box("trex", W.zeros(4), W.number(1, 4), W.number(1, 4), W.number(3000, 4), W.zeros(8)))
    let file = W.box("ftyp", Array("isom".utf8), W.zeros(4), Array("mp42".utf8))
    let media = isLong ? W.longBox("mdat", W.zeros(16)) : W.box("mdat", W.zeros(16))
    guard isFragmented else { return Data(file + W.box("moov", movieHeader, track) + media) }
    let run = W.box("trun", [0, 0, 1, 1], W.number(2, 4), W.zeros(4), W.number(3000, 4), W.number(3000, 4))
    let plainRun = W.box("trun", W.zeros(4), W.number(3, 4))
    let fragments = [W.zeros(4), [0, 0, 0, 8]].map { flags in
      W.box(
        "moof", W.box("mfhd", W.zeros(8)),
        W.box("traf", W.box("tfhd", flags, W.number(1, 4), W.number(3000, 4)), run, plainRun))
    }
    return Data(file + W.box("moov", movieHeader, track, extends) + fragments.flatMap(\.self) + media)
  }
}
