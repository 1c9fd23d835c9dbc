// Files that others wrote, truthful, lying and broken.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ReadingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func facts(_ data: Data, _ name: String = "a.jpg") throws -> FileFacts? {
    try FileFacts(ReadableFile(scratch.put(data, name).path, disk: Disk()))
  }

  /// A JPEG with an XMP packet of our choice.
  private func jpeg(xmp: String) throws -> Data {
    let segment = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8))
    return try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [segment])
  }

  private func description(_ attributes: String, _ content: String = "", camera: String = "GCamera") -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:\(camera)="http://ns.google.com/photos/1.0/camera/"
    xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I="http://ns.google.com/photos/1.0/container/item/"
    \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
    """
  }

  private func directory(_ length: String) -> String {
    """
    <C:Directory><rdf:Seq>
    <rdf:li rdf:parseType="Resource"><C:Item I:Mime="image/jpeg" I:Semantic="Primary" I:Length="0"/></rdf:li>
    <rdf:li rdf:parseType="Resource"><C:Item I:Mime="video/mp4" I:Semantic="MotionPhoto" I:Length="\(length)"/></rdf:li>
    </rdf:Seq></C:Directory>
    """
  }

  @Test func motionPhotosOfOthersAreLive() throws {
    let movie = Samples.mp4(seconds: 2)
    let new = try jpeg(
      xmp: description(
        #"Camera:MotionPhoto="1" Camera:MotionPhotoPresentationTimestampUs="750000""#, directory("\(movie.count)"),
        camera: "Camera"))
    let found = try #require(try facts(new + movie))
    #expect(found.isLive && found.duration == 2 && found.photoDisplayTime == 0.75)
    #expect(found.movieRange == UInt64(new.count)..<UInt64(new.count + movie.count))

    let old = try jpeg(
      xmp: description(#"GCamera:MicroVideo="1" GCamera:MicroVideoOffset="\#(movie.count)""#))
    let oldFound = try #require(try facts(old + movie))
    // It does not say which frame is the still: the one in the middle.
    #expect(oldFound.isLive && oldFound.photoDisplayTime == 1)

    // Elements in place of attributes, single quotes, comments and a time that is unset.
    let elements = try jpeg(
      xmp: description(
        "",
        """
        <!-- <GCamera:MotionPhoto>0</GCamera:MotionPhoto> --><GCamera:MotionPhoto> 1 </GCamera:MotionPhoto>
        <GCamera:MotionPhotoPresentationTimestampUs>-1</GCamera:MotionPhotoPresentationTimestampUs>
        <C:Directory><rdf:Seq><rdf:li><C:Item><I:Semantic>MotionPhoto</I:Semantic><I:Length>\(movie.count)</I:Length>
        </C:Item></rdf:li></rdf:Seq></C:Directory>
        """))
    let elementsFound = try #require(try facts(elements + movie))
    #expect(elementsFound.isLive && elementsFound.photoDisplayTime == 1)
  }

  @Test(arguments: ["0", "1", "-5", "100000000", "18446744073709551615", "99999999999999999999", "x", ""])
  func aLengthThatLiesMakesAPlainPhoto(length: String) throws {
    let picture = try jpeg(xmp: description(#"GCamera:MotionPhoto="1""#, directory(length)))
    let found = try #require(try facts(picture + Samples.mp4()))
    #expect(!found.isLive && found.movieRange == nil && found.duration == nil)
  }

  @Test func aMovieThatIsNotThereMakesAPlainPhoto() throws {
    let movie = Samples.mp4()
    let picture = try jpeg(xmp: description(#"GCamera:MotionPhoto="1""#, directory("\(movie.count)")))
    // Cut off by a program that rewrote the picture; one byte too many; something else in its place.
    for tail in [Data(), movie + [0], Data(count: movie.count), movie.dropLast()] {
      #expect(try facts(picture + tail)?.isLive == false)
    }
    // The length reaches into the picture.
    let greedy = try jpeg(xmp: description(#"GCamera:MotionPhoto="1""#, directory("999999999")))
    #expect(try facts(greedy + movie)?.isLive == false)
    // It is there, and the picture doesn't say so.
    let silent = try jpeg(xmp: description(#"GCamera:MotionPhoto="0""#, directory("\(movie.count)")))
    #expect(try facts(silent + movie)?.isLive == false)
  }

  @Test func moviesTellTheirLength() throws {
    let whole = try #require(try facts(Samples.mp4(seconds: 12.5), "VID_20261121_073200_000.mp4"))
    #expect(whole.mediaType == .video && whole.duration == 12.5 && whole.size == PixelSize(width: 320, height: 180))
    #expect(whole.created.stamp == "20261121_073200_000")
    #expect(whole.movieRange == 0..<UInt64(Samples.mp4().count))
    #expect(!whole.isLive)
    let fragmented = try #require(try facts(Samples.mp4(seconds: 3, isFragmented: true), "b.mp4"))
    #expect(fragmented.duration == 3)
  }

  @Test func whatHasNoPictureIsNone() throws {
    let jpeg = try Samples.jpeg()
    for data in [Data(), Data([0xff]), Data([0xff, 0xd8]), Data("hello".utf8), Data(count: 100_000), jpeg.prefix(100)] {
      #expect(try facts(data) == nil)
      #expect(try facts(data, "a.mp4") == nil)
    }
    // A picture that lost its end can still be looked at.
    #expect(try facts(jpeg.prefix(jpeg.count / 2)) != nil)
  }

  @Test func idsAreOfThePictureNotOfTheFile() throws {
    let jpeg = try Samples.jpeg()
    let plain = try #require(try facts(jpeg))
    #expect(plain.contentID.count == 32)
    // Another name and other metadata, as another program writes them.
    let rated = try JPEGSegments(parsing: jpeg).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.comment, payload: Data("five stars".utf8))
    ])
    #expect(try facts(rated, "b.jpg")?.contentID == plain.contentID)
    #expect(try facts(Samples.jpeg(shade: 1))?.contentID != plain.contentID)
    #expect(try facts(Samples.mp4(), "c.mp4")?.contentID != facts(Samples.mp4(mediaBytes: 6000), "c.mp4")?.contentID)
  }

  @Test func picturesWithoutADateHaveTheFiles() throws {
    let named = try #require(try facts(Samples.jpeg(), "IMG_20250102_030405_678.jpg"))
    #expect(named.created.stamp == "20250102_030405_678")
    let url = try scratch.put(Samples.jpeg(), "holiday.jpg")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url.path)
    let dated = try #require(try FileFacts(ReadableFile(url.path, disk: Disk())))
    #expect(dated.created.milliseconds == 1_700_000_000_000)
  }

  /// Files with bytes changed, cut out and put in: whatever they are taken for, nothing breaks.
  @Test func brokenFilesBreakNothing() throws {
    let movie = Samples.mp4(isFragmented: true)
    let metadata = try Samples.metadata()
    let photo = try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: metadata, id: AssetIdentity.makeID())
    let live =
      try PhotoAssembly.livePhoto(
        photo: photo, movieLength: UInt64(movie.count), photoDisplayTime: 1) + movie
    var generator = SeededNumbers.fresh()
    var usable = 0
    for round in 0..<1500 {
      let isMovie = round % 3 == 0
      var bytes = [UInt8](isMovie ? movie : live)
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        // Mostly in the head, where the structure is.
        let limit = Bool.random(using: &generator) ? min(bytes.count, 3000) : bytes.count
        let at = Int.random(in: 0..<limit, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[at] = [0, 0xff, 0x7f, 0x80].randomElement(using: &generator) ?? 0
        case 1: bytes[at] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...200, using: &generator)))
        default: bytes.insert(contentsOf: bytes[0..<min(50, bytes.count)], at: at)
        }
        if bytes.isEmpty { bytes = [0xff] }
      }
      if let found = try facts(Data(bytes), isMovie ? "a.mp4" : "a.jpg") {
        usable += 1
        #expect(found.size.width > 0 && found.size.height > 0)
        if let range = found.movieRange { #expect(range.upperBound <= UInt64(bytes.count)) }
      }
    }
    // The test means something only when some of them got through.
    #expect(usable > 100)
  }

  @Test func strangeNamesAndKindsOfFiles() async throws {
    let library = try await scratch.library()
    var follower = try await Follower(library)
    for name in ["two\nlines.jpg", "ünï – 💛.JPG", "100% #1?.jpeg", "IMG_1.MP.jpg"] {
      try scratch.put(Samples.jpeg(shade: UInt8(name.utf8.count)), name)
    }
    try scratch.put(Data(), "empty.jpg")
    try scratch.put(Data("words".utf8), "words.jpg")
    try scratch.put(Samples.jpeg(shade: 1), ".hidden.jpg")
    try scratch.put(Samples.jpeg(shade: 2), ".hidden/inside.jpg")
    try scratch.put(Samples.jpeg(shade: 3), "notes.txt")
    // A symbolic link to a folder that holds it, a FIFO, and a folder with the name of a picture.
    try FileManager.default.createSymbolicLink(
      at: scratch.pictures.appendingPathComponent("loop"), withDestinationURL: scratch.pictures)
    try FileManager.default.createDirectory(
      at: scratch.pictures.appendingPathComponent("folder.jpg"), withIntermediateDirectories: true)
    #expect(mkfifo(scratch.pictures.path + "/fifo.jpg", 0o600) == 0)
    // A name that isn't UTF-8.
    #expect(
      rename(
        scratch.pictures.path + "/notes.txt",
        [CChar](scratch.pictures.path.utf8CString.dropLast()) + [47, -1, 46, 106, 112, 103, 0]) == 0)
    try await library.refresh()
    try await follower.wait { $0.count == 4 }
    #expect(try await library.fetchAssets().allSatisfy { FileManager.default.fileExists(atPath: $0.url.path) })
  }
}
