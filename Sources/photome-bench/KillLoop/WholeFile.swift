// An independent check that each file of a library is a whole picture or movie.

import CameraCore
import Foundation
import MediaEngine
import MediaFormats

/// A file under a final name, taken apart.
struct WholeFile {
  /// Digests of the tables, the scan and all between; and of the movie behind it.
  let picture: String
  let movie: String

  /// - Throws: `BenchError` with what is wrong with the file.
  init(_ path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let name = path.lowercased()
    if name.hasSuffix(".mp4") || name.hasSuffix(".mov") {
      try Self.check(movie: data[...], path)
      picture = ""
      movie = ContentDigest.of(data)
      return
    }
    let segments: JPEGSegments
    do { segments = try JPEGSegments(parsing: data) } catch {
      throw BenchError("\(path) isn't a complete JPEG: \(error)")
    }
    let decoder = try JPEGDecoder()
    do { _ = try data.withUnsafeBytes { try decoder.decode($0) } } catch {
      throw BenchError("\(path) can't be decoded: \(error)")
    }
    if let warning = decoder.warning { throw BenchError("\(path) is damaged: \(warning)") }
    let trailer = data[segments.trailer]
    guard trailer.isEmpty != name.hasSuffix(".mp.jpg") else {
      throw BenchError("\(path) has \(trailer.count) bytes behind its picture.")
    }
    if !trailer.isEmpty { try Self.check(movie: trailer, path) }
    picture = Self.picture(segments)
    movie = ContentDigest.of(trailer)
  }

  /// The digest of a JPEG in memory, as `picture` will be wherever it is saved.
  static func picture(of jpeg: Data) throws -> String {
    picture(try JPEGSegments(parsing: jpeg))
  }

  /// Of all but what programs write beside the picture.
  private static func picture(_ segments: JPEGSegments) -> String {
    var bytes = Data()
    for segment in segments.segments where !(0xe0...0xef).contains(segment.marker) && segment.marker != 0xfe {
      bytes += segments.data[segment.range]
    }
    return ContentDigest.of(bytes + segments.data[segments.scan])
  }

  /// An MP4 is whole when its boxes fill it exactly and include its media descriptions.
  private static func check(movie: Data, _ path: String) throws {
    var kinds: [String] = []
    var offset = movie.startIndex
    while offset < movie.endIndex {
      func number(at position: Int, _ count: Int) -> UInt64? {
        guard position + count <= movie.endIndex else { return nil }
        return movie[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) }
      }
      guard var size = number(at: offset, 4), number(at: offset + 4, 4) != nil else {
        throw BenchError("\(path) ends within a box of its movie.")
      }
      kinds.append(String(decoding: movie[offset + 4..<offset + 8], as: UTF8.self))
      if size == 1 { size = number(at: offset + 8, 8) ?? 0 }
      guard size >= 8, size <= UInt64(movie.endIndex - offset) else {
        throw BenchError("\(path) ends within the box “\(kinds.last ?? "")” of its movie.")
      }
      offset += Int(size)
    }
    guard kinds.first == "ftyp", kinds.contains("moov") else {
      throw BenchError("\(path) has a movie of \(kinds.joined(separator: ", ")) only.")
    }
  }
}

/// All files of a library; those that have not changed since are not read again.
struct WholeFiles {
  private struct State: Equatable {
    var number: UInt64
    var size: Int
    var changed: timespec

    static func == (left: State, right: State) -> Bool {
      left.number == right.number && left.size == right.size && left.changed.tv_sec == right.changed.tv_sec
        && left.changed.tv_nsec == right.changed.tv_nsec
    }
  }

  private var known: [String: (state: State, file: WholeFile)] = [:]

  /// - Returns: The file as it is now, and what is wrong with it otherwise.
  mutating func file(_ path: String) throws -> WholeFile {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw BenchError("\(path) is not there.") }
    let state = State(number: UInt64(status.st_ino), size: Int(status.st_size), changed: status.st_ctim)
    if let known = known[path], known.state == state { return known.file }
    let file = try WholeFile(path)
    known[path] = (state, file)
    return file
  }
}
