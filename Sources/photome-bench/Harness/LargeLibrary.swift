// A library of a hundred thousand real pictures, created quickly and cached for the next run.

import CameraCore
import Foundation
import MediaFormats
import PhotoLibrary
import Synchronization

/// A folder of many small photos and some live photos over ten years, with favorites and an album.
///
/// Some hundred pictures are saved by the library itself, so that the files are what it really writes; the others are
/// these files with another id, another date, and other quantization tables, so that no two have the same picture.
struct LargeLibrary {
  /// The library's folder.
  let folder: URL
  let count: Int
  /// The album's title; every two-hundredth asset is in it.
  static let albumTitle = "Holidays"
  static let albumID = "00000000000000000000000000a1b0e5"
  /// The number of different pictures that are encoded.
  private static let sampleCount = 100
  /// One of this many pictures is a live photo, in the album, a favorite.
  private static let livePeriod = 200
  private static let recordPeriod = 100

  /// The number of assets in the album.
  var albumCount: Int { (count + 2 * Self.recordPeriod - 1) / (2 * Self.recordPeriod) }

  /// - Parameter cache: The folder that keeps it; used again when it is complete.
  init(count: Int, in cache: URL) {
    self.count = count
    folder = cache.appendingPathComponent("library-\(count)", isDirectory: true)
  }

  /// Beside the folder, once that is complete. The number changes with what is made.
  private var marker: URL { folder.appendingPathExtension("complete-2") }

  /// Creates it unless it exists.
  ///
  /// - Parameter say: Receives progress messages.
  func make(say: (String) -> Void) async throws {
    let manager = FileManager.default
    if manager.fileExists(atPath: marker.path) { return say("  the library is there: \(folder.path)") }
    if manager.fileExists(atPath: folder.path) { try manager.removeItem(at: folder) }
    let workshop = folder.appendingPathExtension("samples")
    defer { try? manager.removeItem(at: workshop) }
    let samples = try await Self.makeSamples(in: workshop)
    try makeFolders()
    let written = Tally()
    let tasks = ProcessInfo.processInfo.activeProcessorCount
    try await withThrowingTaskGroup(of: Void.self) { group in
      for first in 0..<tasks {
        group.addTask {
          for number in stride(from: first, to: count, by: tasks) {
            try write(number, samples)
            written.count.add(1, ordering: .relaxed)
          }
        }
      }
      group.addTask {
        while written.count.load(ordering: .relaxed) < count {
          try await Task.sleep(nanoseconds: 200_000_000)
          Progress.show("  written: \(written.count.load(ordering: .relaxed)) of \(count)")
        }
      }
      do { try await group.waitForAll() } catch {
        group.cancelAll()
        throw error
      }
    }
    Progress.end()
    sync()
    try Data().write(to: marker)
  }

  // MARK: One file

  /// The instant of a picture: ten years, evenly, to the second.
  static func date(of number: Int, count: Int) -> Date {
    let first = 1_479_700_000
    return Date(timeIntervalSince1970: Double(first + number * (315_360_000 / count)))
  }

  private func write(_ number: Int, _ samples: Samples) throws {
    let isLive = number % Self.livePeriod == 7
    let sample = isLive ? samples.live : samples.stills[number % samples.stills.count]
    let id = Self.id(of: number)
    let time = CalendarTime(Self.date(of: number, count: count))
    let name = "\(time.month)/IMG_\(time.stamp)_\(Samples.milliseconds)\(isLive ? ".MP.jpg" : ".jpg")"
    try sample.stamped(id: id, time: time, variant: number / samples.stills.count)
      .writeQuickly(to: folder.path + "/" + name)
    if number % Self.recordPeriod == 0 {
      var record = "{\"version\":1"
      if number % (2 * Self.recordPeriod) == 0 {
        record += ",\"albums\":{\"\(Self.albumID)\":\(1_700_000_000_000 + number)}"
      }
      record += ",\"favorite\":true}\n"
      try Data(record.utf8).writeQuickly(to: "\(folder.path)/.photome/assets/\(id).json")
    }
  }

  /// The oldest picture of a library that was made, with its id and its time.
  static func firstPicture(in folder: URL) throws -> (data: Data, id: String, time: CalendarTime) {
    let first = CalendarTime(date(of: 0, count: 1))
    let name = "\(first.month)/IMG_\(first.stamp)_\(Samples.milliseconds).jpg"
    return (try Data(contentsOf: folder.appendingPathComponent(name)), id(of: 0), first)
  }

  /// 32 unique hexadecimal digits.
  static func id(of number: Int) -> String { String(format: "be9c%028x", number) }

  private func makeFolders() throws {
    let manager = FileManager.default
    var months: Set<String> = [".photome/assets", ".photome/albums"]
    for number in stride(from: 0, to: count, by: max(1, count / 5000)) {
      months.insert(CalendarTime(Self.date(of: number, count: count)).month)
    }
    months.insert(CalendarTime(Self.date(of: count - 1, count: count)).month)
    for month in months {
      try manager.createDirectory(
        at: folder.appendingPathComponent(month, isDirectory: true), withIntermediateDirectories: true)
    }
    let album = "{\"created\":1700000000000,\"kind\":\"album\",\"title\":\"\(Self.albumTitle)\",\"version\":1}\n"
    try Data(album.utf8).writeQuickly(to: "\(folder.path)/.photome/albums/\(Self.albumID).json")
  }

  // MARK: The samples

  private struct Samples: Sendable {
    var stills: [PictureTemplate]
    var live: PictureTemplate
    /// Every picture was taken in this millisecond of its second.
    static let milliseconds = "123"
    static let id = "0123456789abcdeffedcba9876543210"
    static let date = Date(timeIntervalSince1970: 978_339_661.123)
  }

  /// Has the library save each of the pictures, and a live photo with a movie from the camera engine.
  private static func makeSamples(in workshop: URL) async throws -> Samples {
    let library = try await PhotoLibrary.open(
      at: workshop.appendingPathComponent("PhotoMe"), index: workshop.appendingPathComponent("index.sqlite"))
    let pictures = try SmallPictures()
    func save(_ number: Int, movie: URL?) async throws -> PictureTemplate {
      try template(try await sample(pictures.picture(number), movie: movie, in: library))
    }
    do {
      var stills: [PictureTemplate] = []
      for number in 0..<sampleCount { stills.append(try await save(number, movie: nil)) }
      let live = try await save(sampleCount, movie: LiveMovie.make(in: workshop))
      await library.close()
      return Samples(stills: stills, live: live)
    } catch {
      await library.close()
      throw error
    }
  }

  /// The file that a library makes of a picture; it is gone from the library afterwards.
  static func sample(
    _ picture: (jpeg: Data, thumbnail: Data, size: PixelSize), movie: URL? = nil, in library: PhotoLibrary
  ) async throws -> Data {
    let metadata = PhotoMetadata(
      date: Samples.date, utcOffset: 0, size: picture.size, cameraName: "Bench Webcam", cameraMake: "PhotoMe",
      thumbnail: picture.thumbnail, photoDisplayTime: movie == nil ? nil : 1.5)
    let asset = try await library.createAsset(
      AssetCreationRequest(id: Samples.id, photo: picture.jpeg, metadata: metadata, pairedVideo: movie))
    defer { try? FileManager.default.removeItem(at: asset.url) }
    return try Data(contentsOf: asset.url)
  }

  /// Makes other files of what `sample` made.
  static func template(_ sample: Data) throws -> PictureTemplate {
    try PictureTemplate(sample, id: Samples.id, time: CalendarTime(Samples.date))
  }
}

/// The number of files, for progress.
private final class Tally: Sendable {
  let count = Atomic<Int>(0)
}

/// A file as the library writes it, with the places that make it another one.
struct PictureTemplate: Sendable {
  private let data: Data
  private let idOffsets: [Int]
  private let dateOffsets: [Int]
  /// The last steps of the last quantization table, which are of 8 bits.
  private let stepsOffset: Int
  private static let stepCount = 4

  init(_ data: Data, id: String, time: CalendarTime) throws {
    self.data = data
    let segments = try JPEGSegments(parsing: data)
    func offsets(of text: String) -> [Int] {
      var offsets: [Int] = []
      var from = 0
      while let range = data.range(of: Data(text.utf8), in: from..<segments.scan.lowerBound) {
        offsets.append(range.lowerBound)
        from = range.upperBound
      }
      return offsets
    }
    idOffsets = offsets(of: id)
    dateOffsets = offsets(of: time.exif)
    let table = segments.segments.last { $0.marker == 0xdb && $0.payload.count % 65 == 0 }
    guard !idOffsets.isEmpty, !dateOffsets.isEmpty, let table else {
      throw BenchError("The library's pictures are not what the benchmark expects.")
    }
    stepsOffset = table.payload.upperBound - Self.stepCount
  }

  /// The file of another picture.
  ///
  /// - Parameter variant: Below 255⁴; other steps of the finest colors.
  func stamped(id: String, time: CalendarTime, variant: Int) -> Data {
    var copy = data
    for offset in idOffsets { copy.replaceSubrange(offset..<offset + 32, with: id.utf8) }
    for offset in dateOffsets { copy.replaceSubrange(offset..<offset + 19, with: time.exif.utf8) }
    var rest = variant
    for offset in stepsOffset..<stepsOffset + Self.stepCount {
      copy[offset] = UInt8(1 + rest % 255)
      rest /= 255
    }
    return copy
  }
}

/// An instant in UTC, in the forms of EXIF and of file names.
struct CalendarTime: Sendable {
  /// `2026:11:21 07:31:06`.
  let exif: String
  /// `20261121_073106`.
  let stamp: String
  /// `2026-11`.
  let month: String

  init(_ date: Date) {
    var seconds = Int(date.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func text(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let day = ["\(parts.tm_year + 1900)", text(parts.tm_mon + 1), text(parts.tm_mday)]
    let time = [text(parts.tm_hour), text(parts.tm_min), text(parts.tm_sec)]
    exif = "\(day.joined(separator: ":")) \(time.joined(separator: ":"))"
    stamp = "\(day.joined())_\(time.joined())"
    month = "\(day[0])-\(day[1])"
  }
}

extension Data {
  /// Writes a new file without fsync.
  fileprivate func writeQuickly(to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    try withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
        guard count > 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
        done += count
      }
    }
  }
}
