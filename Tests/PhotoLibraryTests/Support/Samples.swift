// Generated pictures, movies and folders for tests.

import CTurboJPEG
import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

/// A temporary folder that is removed with the object.
final class Scratch: Sendable {
  let path: String
  var url: URL { URL(fileURLWithPath: path, isDirectory: true) }
  /// The library's folder, which the library creates itself.
  var pictures: URL { url.appendingPathComponent("Pictures/PhotoMe", isDirectory: true) }
  var index: URL { url.appendingPathComponent("index.sqlite", isDirectory: false) }

  init() throws {
    let base = FileManager.default.temporaryDirectory.appendingPathComponent("photome-library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    let resolved = try #require(realpath(base.path, nil))
    path = String(cString: resolved)
    free(resolved)
  }

  deinit {
    // A library that is being closed in the background removes files as well, which can fail the first attempt.
    for _ in 0..<5 where FileManager.default.fileExists(atPath: path) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  func library(
    disk: Disk = Disk(), now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> PhotoLibrary {
    try await PhotoLibrary.open(
      at: pictures, index: index, disk: disk, trash: trash, thumbnails: DesktopThumbnails(folder: thumbnails), now: now)
  }

  /// Waits until nothing in this process has the index open. For a library that nobody refers to any more: SQLite's last
  /// connection removes the journal by its name, which may be the next index's by then.
  func waitUntilIndexIsClosed() async {
    while isIndexOpen { await Task.yield() }
  }

  private var isIndexOpen: Bool {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return files.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == index.path
    }
  }

  /// Removes the index with its journal. A closed library's connection may live a moment longer, and the journal with it;
  /// with the next index it would be no index.
  func removeIndex() throws {
    try FileManager.default.removeItem(at: index)
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: index.path + suffix) {
      do { try FileManager.default.removeItem(atPath: index.path + suffix) } catch CocoaError.fileNoSuchFile {}
    }
  }

  /// The test's own trash.
  var trash: DesktopTrash { DesktopTrash(home: path + "/Trash") }

  /// Every file below the library's folder, relative, except its mark, those of its disks, and what it keeps hidden for
  /// its living session.
  func files() -> [String] {
    let all = FileManager.default.enumerator(atPath: pictures.path)?.compactMap { $0 as? String } ?? []
    return all.filter { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: pictures.path + "/" + name, isDirectory: &isFolder)
      return !isFolder.boolValue && !name.hasSuffix(".lock") && name != ".photome/library.json"
        && !name.hasPrefix(".photome/disks/") && !name.hasSuffix("/.photome-disk.json")
    }.sorted()
  }

  /// Writes a file as another program would: directly under its final name.
  @discardableResult
  func put(_ data: Data, _ name: String) throws -> URL {
    let file = pictures.appendingPathComponent(name, isDirectory: false)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    return file
  }
}

enum Samples {
  /// November 21, 2026, 07:31:06.123, one hour east of Greenwich.
  static let date = Date(timeIntervalSince1970: 1_795_242_666.123)

  static func metadata(
    date: Date = date, size: PixelSize = PixelSize(width: 320, height: 180), displayTime: Double? = nil
  ) throws -> PhotoMetadata {
    PhotoMetadata(
      date: date, utcOffset: 3600, size: size, cameraName: "HD Webcam C920", cameraMake: "Logitech",
      software: "PhotoMe 0.1", thumbnail: try jpeg(width: 160, height: 90, shade: 90), photoDisplayTime: displayTime)
  }

  /// A JPEG with a gray gradient and a colored corner at the top left, which shows the orientation.
  static func jpeg(width: Int = 320, height: Int = 180, shade: UInt8 = 128) throws -> Data {
    let encoder = try #require(tjInitCompress())
    defer { tjDestroy(encoder) }
    var pixels = [UInt8](repeating: shade, count: width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        let at = (y * width + x) * 4
        pixels[at] = UInt8(x * 255 / width)
        if x < width / 4, y < height / 4 { (pixels[at], pixels[at + 1], pixels[at + 2]) = (0, 0, 255) }
      }
    }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let code = tjCompress2(
      encoder, pixels, Int32(width), 0, Int32(height), Int32(TJPF_BGRX.rawValue), &bytes, &count,
      Int32(TJSAMP_422.rawValue), 85, 0)
    defer { tjFree(bytes) }
    #expect(code == 0)
    return Data(bytes: try #require(bytes), count: Int(count))
  }

  /// The structure of an MP4: one video track, with its duration in the movie header or, if fragmented, in the
  /// fragments.
  static func mp4(
    seconds: Double = 3, size: PixelSize = PixelSize(width: 320, height: 180), mediaBytes: Int = 5000,
    isFragmented: Bool = false, brand: String = "mp42"
  ) -> Data {
    func number(_ value: UInt64, _ bytes: Int) -> [UInt8] {
      (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
    func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
      let body = parts.flatMap(\.self)
      return number(UInt64(body.count + 8), 4) + Array(type.utf8) + body
    }
    let zero = { (count: Int) in [UInt8](repeating: 0, count: count) }
    let timescale: UInt64 = 90_000
    let length = UInt64(seconds * Double(timescale))
    let matrix = number(0x10000, 4) + zero(12) + number(0x10000, 4) + zero(12) + number(0x4000_0000, 4)
    let movieHeader = box(
      "mvhd", zero(12), number(timescale, 4), number(isFragmented ? 0 : length, 4), zero(80))
    let trackHeader = box(
      "tkhd", zero(12), number(1, 4), zero(4), number(length, 4), zero(16), matrix,
      number(UInt64(size.width) << 16, 4), number(UInt64(size.height) << 16, 4))
    let mediaHeader = box("mdhd", zero(12), number(timescale, 4), number(length, 4), zero(4))
    let track = box("trak", trackHeader, box("mdia", mediaHeader))
    let extends = isFragmented ? box("mvex", box("trex", zero(4), number(1, 4), number(1, 4), zero(12))) : []
    let start = box("ftyp", Array(brand.utf8), zero(4), Array("mp42mp41isomiso2".utf8))
    let media = box("mdat", (0..<mediaBytes).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    var fragments: [UInt8] = []
    if isFragmented {
      // Samples of a tenth of a second, ten to a fragment.
      let sample = number(timescale / 10, 4)
      for _ in 0..<Int(seconds) {
        let run = box("trun", [0, 0, 1, 0], number(10, 4), (0..<10).flatMap { _ in sample })
        fragments += box("moof", box("mfhd", zero(8)), box("traf", box("tfhd", zero(4), number(1, 4)), run))
      }
    }
    return Data(start + box("moov", movieHeader, track, extends) + fragments + media)
  }

  /// Writes a movie to the engine's folder.
  static func movie(in library: PhotoLibrary, name: String = "shot.mp4", seconds: Double = 3) async throws -> URL {
    try await library.prepareForCapture()
    let url = library.movieFolder.appendingPathComponent(name, isDirectory: false)
    try mp4(seconds: seconds).write(to: url)
    return url
  }
}

/// A list that is updated by change details, as the strip is.
struct Follower {
  private(set) var shown: [Asset]
  private let library: PhotoLibrary
  private var result: FetchResult
  private var iterator: AsyncStream<PhotoLibraryChange>.Iterator

  init(_ library: PhotoLibrary) async throws {
    self.library = library
    iterator = library.changes().makeAsyncIterator()
    result = try await library.fetch()
    shown = try result.allAssets()
  }

  /// Applies notifications until the list is as expected.
  mutating func wait(
    until isRight: ([Asset]) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    while !isRight(shown) {
      _ = try #require(
        await iterator.next(), "The notices ended at \(shown.map(\.url.path))", sourceLocation: sourceLocation)
      let details = try await library.changeDetails(for: result)
      #expect(Replay.numbers(result.numbers, details) == details.after.numbers)
      result = details.after
      shown = try result.allAssets()
    }
  }
}

/// Applies change details to a list as a view does.
enum Replay {
  static func numbers(_ before: [Int64], _ details: FetchResultChangeDetails) -> [Int64] {
    var list = before
    for index in (details.removed + details.moves.map(\.from)).sorted(by: >) { list.remove(at: index) }
    for index in (details.inserted + details.moves.map(\.to)).sorted() {
      list.insert(details.after.numbers[index], at: index)
    }
    return list
  }
}
