// The desktop's thumbnail cache, by its standard.

import CameraCore
import EngineInterface
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct DesktopThumbnailsTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private let large = PixelSize(width: 256, height: 256)

  private func manager(_ reader: (any MovieReader)? = nil) -> ImageManager {
    ImageManager(thumbnailFolder: scratch.thumbnails, movieFrames: reader)
  }

  private func subject(_ asset: Asset) throws -> DesktopThumbnails.Subject {
    let status = try #require(Disk().status(asset.url.path))
    return try #require(DesktopThumbnails.Subject(path: asset.url.path, status: status))
  }

  private func permissions(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  /// Puts a green thumbnail into the cache, as another program would.
  private func plant(
    _ asset: Asset, _ folder: String = "large", size: PixelSize = PixelSize(width: 256, height: 144),
    uri: String? = nil, modified: String? = nil, byteCount: String? = nil
  ) throws {
    let subject = try subject(asset)
    let texts: KeyValuePairs = [
      "Thumb::URI": uri ?? subject.uri, "Thumb::MTime": modified ?? String(subject.modified),
      "Thumb::Size": byteCount ?? String(subject.byteCount),
    ]
    let data = try #require(ThumbnailPNG.encode(.plain(size, green: 255), texts: texts))
    try plant(data, asset, folder)
  }

  private func plant(_ data: Data, _ asset: Asset, _ folder: String = "large") throws {
    let parent = scratch.thumbnails.appendingPathComponent(folder)
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try data.write(to: parent.appendingPathComponent(try subject(asset).fileName))
  }

  private func isPlanted(_ image: DecodedImage?) -> Bool {
    guard let pixel = image?.pixel(20, 20) else { return false }
    return pixel.green == 255 && pixel.red == 0 && pixel.blue == 0
  }

  /// An edit keeps the time by which other programs know their thumbnails.
  @Test func aThumbnailFromBeforeAnEditIsNotShown() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 1920, height: 1080))
    let old = try subject(asset)
    let texts: KeyValuePairs = ["Thumb::URI": old.uri, "Thumb::MTime": String(old.modified)]
    try plant(
      #require(ThumbnailPNG.encode(.plain(PixelSize(width: 256, height: 144), green: 255), texts: texts)), asset)
    let planted = scratch.thumbnails.path + "/large/" + old.fileName
    let manager = manager()
    #expect(isPlanted(try await manager.image(for: asset, targetSize: large)))
    await manager.becomesIdle()
    let library = try await scratch.library()
    try await library.refresh()
    var request = AssetChangeRequest(for: asset.id)
    request.contentEditingOutput = ContentEditingOutput(
      photo: try Samples.jpeg(width: 1920, height: 1080, shade: 7),
      adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    let change = request
    try await library.performChanges { $0.change(change) }
    let edited = try #require(try await library.asset(id: asset.id))
    let status = try #require(Disk().status(edited.url.path))
    #expect(edited.modified == asset.modified)
    // Older by more than the clock of the file system may err.
    let earlier = Date(timeIntervalSince1970: Double(status.changed) / 1e9 - 10)
    try FileManager.default.setAttributes([.modificationDate: earlier], ofItemAtPath: planted)
    #expect(!isPlanted(try await manager.image(for: edited, targetSize: large)))
    await library.close()
  }

  // MARK: Names

  @Test func namesAreThoseOfTheStandard() {
    // The standard's own example.
    #expect(DesktopThumbnails.digest("file:///home/jens/photos/me.png") == "c6ee772d9e49320e97ec29a7eb5b1697")
  }

  /// As `g_filename_to_uri` has it: what RFC 2396 allows in a path stays.
  @Test(arguments: [
    ("/a b/c.jpg", "file:///a%20b/c.jpg"),
    ("/line\nbreak/tab\t.jpg", "file:///line%0Abreak/tab%09.jpg"),
    ("/Grüße/fête/日本.jpg", "file:///Gr%C3%BC%C3%9Fe/f%C3%AAte/%E6%97%A5%E6%9C%AC.jpg"),
    ("/u\u{308}.jpg", "file:///u%CC%88.jpg"),
    ("/-_.!~*'()$&+,:=@/x", "file:///-_.!~*'()$&+,:=@/x"),
    ("/a;b?c#d%e[f]\"<>\\^`{|}", "file:///a%3Bb%3Fc%23d%25e%5Bf%5D%22%3C%3E%5C%5E%60%7B%7C%7D"),
  ]) func urisAreGLibs(path: String, uri: String) {
    #expect(DesktopThumbnails.uri(path: path) == uri)
  }

  // MARK: Writing

  @Test func whatWasDecodedIsKeptForAll() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 1920, height: 1080), "größe \n1.jpg")
    let manager = manager()
    _ = try await manager.image(for: asset, targetSize: large)
    await manager.becomesIdle()
    let subject = try subject(asset)
    #expect(scratch.thumbnailFiles() == ["large/\(subject.fileName)"])
    let path = scratch.thumbnails.path + "/large/" + subject.fileName
    #expect(try permissions(path) == 0o600)
    #expect(try permissions(scratch.thumbnails.path) == 0o700)
    #expect(try permissions(scratch.thumbnails.path + "/large") == 0o700)

    let png = try #require(PNGFile(try Data(contentsOf: URL(fileURLWithPath: path))))
    #expect(png.types.first == "IHDR" && png.types.last == "IEND" && png.types.contains("IDAT"))
    // 256 × 144, 8 bits, color, deflated, filtered, not interlaced.
    #expect(png.header == [0, 0, 1, 0, 0, 0, 0, 144, 8, 2, 0, 0, 0])
    #expect(subject.uri.hasSuffix("/PhotoMe/gr%C3%B6%C3%9Fe%20%0A1.jpg"))
    #expect(png.texts["Thumb::URI"] == subject.uri)
    #expect(png.texts["Thumb::MTime"] == String(Int(asset.modified.timeIntervalSince1970.rounded(.down))))
    #expect(png.texts["Thumb::Size"] == String(asset.fileSize))
    #expect(png.texts["Thumb::Mimetype"] == "image/jpeg" && png.texts["Software"] == "PhotoMe")
    #expect(png.texts["Thumb::Image::Width"] == "1920" && png.texts["Thumb::Image::Height"] == "1080")
    // The texts stand before the pixels, where programs look for them.
    #expect(try #require(png.types.lastIndex(of: "tEXt")) < #require(png.types.firstIndex(of: "IDAT")))

    let reader = try #require(ThumbnailPNG.Reader(try Data(contentsOf: URL(fileURLWithPath: path))))
    let image = try #require(reader.decode())
    #expect(image.size == PixelSize(width: 256, height: 144))
    #expect(image.isRed(right: false, bottom: false) && !image.isRed(right: true, bottom: true))
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
  func theFilesAreValidForOtherPrograms()
    async throws
  {
    let asset = try await scratch.asset(Samples.jpeg(width: 1920, height: 1080), "a.jpg")
    let manager = manager()
    _ = try await manager.image(for: asset, targetSize: large)
    await manager.becomesIdle()
    let path = try scratch.thumbnails.path + "/large/" + subject(asset).fileName
    let report = try #require(try Command.report(of: "exiftool", "-validate", "-warning", "-ImageSize", "-s3", path))
    #expect(report.split(separator: "\n") == ["OK", "256x144"])
  }

  @Test func whatTheFileItselfAnswersIsNot() async throws {
    let metadata = try Samples.metadata(size: PixelSize(width: 1280, height: 720))
    let data = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(width: 1280, height: 720), metadata: metadata, id: AssetIdentity.makeID())
    let asset = try await scratch.asset(data)
    let manager = manager()
    _ = try await manager.image(for: asset, targetSize: PixelSize(width: 128, height: 128))
    await manager.becomesIdle()
    #expect(scratch.thumbnailFiles().isEmpty)
    // Hidden pictures stay out, and so do large ones.
    _ = try await manager.image(for: asset, targetSize: large, isShared: false)
    await manager.becomesIdle()
    #expect(scratch.thumbnailFiles().isEmpty)
    _ = try await manager.image(for: asset, targetSize: PixelSize(width: 1280, height: 720))
    await manager.becomesIdle()
    #expect(scratch.thumbnailFiles() == ["x-large/\(try subject(asset).fileName)"])
  }

  @Test func ofAThumbnailNoneIsMade() async throws {
    var asset = try await scratch.asset(Samples.jpeg(width: 640, height: 360))
    let inside = scratch.thumbnails.appendingPathComponent("large/x.jpg")
    try FileManager.default.createDirectory(
      at: inside.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: asset.url, to: inside)
    asset.url = inside
    let manager = manager()
    #expect(try await manager.image(for: asset, targetSize: large)?.size == PixelSize(width: 320, height: 180))
    await manager.becomesIdle()
    #expect(scratch.thumbnailFiles() == ["large/x.jpg"])
  }

  @Test func aCacheThatCannotBeWrittenDisturbsNobody() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 640, height: 360))
    try FileManager.default.createDirectory(
      at: scratch.thumbnails.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: scratch.thumbnails)
    let manager = manager()
    #expect(try await manager.image(for: asset, targetSize: large)?.size == PixelSize(width: 320, height: 180))
    await manager.becomesIdle()
    #expect(try Data(contentsOf: scratch.thumbnails).isEmpty)
  }

  // MARK: Reading

  @Test func whatOthersMadeIsTaken() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 1920, height: 1080))
    try plant(asset)
    #expect(isPlanted(try await manager().image(for: asset, targetSize: large)))
    // Halved for less, and rough for more.
    let small = try await manager().image(for: asset, targetSize: PixelSize(width: 100, height: 100))
    #expect(isPlanted(small) && small?.size == PixelSize(width: 128, height: 72))
    var results: [ImageResult] = []
    let large = PixelSize(width: 960, height: 960)
    let alone = ImageRequestOptions(isShared: false)
    for try await result in manager().requestImage(for: asset, targetSize: large, options: alone) {
      results.append(result)
    }
    #expect(results.map(\.isDegraded) == [true, false])
    #expect(isPlanted(results.first?.image) && !isPlanted(results.last?.image))
    let fast = ImageRequestOptions(deliveryMode: .fastFormat)
    for try await result in manager().requestImage(for: asset, targetSize: large, options: fast) {
      #expect(result.isDegraded && isPlanted(result.image))
    }
  }

  enum Fault: CaseIterable { case time, size, name, shape, garbage, empty, cut, huge, fifo, folder }

  @Test(arguments: Fault.allCases) func whatIsNotOfThisStateOfThisFileIsNot(_ fault: Fault) async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 1920, height: 1080))
    let path = scratch.thumbnails.path + "/large/" + (try subject(asset).fileName)
    switch fault {
    // Earlier as well as later: the standard asks for equality.
    case .time: try plant(asset, modified: String(try subject(asset).modified + 1))
    case .size: try plant(asset, byteCount: "7")
    case .name: try plant(asset, uri: "file:///somewhere/else.jpg")
    case .shape: try plant(asset, size: PixelSize(width: 256, height: 256))
    case .garbage: try plant(Data((0..<500).map { UInt8(truncatingIfNeeded: $0 * 7) }), asset)
    case .empty: try plant(Data(), asset)
    case .cut:
      try plant(asset)
      try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 300)
    case .huge: try plant(PNGFile.bomb, asset)
    case .fifo:
      try plant(Data(), asset)
      unlink(path)
      #expect(mkfifo(path, 0o600) == 0)
    case .folder:
      try plant(Data(), asset)
      unlink(path)
      #expect(mkdir(path, 0o700) == 0)
    }
    let manager = manager()
    let image = try await manager.image(for: asset, targetSize: large)
    #expect(image?.isRed(right: false, bottom: false) == true)
    await manager.becomesIdle()
    // And a right one takes its place, where that is possible.
    let replaced = ThumbnailPNG.Reader((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
    #expect((replaced?.texts()["Software"] == "PhotoMe") == (fault != .folder))
  }

  // MARK: Failures

  @Test func whatCannotBeDecodedIsNoted() async throws {
    let asset = try await scratch.asset(Samples.undecodableJPEG())
    let first = await #expect(throws: PhotoLibraryError.self) {
      try await manager().image(for: asset, targetSize: large)
    }
    let subject = try subject(asset)
    let name = "\(DesktopThumbnails.failureFolder)/\(subject.fileName)"
    #expect(name.hasPrefix("fail/photome-\(ProgramVersion.text)"))
    #expect(scratch.thumbnailFiles() == [name])
    let data = try Data(contentsOf: scratch.thumbnails.appendingPathComponent(name))
    let png = try #require(PNGFile(data))
    #expect(png.header?.prefix(8) == [0, 0, 0, 1, 0, 0, 0, 1])
    #expect(png.texts["Thumb::URI"] == subject.uri && png.texts["Thumb::MTime"] == String(subject.modified))
    let again = await #expect(throws: PhotoLibraryError.self) {
      try await manager().image(for: asset, targetSize: large)
    }
    #expect(first == again)

    // The note is believed as long as the file is the same.
    DesktopThumbnails(folder: scratch.thumbnails).noteFailure(subject, reason: "it is cursed")
    await #expect(throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it is cursed")) {
      try await manager().image(for: asset, targetSize: large)
    }
    try Samples.jpeg(width: 640, height: 360).write(to: asset.url)
    #expect(try await manager().image(for: asset, targetSize: large) != nil)
  }

  @Test func aReasonInAnotherLanguageIsNotShown() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 640, height: 360))
    let subject = try subject(asset)
    let texts: KeyValuePairs = [
      "Thumb::URI": subject.uri, "Thumb::MTime": String(subject.modified), "Thumb::Size": String(subject.byteCount),
      "Description": "sie ist verflucht", "Photome::Language": "de_DE",
    ]
    let note = try #require(ThumbnailPNG.encode(.plain(PixelSize(width: 1, height: 1), green: 0), texts: texts))
    try plant(note, asset, DesktopThumbnails.failureFolder)
    await #expect(throws: PhotoLibraryError.unusableFile(path: asset.url.path, reason: "it can’t be decoded")) {
      try await manager().image(for: asset, targetSize: large)
    }
  }

  /// Earlier versions refused pictures from 128 MiB on.
  @Test func notesOfALowerLimitAreNotRead() async throws {
    let asset = try await scratch.asset(Samples.jpeg(width: 640, height: 360))
    try plant(asset, "fail/photome-\(ProgramVersion.text)", size: PixelSize(width: 1, height: 1))
    #expect(try await manager().image(for: asset, targetSize: large) != nil)
  }

  /// A limit of this version isn't the file's fault.
  @Test func aFileThatIsTooLongIsNotNoted() async throws {
    let asset = try await scratch.asset(Samples.jpeg())
    try FileHandle(forWritingTo: asset.url).truncate(atOffset: 300 << 20)
    let refusal = PhotoLibraryError.unusableFile(
      path: asset.url.path, reason: "at \((300 << 20).localizedByteCount), it’s too large to show")
    await #expect(throws: refusal) { try await manager().image(for: asset, targetSize: large) }
    #expect(scratch.thumbnailFiles().isEmpty)
    DesktopThumbnails(folder: scratch.thumbnails).noteFailure(try subject(asset), reason: "it is cursed")
    await #expect(throws: refusal) { try await manager().image(for: asset, targetSize: large) }
  }

  @Test func aFileThatIsGoneIsNoFailure() async throws {
    let asset = try await scratch.asset(Samples.jpeg())
    try FileManager.default.removeItem(at: asset.url)
    await #expect(throws: PhotoLibraryError.self) { try await manager().image(for: asset, targetSize: large) }
    #expect(scratch.thumbnailFiles().isEmpty)
  }

  // MARK: Movies

  @Test func aVideosFrameIsDecodedOnce() async throws {
    let asset = try await scratch.asset(Samples.mp4(size: PixelSize(width: 1280, height: 720)), "a b.mp4")
    let reader = ScriptedFrameReader()
    for size in [200, 256, 100] {
      let manager = manager(reader)
      let image = try await manager.image(for: asset, targetSize: PixelSize(width: size, height: size))
      #expect(image?.size == PixelSize(width: size == 100 ? 128 : 256, height: size == 100 ? 72 : 144))
      await manager.becomesIdle()
    }
    #expect(reader.requests.map(\.size) == [PixelSize(width: 256, height: 144)])
    let path = scratch.thumbnails.path + "/large/" + (try subject(asset).fileName)
    let png = try #require(PNGFile(try Data(contentsOf: URL(fileURLWithPath: path))))
    #expect(png.texts["Thumb::Mimetype"] == "video/mp4")
  }

  @Test func aVideoThatCannotBeDecodedIsTriedOnce() async throws {
    let asset = try await scratch.asset(Samples.mp4(), "a.mp4")
    let reader = ScriptedFrameReader(error: .playbackFailed(file: "a.mp4", message: "it is noise"))
    for _ in 0..<2 {
      await #expect(throws: (any Error).self) { try await manager(reader).image(for: asset, targetSize: large) }
    }
    #expect(reader.requests.count == 1)
    // A missing plugin isn't the file's fault.
    let other = try await scratch.asset(Samples.mp4(mediaBytes: 9000), "b.mp4")
    let missing = ScriptedFrameReader(error: .missingPlugin(element: "x", package: "y", purpose: .playback))
    for _ in 0..<2 {
      await #expect(throws: CameraError.self) { try await manager(missing).image(for: other, targetSize: large) }
    }
    #expect(missing.requests.count == 2)
  }
}
