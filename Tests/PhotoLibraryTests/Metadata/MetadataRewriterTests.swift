// Favorites and albums in the XMP of pictures: what other programs read, and that nothing else is touched.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct MetadataRewriterTests {
  private let scratch: Scratch
  private let movie = Samples.mp4()

  init() throws { scratch = try Scratch() }

  private func open(_ data: Data, _ name: String = "a.jpg") throws -> ReadableFile {
    try ReadableFile(scratch.put(data, name).path, disk: Disk())
  }

  /// The file after a change; `nil` when it stays as it is.
  private func changed(_ data: Data, _ change: StandardMetadataChange) throws -> Data? {
    guard case .possible(let before, let after, let bytes) = try MetadataRewriter.rewrite(open(data), change) else {
      Issue.record("The change is impossible.")
      return nil
    }
    #expect(try MetadataRewriter.standardMetadata(of: open(data)) == before)
    guard let bytes else {
      #expect(before == after)
      return nil
    }
    let new = bytes.joined(with: data)
    #expect(try MetadataRewriter.standardMetadata(of: open(new)) == after)
    return new
  }

  private func photo() throws -> Data {
    try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: Samples.metadata(), id: "0123456789abcdef0123456789abcdef")
  }

  private func livePhoto() throws -> Data {
    try PhotoAssembly.livePhoto(photo: photo(), movieLength: UInt64(movie.count), photoDisplayTime: 1.5) + movie
  }

  private func jpeg(xmp: String) throws -> Data {
    let segment = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8))
    return try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [segment])
  }

  private func xmp(_ attributes: String = "", _ content: String = "") -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
     <rdf:Description rdf:about="" xmlns:a="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
      a:CreatorTool="Ä &amp; Ö"\(attributes)\(content.isEmpty ? "/>" : ">\(content)</rdf:Description>")
    </rdf:RDF></x:xmpmeta>
    """
  }

  private func packet(_ data: Data) throws -> String {
    String(decoding: try JPEGSegments(parsing: data).payload(of: .xmp)?.dropFirst(29) ?? Data(), as: UTF8.self)
  }

  private static let favorite = StandardMetadataChange(rating: .favorite, addedSubjects: ["Ada & Ben <3", "日本"])
  private static let undone = StandardMetadataChange(
    rating: .restored(to: nil), removedSubjects: ["Ada & Ben <3", "日本"])

  // MARK: Own pictures

  @Test(arguments: [false, true]) func aChangeIsReadBack(isLive: Bool) throws {
    let old = try isLive ? livePhoto() : photo()
    let new = try #require(try changed(old, Self.favorite))
    let file = try open(new, "new.MP.jpg")
    #expect(try MetadataRewriter.standardMetadata(of: file).rating == 5)
    #expect(
      try FileFacts(file)
        == FileFacts(open(old, "old.MP.jpg")).map { facts in
          var facts = facts
          facts.movieRange = facts.movieRange.map { $0.lowerBound + UInt64(new.count - old.count)..<UInt64(new.count) }
          return facts
        })
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"), arguments: [false, true])
  func otherProgramsReadIt(isLive: Bool) throws {
    let new = try #require(try changed(try isLive ? livePhoto() : photo(), Self.favorite))
    let file = try open(new, "new.MP.jpg")
    let tags = try #require(try Command.report(of: "exiftool", "-s3", "-Rating", "-Subject", "-MotionPhoto", file.path))
    #expect(tags == "5\nAda & Ben <3, 日本\n" + (isLive ? "1\n" : ""))
    #expect(try Command.report(of: "exiftool", "-validate", "-warning", "-a", "-s3", file.path) == "OK\n")
    let trailer = try #require(try Self.bytes("exiftool", "-b", "-trailer", file.path))
    #expect(trailer == (isLive ? movie : Data()))
  }

  @Test(arguments: [false, true]) func nothingElseIsTouched(isLive: Bool) throws {
    let old = try isLive ? livePhoto() : photo()
    let new = try #require(try changed(old, Self.favorite))
    let (before, after) = (try JPEGSegments(parsing: old), try JPEGSegments(parsing: new))
    #expect(old[before.scan] == new[after.scan] && old[before.trailer] == new[after.trailer])
    #expect(
      before.segments.filter { $0.kind != .xmp }.map { old[$0.range] }
        == after.segments.filter { $0.kind != .xmp }.map { new[$0.range] })
    // JFIF and EXIF stay in front.
    #expect(after.segments.prefix(3).map(\.kind) == [.jfif, .exif, .xmp])
    // The same again changes nothing, and taken back it is as it was.
    #expect(try changed(new, Self.favorite) == nil)
    #expect(try changed(new, Self.undone) == old)
    #expect(try changed(old, Self.undone) == nil)
    #expect(try changed(old, StandardMetadataChange()) == nil)
  }

  @Test func androidStillFindsTheMovie() throws {
    let old = try livePhoto()
    let (before, after) = (try packet(old), try packet(#require(try changed(old, Self.favorite))))
    // One description, which has the marks as attributes, literally.
    #expect(after.matches(of: /<rdf:Description/).count == 1)
    let tag = try #require(after.firstMatch(of: /<rdf:Description[^>]*>/)).0
    #expect(tag.contains(#"GCamera:MotionPhoto="1""#) && tag.contains(#"xmp:Rating="5""#))
    #expect(after.contains(#"Item:Length="\#(movie.count)""#))
    // All that was written before is there, in its order.
    var rest = Substring(after)
    for word in before.split(whereSeparator: \.isWhitespace) {
      let text = word.hasSuffix(">") ? word.dropLast() : word
      let found = try #require(rest.firstRange(of: text), "“\(text)” is gone.")
      rest = rest[found.upperBound...]
    }
  }

  // MARK: Others' pictures

  @Test func ratingsOfOthersComeBack() throws {
    for (attributes, content) in [
      (#" a:Rating="3""#, ""), ("", "\n  <a:Rating>3</a:Rating>\n "), ("", "<a:Rating> 3 </a:Rating>"),
    ] {
      let old = try jpeg(xmp: xmp(attributes, content))
      let new = try #require(try changed(old, StandardMetadataChange(rating: .favorite)))
      #expect(try MetadataRewriter.standardMetadata(of: open(new)).rating == 5)
      let back = try #require(try changed(new, StandardMetadataChange(rating: .restored(to: 3))))
      #expect(back == old || content.contains(" 3 "))
      // Another program gave two stars meanwhile: those stay.
      let rated = try jpeg(xmp: xmp(#" a:Rating="2""#))
      #expect(try changed(rated, StandardMetadataChange(rating: .restored(to: 3))) == nil)
      let gone = try #require(try changed(new, StandardMetadataChange(rating: .restored(to: nil))))
      #expect(try packet(gone) == xmp("", content.hasPrefix("\n") ? "\n " : ""))
    }
    #expect(
      try packet(#require(try changed(jpeg(xmp: xmp()), StandardMetadataChange(rating: .favorite))))
        == xmp(#" a:Rating="5""#))
    #expect(try MetadataRewriter.standardMetadata(of: open(jpeg(xmp: xmp(#" a:Rating="-1""#)))).rating == -1)
    #expect(try MetadataRewriter.standardMetadata(of: open(jpeg(xmp: xmp(#" a:Rating="nan""#)))).rating == nil)
  }

  @Test func subjectsOfOthersStay() throws {
    let theirs = """

        <dc:subject>
         <rdf:Bag>
          <rdf:li>sea &amp; <![CDATA[<sand>]]></rdf:li><!-- mine -->
          <rdf:li>Ada</rdf:li>
         </rdf:Bag>
        </dc:subject>

      """
    let old = try jpeg(xmp: xmp("", theirs))
    #expect(try MetadataRewriter.standardMetadata(of: open(old)).subjects == ["sea & <sand>", "Ada"])
    let change = StandardMetadataChange(addedSubjects: ["Ada", "Ben\u{1}", " ", "Cleo", "Cleo"])
    guard case .possible(let before, let after, _?) = try MetadataRewriter.rewrite(open(old), change) else {
      Issue.record("The change is impossible.")
      return
    }
    #expect(after.subjects == before.subjects + ["Ben", "Cleo"])
    let new = try #require(try changed(old, change))
    #expect(try changed(new, change) == nil)
    // One that is wanted by another album stays; ours go without a trace.
    #expect(try changed(new, StandardMetadataChange(addedSubjects: ["Cleo"], removedSubjects: ["Cleo"])) == nil)
    #expect(try changed(new, StandardMetadataChange(removedSubjects: ["Ben", "Cleo", "Nobody"])) == old)
    // The last one takes the list with it.
    let none = try changed(old, StandardMetadataChange(removedSubjects: ["Ada", "sea & <sand>"]))
    #expect(try packet(#require(none)).contains("subject>") == false)
  }

  @Test func allFormsOfOthersAreRead() throws {
    for (attributes, content, subjects) in [
      ("", "<dc:subject><rdf:Seq><rdf:li>a</rdf:li><rdf:li/></rdf:Seq></dc:subject>", ["a", ""]),
      ("", "<dc:subject><rdf:Bag/></dc:subject>", []), ("", "<dc:subject/>", []),
      ("", "<dc:subject>a</dc:subject>", ["a"]),
      (#" dc:subject='&#x61;&#98;&lt;&c'"#, "", ["ab<&c"]), ("", "<a:subject>x</a:subject>", []),
    ] {
      let data = try jpeg(xmp: xmp(attributes, content))
      #expect(try MetadataRewriter.standardMetadata(of: open(data)).subjects == subjects)
    }
    // An empty list takes one; a list that is none can't.
    let empty = try #require(
      try changed(
        jpeg(xmp: xmp("", "<dc:subject><rdf:Bag/></dc:subject>")), StandardMetadataChange(addedSubjects: ["a"])))
    #expect(try MetadataRewriter.standardMetadata(of: open(empty)).subjects == ["a"])
    #expect(try isImpossible(jpeg(xmp: xmp("", "<dc:subject>a</dc:subject>"))).contains("keywords"))
    // A part of the picture that is described by itself is not the picture.
    let nested = xmp("", #"<a:Part><rdf:Description a:Rating="2"/></a:Part>"#)
    #expect(try MetadataRewriter.standardMetadata(of: open(jpeg(xmp: nested))).rating == nil)
    for data in [Data(), Data("words".utf8), movie] {
      #expect(try MetadataRewriter.standardMetadata(of: open(data)) == StandardMetadata())
    }
  }

  // MARK: What has to stay as it is

  private func isImpossible(_ data: Data) throws -> String {
    guard case .impossible(let reason) = try MetadataRewriter.rewrite(open(data), Self.favorite) else {
      Issue.record("The change is possible.")
      return ""
    }
    return reason
  }

  @Test func whatCanNotBeChangedSafelyStays() throws {
    #expect(try isImpossible(movie).contains("isn’t a picture"))
    #expect(try isImpossible(jpeg(xmp: xmp("", "<a:Rating>"))).contains("damaged"))
    #expect(try isImpossible(jpeg(xmp: "<!DOCTYPE x>" + xmp())).contains("damaged"))
    #expect(try isImpossible(jpeg(xmp: "words")).contains("doesn’t describe a picture"))
    #expect(
      try isImpossible(jpeg(xmp: xmp(#" xmlns:n="http://ns.adobe.com/xmp/note/" n:HasExtendedXMP="00""#)))
        .contains("several segments"))
    // Full to the last byte but a few.
    let large = xmp("", "<a:Nickname>" + String(repeating: "x", count: 65_150) + "</a:Nickname>")
    #expect(try isImpossible(jpeg(xmp: large)).contains("no room"))
    let two = try JPEGSegments(parsing: jpeg(xmp: xmp()))
    #expect(try isImpossible(two.assemble(front: [two.data[two.segments[0].range]])).contains("more than one"))
    var latin = try jpeg(xmp: xmp())
    let umlaut = try #require(latin.firstRange(of: Data("Ä".utf8)))
    latin[umlaut.lowerBound] = 0xff
    #expect(try isImpossible(latin).contains("UTF-8"))
  }

  /// Packets with bytes changed, cut out and put in: the answer may be anything but a crash or a broken picture.
  @Test func namesThatAreNoneAreRefused() throws {
    let text = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:xmlns:Some="http://ns.adobe.com/xap/1.0/"/></rdf:RDF></x:xmpmeta>
      """
    var packet = try XMPPacket(Array(text.utf8))
    #expect(throws: FormatError.self) { try packet.setRating(5) }
  }

  @Test func brokenPacketsBreakNothing() throws {
    var generator = SeededNumbers.fresh()
    let source = Array(
      xmp(#" a:Rating="3""#, "<dc:subject><rdf:Bag><rdf:li>a&amp;</rdf:li></rdf:Bag></dc:subject>").utf8)
    var possible = 0
    for _ in 0..<1500 {
      var bytes = source
      let at = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: bytes[at] = Array("<>/\"'=&; !".utf8).randomElement(using: &generator) ?? 0
      case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &generator)))
      default: bytes.insert(contentsOf: bytes[0..<min(20, bytes.count)], at: at)
      }
      guard let packet = try? XMPPacket(bytes) else { continue }
      var new = packet
      do throws(FormatError) {
        try new.setRating(5)
        try new.addSubject("b")
        #expect(new.standardMetadata.rating == 5 && new.standardMetadata.subjects.contains("b"))
        possible += 1
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
    // The test means something only when some of them got through.
    #expect(possible > 50)
  }

  // MARK: Further pictures in the file

  @Test func listsOfFurtherPicturesStayRight() throws {
    // A picture with another behind it, listed before and behind where the XMP comes.
    for isBehind in [false, true] {
      let second = try Samples.jpeg(width: 64, height: 48)
      func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
      func list(size: Int, offset: Int) throws -> Data {
        let header: [UInt8] = [0x49, 0x49, 0x2a, 0] + number(8)
        let entries: [UInt8] = [1, 0, 0x02, 0xb0, 7, 0] + number(32) + number(26) + number(0)
        let first = number(0x2003_0000) + number(size) + number(0) + number(0)
        let other = number(0) + number(second.count) + number(offset) + number(0)
        return try JPEGSegments.segment(
          marker: JPEGMarker.app2, payload: Data("MPF\0".utf8 + header + entries + first + other))
      }
      let xmpSegment = try JPEGSegments.segment(
        marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0\(xmp())".utf8))
      func file(size: Int, offset: Int) throws -> Data {
        let list = try list(size: size, offset: offset)
        return try JPEGSegments(parsing: Samples.jpeg()).assemble(
          front: isBehind ? [list, xmpSegment] : [xmpSegment, list])
      }
      func listStart(_ data: Data) throws -> Int {
        try JPEGSegments(parsing: data).segments.first { $0.kind == .multiPicture }.map { $0.payload.lowerBound + 4 }
          ?? 0
      }
      let draft = try file(size: 0, offset: 1)
      let primary = try file(size: draft.count, offset: draft.count - listStart(draft))
      let new = try #require(try changed(primary + second, Self.favorite))
      let start = try listStart(new)
      let entries = try #require(TIFFStructure(Array(new[start...]))?.entries(at: 8).first).value.lowerBound
      let tiff = try #require(TIFFStructure(Array(new[start...])))
      let size = try #require(tiff.number(at: entries + 4, bytes: 4))
      let offset = try #require(tiff.number(at: entries + 24, bytes: 4))
      #expect(new[(start + offset)...] == second)
      #expect(new[size...] == second)
      #expect(try changed(new, Self.undone) == primary + second)
    }
  }

  private static func bytes(_ program: String, _ arguments: String...) throws -> Data? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.runAlone()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return data
  }
}
