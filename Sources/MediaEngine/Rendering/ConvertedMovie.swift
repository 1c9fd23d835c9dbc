// The metadata of a converted movie: those of its source.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats

/// Completes an MP4 that was made of a movie of another format.
enum ConvertedMovie {
  private static let secondsFrom1904To1970: Int64 = 2_082_844_800

  /// Writes into a converted file when its source was recorded, where, and how it is turned.
  ///
  /// - Throws: `EditError` when one of the files can't be read or written.
  static func complete(_ file: URL, from source: MovieSource) throws(EditError) {
    let head: MovieHead?
    do throws(FormatError) { head = try MovieHead(MovieStretch(source.url, range: source.byteRange)) } catch {
      throw .unreadableMovie(file: source.url.lastPathComponent, reason: error.reason)
    }
    guard let head else { return }
    let isDone = PatchedMovie.change(file.path) { descriptor, _, movie in
      guard let patches = try? patches(head, source, movie) else { return false }
      return PatchedMovie.write(patches, to: descriptor)
    }
    guard isDone else { throw .writing(reason: localized("the converted video can’t be completed")) }
    // Without its place an edit is still one; the original keeps it.
    if let position = head.position { _ = RecordedPosition.write(position, to: file.path) }
  }

  private static func patches(
    _ head: MovieHead, _ source: MovieSource, _ movie: MovieStretch
  ) throws(FormatError) -> [(offset: UInt64, bytes: [UInt8])] {
    let seconds = min(max(0, created(head, source) + secondsFrom1904To1970), Int64(UInt32.max))
    var patches: [(offset: UInt64, bytes: [UInt8])] = []
    var walker = MP4BoxWalker(ByteWindow(movie), in: 0..<movie.count, limit: 10_000)
    while let box = try walker.next() {
      switch box.type {
      case "moov", "trak": walker.enter(box)
      case "mvhd", "tkhd":
        let start = box.content.lowerBound
        guard let version = try walker.bytes.number(at: start, bytes: 1) else { continue }
        let width = version == 1 ? 8 : 4
        var time: [UInt8] = []
        for _ in 0..<2 { BigEndian.append(UInt64(seconds), width, to: &time) }
        patches.append((start + 4, time))
        let matrix = start + (version == 1 ? 52 : 40)
        if box.type == "tkhd", let size = try walker.bytes.number(at: matrix + 36, bytes: 8), size != 0,
          let turned = self.matrix(head.quarterTurns, width: size >> 32, height: size & 0xffff_ffff)
        {
          patches.append((matrix, turned))
        }
      default: break
      }
    }
    return patches
  }

  /// In seconds since 1970. A movie that doesn't tell has the time of its file, which an edit shall not change.
  private static func created(_ head: MovieHead, _ source: MovieSource) -> Int64 {
    if let known = head.created { return known }
    if let local = head.createdLocally {
      let numbers = local.split { $0 == ":" || $0 == " " }.compactMap { Int($0) }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .current
      if numbers.count == 6 {
        let parts = DateComponents(
          year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4], second: numbers[5]
        )
        if let date = calendar.date(from: parts) { return Int64(date.timeIntervalSince1970) }
      }
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: source.url.path)
    return (attributes?[.modificationDate] as? Date).map { Int64($0.timeIntervalSince1970) } ?? 0
  }

  /// A track's matrix (ISO/IEC 14496-12, 8.3.2) that turns a picture clockwise; `nil` for none.
  ///
  /// - Parameters:
  ///   - width: As the track has it, in 65536ths of a pixel.
  private static func matrix(_ quarterTurns: Int, width: UInt64, height: UInt64) -> [UInt8]? {
    let (one, minus) = (UInt64(0x1_0000), UInt64(0xffff_0000))
    switch quarterTurns {
    case 1: return BigEndian.words(0, one, 0, minus, 0, 0, height, 0, 0x4000_0000)
    case 2: return BigEndian.words(minus, 0, 0, 0, minus, 0, width, height, 0x4000_0000)
    case 3: return BigEndian.words(0, minus, 0, one, 0, 0, 0, width, 0x4000_0000)
    default: return nil
    }
  }
}
