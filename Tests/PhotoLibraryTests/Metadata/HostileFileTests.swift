// Files and names crafted to break something: nothing breaks, nothing is lost, and memory stays small.

import CameraCore
import Foundation
import MediaFormats
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct HostileFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func file(_ data: Data, _ name: String) throws -> ReadableFile {
    try ReadableFile(scratch.put(data, name).path, disk: Disk())
  }

  /// A picture of this size that holds the beginning of a small one's scan.
  private func claiming(width: UInt16, height: UInt16, marker: UInt8 = 0xc0) throws -> Data {
    var jpeg = try Samples.jpeg(width: 16, height: 16)
    let frame = try #require(jpeg.firstRange(of: [0xff, 0xc0] as [UInt8])).lowerBound
    jpeg[frame + 1] = marker
    for (at, value) in [(5, height), (7, width)] {
      (jpeg[frame + at], jpeg[frame + at + 1]) = (UInt8(value >> 8), UInt8(value & 0xff))
    }
    return jpeg
  }

  // MARK: Names

  @Test func everyNameThatIsTextWorksFromEndToEnd() async throws {
    let names = [
      "two\nlines.jpg", "\r\n.jpg", " spaces around .jpg", "\"quoted\" 'name' `x` $HOME ; rm.jpg", "back\\slash.jpg",
      "100% #1?&a=b.jpg", "-rf.jpg", "~.jpg", "\u{1b}[31mred.jpg", "\u{301}begins with an accent.jpg",
      "\u{202e}gpj.exe.jpg", "👩‍👩‍👧.jpg", String(repeating: "x", count: 251) + ".jpg",
      String(repeating: "é", count: 125) + ".jpg", "a:b|c<d>e*.jpg",
      // Two files whose names look the same.
      "caf\u{e9}.jpg", "cafe\u{301}.jpg",
    ]
    let folders = ["two\nlines", "\u{301}accent", String(repeating: "f", count: 255), "caf\u{e9}", "cafe\u{301}"]
    let metadata = try Samples.metadata()
    var paths = names + folders.map { "\($0)/picture.jpg" }
    for (number, path) in paths.enumerated() {
      let photo = try PhotoAssembly.photo(
        jpeg: Samples.jpeg(shade: UInt8(number)), metadata: metadata, id: AssetIdentity.makeID())
      try scratch.put(photo, path)
    }
    let library = try await scratch.library()
    try await library.refresh()
    func check() async throws {
      let assets = try await library.fetchAssets()
      // By bytes: two of the names are the same text.
      #expect(
        Set(assets.map { Data($0.url.path.utf8) }) == Set(paths.map { Data("\(library.folder.path)/\($0)".utf8) }))
      #expect(assets.count == paths.count)
      let images = ImageManager()
      for asset in assets {
        #expect(asset.created == Samples.date)
        #expect(try await images.image(for: asset, targetSize: PixelSize(width: 72, height: 72)) != nil)
      }
    }
    try await check()
    #expect(await library.unusableNames() == [])
    // Of two that look the same, one goes, and comes again.
    for name in ["caf\u{e9}.jpg", "cafe\u{301}.jpg"] {
      let path = "\(library.folder.path)/\(name)"
      #expect(rename(path, "\(scratch.path)/away") == 0)
      paths.removeAll { $0.utf8.elementsEqual(name.utf8) }
      try await library.refresh()
      try await check()
      #expect(rename("\(scratch.path)/away", path) == 0)
      paths.append(name)
      try await library.refresh()
      try await check()
    }
  }

  @Test func aFileThatIsRenamedToTheSameTextIsFollowed() async throws {
    let library = try await scratch.library()
    try scratch.put(Samples.jpeg(), "cafe\u{301}.jpg")
    try await library.refresh()
    let id = try #require(try await library.fetchAssets().first?.id)
    let folder = library.folder.path
    #expect(rename("\(folder)/cafe\u{301}.jpg", "\(folder)/caf\u{e9}.jpg") == 0)
    try await library.refresh()
    let asset = try #require(try await library.asset(id: id))
    #expect(asset.url.path.utf8.elementsEqual("\(folder)/caf\u{e9}.jpg".utf8))
    #expect(try await library.count() == 1)
  }

  @Test func namesThatAreNoTextAreTold() async throws {
    let library = try await scratch.library()
    let folder = library.folder.path
    try scratch.put(Samples.jpeg(), "usable.jpg")
    try scratch.put(Samples.jpeg(), "2026-11/usable.jpg")
    func put(_ name: [UInt8], isFolder: Bool = false, in parent: String = folder) throws {
      let path = (Array(parent.utf8) + [47] + name).map { CChar(bitPattern: $0) } + [0]
      if isFolder {
        #expect(mkdir(path, 0o700) == 0)
      } else {
        try scratch.put(Samples.jpeg(shade: 3), "plain.jpg")
        #expect(rename("\(folder)/plain.jpg", path) == 0)
      }
    }
    let cafe = Array("caf".utf8) + [0xe9]
    try put(cafe + Array(".jpg".utf8))
    try put(Array("a\nb\\".utf8) + [0xff] + Array("é.MP4".utf8))
    try put(cafe, isFolder: true)
    try put(cafe + Array(".jpeg".utf8), in: "\(folder)/2026-11")
    // These would not be looked at under any name.
    try put(cafe + Array(".txt".utf8))
    try put(Array(".".utf8) + cafe + Array(".jpg".utf8))
    try put(cafe, isFolder: true, in: "\(folder)/2026-11")
    try await library.refresh()

    let told = await library.unusableNames()
    try #require(told.count == 2)
    #expect(told[0].folder.path == folder)
    #expect(told[0].names == [#"a\x0Ab\\xFFé.MP4"#, #"caf\xE9"#, #"caf\xE9.jpg"#])
    #expect(told[1].names == [#"caf\xE9.jpeg"#] && told[1].folder.path == "\(folder)/2026-11")
    #expect(told[0].description.contains("3 files whose names aren’t valid text"))
    #expect(told[1].description.contains(#"The name of “caf\xE9.jpeg” in “"#))
    for names in told { #expect(names.description.contains("Rename")) }
    #expect(try await library.count() == 2)
    #expect(scratch.files().isEmpty == false)

    // Renamed, they are pictures as all others.
    let old = (Array(folder.utf8) + [47] + cafe + Array(".jpg".utf8)).map { CChar(bitPattern: $0) } + [0]
    #expect(rename(old, "\(folder)/café.jpg") == 0)
    try await library.refresh()
    #expect(await library.unusableNames().first?.names.count == 2)
    #expect(try await library.count() == 3)
  }

  @Test func aFolderThatCanBeListedHalfIsNotEmpty() throws {
    #expect(Disk().listing(of: "\(scratch.path)/nowhere") == nil)
    #expect(Disk().listing(of: scratch.path)?.names == [])
    #expect(LibraryFolder(scratch.url).relative("\(scratch.path)/\u{301}a.jpg") == "\u{301}a.jpg")
    #expect(LibraryFolder(scratch.url).relative("\(scratch.path)x/a.jpg") == nil)
  }

  @Test func symbolicLinksAreNotFollowed() async throws {
    let library = try await scratch.library()
    let manager = FileManager.default
    let outside = scratch.url.appendingPathComponent("outside")
    try manager.createDirectory(at: outside, withIntermediateDirectories: true)
    try Samples.jpeg(shade: 1).write(to: outside.appendingPathComponent("theirs.jpg"))
    try scratch.put(Samples.jpeg(shade: 2), "2026-11/ours.jpg")
    for (name, target) in [
      ("loop", "."), ("2026-11/loop", ".."), ("a", "b"), ("b", "a"), ("self.jpg", "self.jpg"),
      ("outside", outside.path),
      ("theirs.jpg", outside.path + "/theirs.jpg"), ("ours.jpg", "2026-11/ours.jpg"), ("nothing.jpg", "nowhere.jpg"),
    ] {
      try manager.createSymbolicLink(
        atPath: library.folder.appendingPathComponent(name).path, withDestinationPath: target)
    }
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.url.lastPathComponent) == ["ours.jpg"])
    #expect(throws: PhotoLibraryError.self) {
      try ReadableFile("\(library.folder.path)/theirs.jpg", disk: Disk())
    }
    // A file that a link takes the place of is gone.
    try manager.removeItem(at: library.folder.appendingPathComponent("2026-11/ours.jpg"))
    try manager.createSymbolicLink(
      atPath: library.folder.appendingPathComponent("2026-11/ours.jpg").path,
      withDestinationPath: outside.path + "/theirs.jpg")
    try await library.refresh()
    #expect(try await library.count() == 0)
  }

  // MARK: Pictures

  @Test(arguments: [(20_000, 20_000), (65_535, 65_535), (1, 65_535)])
  func aPictureThatClaimsToBeHugeTakesLittleMemory(width: UInt16, height: UInt16) async throws {
    let library = try await scratch.library()
    try scratch.put(claiming(width: width, height: height), "bomb.jpg")
    // Progressive: every coefficient would have to be held.
    try scratch.put(claiming(width: width, height: height, marker: 0xc2), "progressive.jpg")
    try await library.refresh()
    let size = PixelSize(width: Int(width), height: Int(height))
    let assets = try await library.fetchAssets()
    #expect(assets.count == 2 && assets.allSatisfy { $0.size == size })
    for asset in assets {
      let facts = try #require(try FileFacts(ReadableFile(asset.url.path, disk: Disk())))
      #expect(facts.size == size)
    }
  }

  @Test func endlessFillBytesAreNoPicture() throws {
    let jpeg = try Samples.jpeg()
    func padded(_ count: Int) throws -> JPEGHead? {
      let padding = Data(repeating: 0xff, count: count)
      return try JPEGHead(file(jpeg.prefix(2) + padding + jpeg.dropFirst(2), "padded.jpg"))
    }
    #expect(try padded(1 << 17) == nil)
    // A little of it is allowed.
    #expect(try padded(1000)?.size == PixelSize(width: 320, height: 180))
  }

  @Test func aHugeFileOfNothingIsRead() throws {
    // Sparse: it takes no room on the disk, and reading all of it would take hours.
    for (name, head) in [("huge.jpg", try Samples.jpeg()), ("huge.mp4", Samples.mp4())] {
      let url = try scratch.put(head, name)
      #expect(truncate(url.path, 1 << 42) == 0)
      let file = try ReadableFile(url.path, disk: Disk())
      #expect(file.size == 1 << 42)
      #expect(try FileFacts(file) != nil)
    }
  }

  @Test func truncatedPicturesAreReadAsFarAsTheyGo() throws {
    let metadata = try Samples.metadata()
    let movie = Samples.mp4(mediaBytes: 100)
    let photo = try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: metadata, id: AssetIdentity.makeID())
    let live = try PhotoAssembly.livePhoto(photo: photo, movieLength: UInt64(movie.count), photoDisplayTime: 1) + movie
    var usable = 0
    for count in stride(from: 0, through: live.count, by: 97) {
      guard let facts = try FileFacts(file(live.prefix(count), "cut.jpg")) else { continue }
      usable += 1
      #expect(facts.size == PixelSize(width: 320, height: 180) && facts.created.stamp == "20261121_073106_123")
      #expect(!facts.isLive)
    }
    #expect(usable > 10)
    #expect(try FileFacts(file(live, "whole.jpg"))?.isLive == true)
  }

  // MARK: Numbers that lie

  @Test(arguments: ["9223372036854775807", "864000000001"])
  func aTimeBeyondAnyMovieIsNone(time: String) throws {
    let movie = Samples.mp4(seconds: 2)
    let xmp = """
      <d xmlns:G="\(XMPNamespace.camera)" G:MicroVideo="1" G:MicroVideoOffset="\(movie.count)"
      G:MicroVideoPresentationTimestampUs="\(time)"/>
      """
    let segment = try JPEGSegments.segment(
      marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8))
    let picture = try JPEGSegments(parsing: Samples.jpeg()).assemble(front: [segment])
    let facts = try #require(try FileFacts(file(picture + movie, "late.jpg")))
    #expect(facts.isLive && facts.photoDisplayTime == 1)
  }

  @Test func aMovieFromTheEndOfTimeHasTheFilesDate() throws {
    var movie = Samples.mp4()
    let header = try #require(movie.firstRange(of: Data("mvhd".utf8))).upperBound
    // Version 1 with all numbers as large as they can be.
    movie[header] = 1
    for at in header + 4..<header + 12 { movie[at] = at == header + 4 ? 0x7f : 0xff }
    let url = try scratch.put(movie, "end.mp4")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url.path)
    let facts = try #require(try FileFacts(ReadableFile(url.path, disk: Disk())))
    #expect(facts.created.milliseconds == 1_700_000_000_000)
  }

  @Test func aCamerasNameIsOneShortLine() throws {
    var metadata = try Samples.metadata()
    metadata.cameraMake = "M"
    metadata.cameraName = "\u{1b}[2J two\nlines \u{202e} " + String(repeating: "x", count: 5000)
    let exif = try MetadataToolkit.exif(for: metadata, id: AssetIdentity.makeID())
    let name = try #require(MetadataToolkit.facts(exif: exif)?.cameraName)
    #expect(name.hasPrefix("M [2J two lines") && name.utf8.count <= 102)
  }

  /// Exiv2 would put a TIFF together from what the tags say, larger than the block that they stand in.
  @Test func aThumbnailThatIsNoJPEGIsNone() throws {
    func exif(compression: UInt8) -> Data {
      func entry(_ tag: UInt16, _ type: UInt8, _ value: UInt8) -> [UInt8] {
        [UInt8(tag & 0xff), UInt8(tag >> 8), type, 0, 1, 0, 0, 0, value, 0, 0, 0]
      }
      let head: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]
      let first = [1, 0] + entry(0x112, 3, 3) + [26, 0, 0, 0]
      // A JPEG of 4 bytes and an uncompressed picture of 8, both at the beginning.
      let second =
        [5, 0] + entry(0x103, 3, compression) + entry(0x111, 4, 0) + entry(0x117, 4, 8) + entry(0x201, 4, 0)
        + entry(0x202, 4, 4) + [0, 0, 0, 0]
      return Data(head + first + second)
    }
    let jpeg = try #require(MetadataToolkit.facts(exif: exif(compression: 6), wantsThumbnail: true))
    #expect(jpeg.orientation == 3 && jpeg.thumbnail?.count == 4)
    let tiff = try #require(MetadataToolkit.facts(exif: exif(compression: 1), wantsThumbnail: true))
    #expect(tiff.orientation == 3 && tiff.thumbnail == nil)
    #expect(MetadataToolkit.facts(exif: Data()) == nil)
  }
}
