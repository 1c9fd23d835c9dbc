// Backdrops that the library keeps: from files, read back, and removed.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import PhotoEffects
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct KeptBackdropTests {
  private let scratch: Scratch
  private let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch.pictures.path + "/.photome/backdrops"
  }

  private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

  private func file(_ name: String, _ data: Data) throws -> URL {
    let url = URL(fileURLWithPath: scratch.path).appendingPathComponent(name)
    try data.write(to: url)
    return url
  }

  private func movie(_ times: [Double], size: PixelSize = PixelSize(width: 64, height: 32)) async throws
    -> BackdropMovie
  {
    let movie = BackdropMovie()
    let source = MovieSource(url: scratch.pictures, byteRange: 0..<1)
    try await ScriptedFrames(times: times, size: size).readFrames(of: source, fitting: size, atMost: 30) {
      try movie.add($0.image, until: $0.time + $0.duration)
    }
    return movie
  }

  @Test("A picture is kept once, without what the file says, and is read back")
  func picture() async throws {
    let library = try await scratch.library()
    #expect(try await library.keptBackdrops() == [])
    let url = try file("beach.jpg", try Samples.jpeg(shade: 200))
    let (kept, isCut) = try await library.keepBackdrop(of: url, reader: ScriptedFrameReader())
    #expect(kept.kind == .picture && !isCut && names == ["\(kept.id).jpg"])
    let again = try await library.keepBackdrop(of: url, reader: ScriptedFrameReader()).backdrop
    #expect(again.id == kept.id && names.count == 1)
    #expect(try await library.keptBackdrops().map(\.id) == [kept.id])
    let source = try library.backdrops.source(of: kept.id)
    let head = try JPEGSegments(parsing: try Data(contentsOf: url))
    #expect(source.count == 1 && source.size == head.size)
    let image = try #require(source.picture(0, needed: source.size))
    let original = try ScaledJPEG.decode(try Data(contentsOf: url), needed: source.size, path: url.path)
    let differences = zip(image.block.bytes, original.block.bytes).map { abs(Int($0) - Int($1)) }
    #expect(differences.reduce(0, +) < 8 * differences.count)
    let data = try Data(contentsOf: kept.url)
    #expect(AssetIdentity.digest(data) == kept.id)
    #expect(data.range(of: Data("Exif".utf8)) == nil)
    // Nothing of it is a picture of the library.
    #expect(try await library.fetch().count == 0)
    #expect(try await library.verify().isClean)
    // The next program finds it.
    let next = try await scratch.library()
    #expect(try next.backdrops.source(of: kept.id).size == head.size)
  }

  @Test("A large picture is kept smaller")
  func largePicture() async throws {
    let library = try await scratch.library()
    let image = DecodedImage.plain(PixelSize(width: 5000, height: 50), red: 200)
    let jpeg = try #require(ScaledJPEG.encode(image, quality: 90, hasFullColors: false))
    let kept = try await library.keepBackdrop(of: try file("wide.jpg", jpeg), reader: ScriptedFrameReader()).backdrop
    #expect(try library.backdrops.source(of: kept.id).size == PixelSize(width: 4096, height: 41))
  }

  @Test("A movie is kept as its frames, 30 a second")
  func movies() async throws {
    let library = try await scratch.library()
    // The second frame is shown for a fifth of a second, the last one for a blink.
    let movie = try await movie([0, 0.1, 0.3, 0.31])
    let kept = try await library.keepBackdrop(movie)
    #expect(kept.kind == .movie && names == ["\(kept.id).mjpeg"])
    let source = try library.backdrops.source(of: kept.id)
    #expect(source.count == 9 && source.size == PixelSize(width: 64, height: 32))
    let shades = try (0..<9).map { try #require(source.picture($0, needed: source.size)).block.bytes[0] }
    #expect(Set(shades[0..<3]).count == 1 && Set(shades[3..<9]).count == 1 && shades[2] != shades[3])
    #expect(source.picture(9, needed: source.size) == nil)
  }

  @Test("A movie without a frame is refused, a short one has one, a long one is cut")
  func lengths() async throws {
    let library = try await scratch.library()
    await #expect(throws: PhotoLibraryError.self) { try await library.keepBackdrop(BackdropMovie()) }
    let short = try await library.keepBackdrop(try await movie([0, 0.001]))
    #expect(try library.backdrops.source(of: short.id).count == 1)
    let long = BackdropMovie()
    let frame = DecodedImage.plain(PixelSize(width: 16, height: 16), green: 9)
    #expect(throws: BackdropMovie.IsFull.self) {
      for second in 1...20 { try long.add(frame, until: Double(second)) }
    }
    let kept = try await library.keepBackdrop(long)
    #expect(try library.backdrops.source(of: kept.id).count == 300)
    #expect(throws: PhotoLibraryError.self) {
      let mixed = BackdropMovie()
      try mixed.add(frame, until: 1)
      try mixed.add(.plain(PixelSize(width: 8, height: 8)), until: 2)
    }
  }

  @Test("What is no picture, missing, damaged or another’s is refused in words")
  func refusals() async throws {
    let library = try await scratch.library()
    let text = try file("notes.jpg", Data("no picture".utf8))
    await #expect(throws: PhotoLibraryError.self) {
      _ = try await library.keepBackdrop(of: text, reader: ScriptedFrameReader())
    }
    await #expect(throws: PhotoLibraryError.self) {
      _ = try await library.keepBackdrop(of: scratch.pictures, reader: ScriptedFrameReader())
    }
    let id = String(repeating: "a", count: 32)
    #expect(throws: RecipeError.missingBackdrop) { try library.backdrops.source(of: id) }
    #expect(throws: RecipeError.missingBackdrop) { try library.backdrops.source(of: "../../x") }
    let kept = try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), red: 9))
    try FileManager.default.copyItem(atPath: kept.url.path, toPath: "\(folder)/\(id).jpg")
    #expect(throws: PhotoLibraryError.unusableFile(path: "\(folder)/\(id).jpg", reason: "it’s damaged")) {
      try library.backdrops.source(of: id)
    }
    var data = try Data(contentsOf: kept.url)
    data.removeLast()
    try data.write(to: kept.url)
    #expect(throws: PhotoLibraryError.self) { try library.backdrops.source(of: kept.id) }
    // Choosing it again mends it.
    try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), red: 9))
    #expect(try library.backdrops.source(of: kept.id).count == 1)
    // Content of which the name is right and which is no picture.
    let junk = Data("junk".utf8)
    let junkID = AssetIdentity.digest(junk)
    try junk.write(to: URL(fileURLWithPath: "\(folder)/\(junkID).mjpeg"))
    #expect(throws: PhotoLibraryError.self) { try library.backdrops.source(of: junkID) }
  }

  @Test("One that an edit needs stays, others go to the trash")
  func removal() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let needed = try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), red: 9))
    let other = try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), blue: 9))
    let own = try #require(OwnBackdrop(id: needed.id))
    let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: .own(own)))
    try await library.editPhoto(asset.id, shade: 7, recipe: recipe)
    await #expect(throws: PhotoLibraryError.backdropInUse(count: 1)) {
      try await library.trashBackdrop(needed.id)
    }
    // What can't be read can't be made again.
    try Data("{".utf8).write(
      to: URL(fileURLWithPath: scratch.pictures.path + "/.photome/assets/\(String(repeating: "e", count: 32)).json"))
    try await library.trashBackdrop(other.id)
    try await library.trashBackdrop(other.id)
    #expect(try await library.keptBackdrops().map(\.id) == [needed.id])
    let trash = try FileManager.default.contentsOfDirectory(atPath: scratch.trash.home + "/files")
    #expect(trash.contains { $0.hasPrefix(other.id) })
    #expect(throws: RecipeError.missingBackdrop) { try library.backdrops.source(of: other.id) }
    // A picture in the trash may come back with its edit.
    try await library.trash([asset.id])
    await #expect(throws: PhotoLibraryError.self) { try await library.trashBackdrop(needed.id) }
    try await library.restore(try await library.trashedAssets())
    try await library.performChanges { $0.change(.revert(asset.id)) }
    try await library.trashBackdrop(needed.id)
    #expect(names == [])
  }

  @Test("Who can’t read a file can’t read its copy, and a hidden picture has none")
  func permissions() async throws {
    let library = try await scratch.library()
    for (mode, kept) in [(0o600, 0o600), (0o640, 0o640), (0o400, 0o600)] {
      let url = try file("\(mode).jpg", try Samples.jpeg(shade: UInt8(mode / 4)))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      let copy = try await library.keepBackdrop(of: url, reader: ScriptedFrameReader()).backdrop
      let attributes = try FileManager.default.attributesOfItem(atPath: copy.url.path)
      #expect(attributes[.posixPermissions] as? Int == kept)
    }
    let asset = try await library.addPhoto()
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await #expect(throws: PhotoLibraryError.self) {
      _ = try await library.keepBackdrop(of: asset.url, reader: ScriptedFrameReader())
    }
  }

  @Test("One that another program has removed comes back from memory, for an edit that needs it")
  func broughtBack() async throws {
    let library = try await scratch.library()
    let id = String(repeating: "b", count: 32)
    await #expect(throws: RecipeError.missingBackdrop) { try await library.ensureBackdrop(id) }
    for kept in [
      try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), red: 9)),
      try await library.keepBackdrop(try await movie([0, 0.1, 0.2])),
    ] {
      let data = try Data(contentsOf: kept.url)
      try await library.ensureBackdrop(kept.id)
      _ = try library.backdrops.source(of: kept.id)
      try FileManager.default.removeItem(at: kept.url)
      #expect(!library.backdrops.isKept(kept.id))
      try await library.ensureBackdrop(kept.id)
      #expect(try Data(contentsOf: kept.url) == data)
    }
  }

  @Test("A small picture of one needs its beginning only, and takes nobody’s place in memory")
  func beginnings() async throws {
    let library = try await scratch.library()
    let kept = try await library.keepBackdrop(try await movie([0, 0.1, 0.2]))
    let start = try library.backdrops.beginnings.source(of: kept.id)
    #expect(start.count == 1 && start.size == PixelSize(width: 64, height: 32))
    try FileManager.default.removeItem(at: kept.url)
    // It isn't in memory.
    await #expect(throws: RecipeError.missingBackdrop) { try await library.ensureBackdrop(kept.id) }
    #expect(throws: RecipeError.missingBackdrop) { try library.backdrops.beginnings.source(of: kept.id) }
  }

  @Test("JPEGs of different sizes are no movie")
  func mixedSizes() throws {
    let small = try #require(
      ScaledJPEG.encode(.plain(PixelSize(width: 8, height: 8)), quality: 80, hasFullColors: false))
    let large = try #require(
      ScaledJPEG.encode(.plain(PixelSize(width: 9, height: 8)), quality: 80, hasFullColors: false))
    #expect(JPEGBackdrop(small + small, .movie)?.count == 2)
    #expect(JPEGBackdrop(small + large, .movie) == nil)
    #expect(JPEGBackdrop(small + small, .picture) == nil)
    #expect(JPEGBackdrop(small + Data([1, 2]), .movie) == nil)
    #expect(JPEGBackdrop(Data(), .movie) == nil)
  }
}
