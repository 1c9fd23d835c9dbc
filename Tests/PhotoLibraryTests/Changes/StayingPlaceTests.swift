// Places beside the first block of metadata: they go as well, or the file stays as it is and an error says so.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct StayingPlaceTests {
  /// An EXIF block with a time, and a position unless it is `nil`.
  static func exif(latitude: Double? = 46.948) throws -> Data {
    var block = try EXIFBlock(nil)
    try block.set([.dateTimeOriginal: "2020:05:06 07:08:09", .offsetOriginal: "+02:00"])
    if let latitude { try block.setPosition(latitude: latitude, longitude: 7.4474) }
    return Data(block.bytes)
  }

  static func segment(_ exif: Data) throws -> Data {
    try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif)
  }

  /// Asks to remove the place of the only picture.
  ///
  /// - Parameter isRefused: Whether the file has to stay as it is. Else undo has to give the old bytes.
  /// - Returns: The file afterwards, before undo.
  @discardableResult
  static func remove(
    _ file: Data, _ name: String, isRefused: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Data {
    let scratch = try Scratch()
    let url = try scratch.put(file, name)
    let library = try await scratch.library()
    try await library.refresh()
    let asset = try #require(try await library.fetchAssets().first)
    let outcome = await library.changeCaptureMetadata([AssetChangeRequest(for: asset.id, location: .removed)])
    #expect(outcome.refused.isEmpty != isRefused, "\(outcome.refused)", sourceLocation: sourceLocation)
    let new = try Data(contentsOf: url)
    if isRefused {
      #expect(new == file, sourceLocation: sourceLocation)
    } else {
      let after = try #require(try await library.fetchAssets().first)
      #expect(after.id == asset.id && after.location == nil, sourceLocation: sourceLocation)
      _ = try await library.reverse(outcome.change)
      #expect(try Data(contentsOf: url) == file, sourceLocation: sourceLocation)
    }
    await library.close()
    return new
  }

  // MARK: JPEG

  @Test(arguments: [nil, 46.948], [nil, -10.5]) func aSecondBlockOfAJPEG(first: Double?, second: Double?) async throws {
    let segments = [try Self.segment(Self.exif(latitude: first)), try Self.segment(Self.exif(latitude: second))]
    let file = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: segments)
    try await Self.remove(file, "a.jpg", isRefused: first != nil || second != nil)
  }

  @Test func aSecondBlockOfAJPEGThatCannotBeRead() async throws {
    let segments = [try Self.segment(Self.exif(latitude: nil)), try Self.segment(Data("GPS and more".utf8))]
    let file = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: segments)
    try await Self.remove(file, "a.jpg", isRefused: true)
  }

  // MARK: Further pictures

  /// A picture with others behind it, which an index names when it has one.
  ///
  /// - Parameters:
  ///   - further: The segments of each of the others.
  ///   - shift: Added to the offsets in the index; `nil` for a file without an index.
  private static func pictures(_ further: [[Data]], shift: Int? = 0) throws -> Data {
    let others = try further.enumerated().map { number, segments in
      try JPEGSegments(parsing: Samples.jpeg(width: 16, height: 16, shade: UInt8(number + 1))).assemble(front: segments)
    }
    let picture = try JPEGSegments(parsing: Samples.jpeg())
    func first(_ sizes: [Int], _ distance: Int) throws -> Data {
      let index = try JPEGSegments.segment(
        marker: JPEGMarker.app2, payload: MultiPictureIndex.block(sizes: sizes, distance: distance))
      return picture.assemble(front: [try segment(exif())] + (shift == nil ? [] : [index]))
    }
    let length = try first([0] + others.map(\.count), 0).count
    // The byte order mark is behind SOI, the first segment, the head of the second one, and `MPF`.
    let mark = 2 + (try segment(exif()).count) + 4 + MultiPictureIndex.identifierLength
    return try others.reduce(first([length] + others.map(\.count), length - mark + (shift ?? 0))) { $0 + $1 }
  }

  private static func packet(_ properties: String) throws -> Data {
    try PlaceRemovalTests.segment(
      JPEGMarker.app1, "http://ns.adobe.com/xap/1.0/", Array(PlaceRemovalTests.packet(properties).utf8))
  }

  @Test(arguments: [0, nil]) func furtherPicturesTellNoPlace(shift: Int?) async throws {
    let file = try Self.pictures(
      [[Self.segment(Self.exif(latitude: -10.5))], [Self.packet(PlaceRemovalTests.places)], []], shift: shift)
    let new = try await Self.remove(file, "a.jpg", isRefused: false)
    #expect(new.range(of: Data(PlaceRemovalTests.name.utf8)) == nil && new.range(of: Data("WGS-84".utf8)) == nil)
    #expect(new.range(of: Data("Headline".utf8)) != nil)
    // The index is still right.
    let extent = try #require(try JPEGExtent(DataSource(new, name: "a.jpg"), upTo: UInt64(new.count)))
    #expect(shift == nil || extent.others.count == 3 && extent.endOfPictures == UInt64(new.count))
  }

  @Test func aFurtherPictureThatCannotBeChangedIsRefused() async throws {
    let records = try PlaceRemovalTests.segment(
      0xed, "Photoshop 3.0", PlaceRemovalTests.photoshop(PlaceRemovalTests.records))
    try await Self.remove(Self.pictures([[records]]), "a.jpg", isRefused: true)
    let damaged = try PlaceRemovalTests.segment(
      JPEGMarker.app1, "http://ns.adobe.com/xap/1.0/", Array("<x:xmpmeta><a>GPSLatitude".utf8))
    try await Self.remove(Self.pictures([[damaged]]), "a.jpg", isRefused: true)
  }

  @Test func aFurtherPictureThatIsCutShortTellsNoPlace() async throws {
    let file = try Self.pictures([[Self.segment(Self.exif(latitude: -10.5))]], shift: nil)
    let new = try await Self.remove(file.dropLast(8), "a.jpg", isRefused: false)
    #expect(new.range(of: Data("WGS-84".utf8)) == nil)
    // In its EXIF block, behind the position.
    let place = try #require(file.range(of: Data("WGS-84".utf8), options: .backwards))
    try await Self.remove(file.prefix(place.upperBound + 2), "a.jpg", isRefused: true)
    // Damaged in front of its scan: a marker that isn't allowed there.
    var damaged = file
    damaged.replaceSubrange(try Self.tables(of: file), with: [0xff, 0x02])
    try await Self.remove(damaged, "a.jpg", isRefused: true)
  }

  /// Also in front of others. What follows a first picture without an end counts as its pixels, by which it is found again,
  /// and they must not change.
  @Test(arguments: [1, 2]) func picturesBehindOneThatIsCutShortTellNoPlace(count: Int) async throws {
    let placed = try JPEGSegments(parsing: Samples.jpeg(width: 16, height: 16)).assemble(front: [
      Self.segment(Self.exif(latitude: -10.5))
    ])
    let cut = try Self.pictures(Array(repeating: [], count: count - 1), shift: nil).dropLast(8)
    let new = try await Self.remove(cut + placed, "a.jpg", isRefused: count == 1)
    #expect(count == 1 || new.range(of: Data("WGS-84".utf8)) == nil)
  }

  /// The first tables behind the last EXIF block.
  private static func tables(of file: Data) throws -> Range<Int> {
    let exif = try #require(file.range(of: Data("Exif\0\0".utf8), options: .backwards))
    return try #require(file.range(of: Data([0xff, 0xdb]), in: exif.upperBound..<file.count))
  }

  /// A preview in the head of another picture has a head of its own; both would have to be changed at once.
  @Test func picturesInsideOneAnotherAreRefused() async throws {
    let exif = try Self.segment(Self.exif(latitude: -10.5))
    let preview = try JPEGSegments(parsing: Samples.jpeg(width: 16, height: 16)).assemble(front: [exif])
    let note = try JPEGSegments.segment(marker: 0xea, payload: preview)
    let last = try JPEGSegments(parsing: Samples.jpeg(width: 16, height: 16, shade: 9)).assemble(front: [note, exif])
    // A trailer between the pictures, so that only the index leads to them: first to the preview, and then to the other.
    let trailer = Data(repeating: 7, count: 8)
    let offset = try #require(last.range(of: preview)).lowerBound
    let mark = 2 + (try Self.segment(Self.exif()).count) + 4 + MultiPictureIndex.identifierLength
    func first(_ start: Int) throws -> Data {
      var index = MultiPictureIndex.block(sizes: [start, preview.count, last.count], distance: start - mark + offset)
      index.replaceSubrange(index.count - 8..<index.count - 4, with: HandMadeMovie.bytes(UInt64(start - mark), 4))
      return try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [
        Self.segment(Self.exif()), JPEGSegments.segment(marker: JPEGMarker.app2, payload: index),
      ])
    }
    let first = try first(first(1000).count + trailer.count)
    try await Self.remove(first + trailer + last, "a.jpg", isRefused: true)
  }

  @Test func anIndexThatNamesSomethingElseIsRefusedAndOneThatNamesNothingIsNot() async throws {
    try await Self.remove(Self.pictures([[]]) + Data("a trailer".utf8), "a.jpg", isRefused: false)
    // In the middle of the other picture.
    let file = try Self.pictures([[]], shift: 3)
    try await Self.remove(file, "a.jpg", isRefused: false)
    let end = try #require(try JPEGExtent(DataSource(file, name: "a.jpg"), upTo: UInt64(file.count))).end
    try await Self.remove(file.prefix(Int(end)), "a.jpg", isRefused: false)
    try await Self.remove(file.prefix(Int(end)) + Data(repeating: 1, count: 8), "a.jpg", isRefused: true)
  }

  // MARK: PNG

  /// A profile as ImageMagick writes it: the name, the number of bytes in eight digits, and lines of 72 hexadecimal digits.
  private static func profile(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let number = String(bytes.count)
    var text = "\n\(name)\n" + String(repeating: " ", count: 8 - number.count) + number
    for (index, byte) in bytes.enumerated() {
      if index % 36 == 0 { text += "\n" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return Array((text + "\n").utf8)
  }

  /// In zlib's format, stored as it is.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let blocks = stride(from: 0, to: bytes.count, by: 0xffff).flatMap { start -> [UInt8] in
      let block = bytes[start...].prefix(0xffff)
      let count = [UInt8(block.count & 255), UInt8(block.count >> 8)]
      return [start + block.count == bytes.count ? 1 : 0] + count + count.map { ~$0 } + block
    }
    return [0x78, 0x01] + blocks + [0, 0, 0, 0]
  }

  private static func chunk(_ type: String, _ keyword: String, _ text: [UInt8]) -> [UInt8] {
    let content =
      switch type {
      case "zTXt": [0] + stored(text)
      case "iTXt": [1, 0, 0, 0] + stored(text)
      default: text
      }
    return HandMadePNG.chunk(type, Array(keyword.utf8) + [0] + content)
  }

  /// The digits of all bytes of a text in profiles, whatever the lines are.
  private static func has(_ data: Data, digitsOf text: String) -> Bool {
    let digits = text.utf8.map { String($0, radix: 16) }.joined()
    return Data(data.filter { $0 != 0x0a }).range(of: Data(digits.utf8)) != nil
  }

  @Test(arguments: ["tEXt", "zTXt", "iTXt"], ["exif", "APP1", "xmp", "iptc", "8bim"])
  func profilesInTextsOfAPNGTellNoPlace(type: String, name: String) async throws {
    let records = PlaceRemovalTests.photoshop(PlaceRemovalTests.records)
    let bytes: [UInt8] =
      switch name {
      case "exif": Array("Exif\0\0".utf8) + (try Self.exif())
      case "APP1": Array("http://ns.adobe.com/xap/1.0/\0\(PlaceRemovalTests.packet(PlaceRemovalTests.places))".utf8)
      case "xmp": Array(PlaceRemovalTests.packet(PlaceRemovalTests.places).utf8)
      default: records
      }
    let kept = name == "exif" ? "2020:05:06" : name == "APP1" || name == "xmp" ? "Headline" : "A caption of Ada"
    let file = HandMadePNG.data(front: [
      Self.chunk(type, "Raw profile type \(name)", Self.profile(name.lowercased(), bytes)),
      HandMadePNG.chunk("tEXt", Array("exif:GPSLatitude\u{0}46/1, 56/1".utf8)),
      HandMadePNG.chunk("tEXt", Array("Title\u{0}Ada".utf8)),
    ])
    let gone = name == "exif" ? "WGS-84" : PlaceRemovalTests.name
    #expect(Self.has(file, digitsOf: gone) && Self.has(file, digitsOf: kept))
    let new = try await Self.remove(file, "a.png", isRefused: false)
    #expect(!Self.has(new, digitsOf: gone) && Self.has(new, digitsOf: kept))
    #expect(new.range(of: Data("GPSLatitude".utf8)) == nil && new.range(of: Data("Title\0Ada".utf8)) != nil)
    #expect(try PNGHead.walk(DataSource(new, name: "a.png")) == .complete)
  }

  /// A profile has one identifier; a file can have as many as it likes.
  @Test(
    arguments: ["tEXt", "zTXt"],
    [("Exif\0\0", 25_000), ("Exif\0\0", 2), ("http://ns.adobe.com/xap/1.0/\0", 2), ("Photoshop 3.0\0", 2)])
  func aProfileWithMoreThanOneIdentifierIsRefused(type: String, identifier: (text: String, count: Int)) async throws {
    let bytes = Array(String(repeating: identifier.text, count: identifier.count).utf8) + (try Self.exif())
    let file = HandMadePNG.data(front: [
      Self.chunk(type, "Raw profile type APP1", Self.profile("app1", bytes))
    ])
    try await Self.remove(file, "a.png", isRefused: true)
  }

  @Test func profilesThatTellNoPlaceStay() async throws {
    let file = HandMadePNG.data(front: [
      Self.chunk("zTXt", "Raw profile type exif", Self.profile("exif", Array(try Self.exif(latitude: nil)))),
      Self.chunk("zTXt", "Raw profile type icc", Array("not a profile".utf8)),
    ])
    #expect(try await Self.remove(file, "a.png", isRefused: false) == file)
  }

  @Test func whatCannotBeReadInAPNGIsRefused() async throws {
    let exif = Array(try Self.exif())
    let keyword = "Raw profile type exif"
    for chunks in [
      [Self.chunk("tEXt", keyword, Array(Self.profile("exif", exif).dropLast(9)))],
      [HandMadePNG.chunk("zTXt", Array(keyword.utf8) + [0, 0, 0x78, 0x9c, 7, 7, 7])],
      [Self.chunk("tEXt", keyword, Self.profile("exif", Array("something".utf8)))],
      [HandMadePNG.chunk("eXIf", Array(try Self.exif(latitude: nil))), HandMadePNG.chunk("eXIf", exif)],
      [HandMadePNG.chunk("zxIf", exif)],
      [
        HandMadePNG.xmp(Array(PlaceRemovalTests.packet("").utf8)),
        HandMadePNG.xmp(Array(PlaceRemovalTests.packet(PlaceRemovalTests.places).utf8)),
      ],
    ] {
      try await Self.remove(HandMadePNG.data(front: chunks), "a.png", isRefused: true)
    }
  }
}
