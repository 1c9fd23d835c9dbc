// The desktop's thumbnails of one library's pictures, and their removal.

import CExiv2
import Foundation
import MediaFormats

/// The thumbnails that any program has made of a library's pictures.
struct LibraryThumbnails: Sendable {
  let thumbnails: DesktopThumbnails
  /// The library's folder by all of its known names: without symbolic links, and as it was given.
  let folders: [String]
  private let disk: Disk

  /// - Parameter given: The path by which the library was opened.
  init(_ thumbnails: DesktopThumbnails, of folder: LibraryFolder, given: String, disk: Disk) {
    (self.thumbnails, self.disk) = (thumbnails, disk)
    folders = given == folder.path ? [folder.path] : [folder.path, given]
  }

  /// Removes the thumbnails of pictures in all sizes, and the notes that one can't be made.
  ///
  /// - Parameter paths: Absolute, without symbolic links.
  /// - Returns: The error number of the first one that could not be removed; `nil` when nothing is left.
  func remove(of paths: [String]) -> Int32? {
    let all = paths.flatMap { path in
      guard path.utf8.starts(with: (folders[0] + "/").utf8) else { return [path] }
      return folders.map { $0 + String(decoding: path.utf8.dropFirst(folders[0].utf8.count), as: UTF8.self) }
    }
    return thumbnails.remove(of: all)
  }

  /// Removes the thumbnails of files that the library doesn't have anymore, as those of the names that a picture had
  /// before, and of pictures by other names: those through symbolic links that the library wasn't opened by.
  ///
  /// - Parameter paths: Absolute, without symbolic links.
  /// - Returns: As `remove`.
  func removeOrphans(and paths: [String]) -> Int32? {
    let unwanted = Set(paths.map(PathBytes.init))
    let names = Set(paths.map { PathBytes(Disk.name(of: $0)) })
    var resolved: [PathBytes: String] = [:]
    return thumbnails.removeAll { path in
      if folders.contains(where: { path.utf8.starts(with: ($0 + "/").utf8) }) {
        return disk.status(path) == nil && [ENOENT, ENOTDIR].contains(errno)
      }
      // Only then: a folder of another library may be on a server that doesn't answer.
      let name = Disk.name(of: path)
      guard names.contains(PathBytes(name)) else { return false }
      let parent = Disk.parent(of: path)
      if resolved[PathBytes(parent)] == nil { resolved[PathBytes(parent)] = Self.resolved(parent) ?? "" }
      return unwanted.contains(PathBytes("\(resolved[PathBytes(parent)] ?? "")/\(name)"))
    }
  }

  /// A folder's path without symbolic links; `nil` when it isn't there.
  private static func resolved(_ folder: String) -> String? {
    guard let path = realpath(folder, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}

extension DesktopThumbnails {
  /// The folders in which a thumbnail of a file may be: one for each size, and one for each program that notes failures.
  private var places: [String] {
    let failures = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/fail")) ?? []
    return SizeClass.allCases.map { "\(folder)/\($0.rawValue)" } + failures.map { "\(folder)/fail/\($0)" }
  }

  /// Removes all thumbnails of files, whatever state of them they show.
  ///
  /// - Returns: The error number of the first one that could not be removed; `nil` when nothing is left.
  func remove(of paths: [String]) -> Int32? {
    let names = paths.compactMap { Self.uri(path: $0) }.map { Self.digest($0) + ".png" }
    return remove(places.flatMap { place in names.map { "\(place)/\($0)" } })
  }

  /// Removes the thumbnails of the files for which the closure returns true.
  ///
  /// - Parameter isUnwanted: Gets the absolute path that is stated in a thumbnail.
  /// - Returns: As above.
  func removeAll(where isUnwanted: (String) -> Bool) -> Int32? {
    var unwanted: [String] = []
    for place in places {
      // One that can't be listed can't be written by other programs either.
      for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.hasSuffix(".png") {
        let path = "\(place)/\(name)"
        if let file = Self.statedPath(ofThumbnail: path), isUnwanted(file) { unwanted.append(path) }
      }
    }
    return remove(unwanted)
  }

  private func remove(_ files: [String]) -> Int32? {
    var code: Int32?
    for file in files where unlink(file) != 0 && errno != ENOENT && errno != ENOTDIR { code = code ?? errno }
    return code
  }

  /// Chunks of a PNG that are looked at; one with more is no thumbnail.
  private static let mostChunks = 256
  /// In bytes: the longest path of Linux, percent-encoded.
  private static let longestText: UInt64 = 13 << 10

  /// The path of the file of which a PNG is the thumbnail, from its text `Thumb::URI`; `nil` without one.
  ///
  /// Source: Portable Network Graphics Specification, 5.3 and 11.3.3.2. Untrusted input: every length is checked.
  static func statedPath(ofThumbnail path: String) -> String? {
    guard let file = try? ReadableFile(path, disk: Disk()) else { return nil }
    var bytes = ByteWindow(file)
    let key: StaticString = "Thumb::URI\0"
    var offset: UInt64 = 8
    for _ in 0..<mostChunks {
      guard let length = try? bytes.number(at: offset, bytes: 4),
        let kind = try? bytes.number(at: offset + 4, bytes: 4),
        length <= file.size
      else { return nil }
      let keyLength = UInt64(key.utf8CodeUnitCount)
      if MP4Type(code: UInt32(truncatingIfNeeded: kind)) == "tEXt", length > keyLength, length <= longestText,
        (try? bytes.begins(with: key, at: offset + 8)) == true,
        let text = try? bytes.bytes(at: offset + 8 + keyLength, count: Int(length - keyLength))
      {
        guard let found = g_filename_from_uri(String(decoding: text, as: UTF8.self), nil, nil) else { return nil }
        defer { g_free(found) }
        return String(cString: found)
      }
      // Its length, its kind and its checksum.
      offset += length + 12
      guard offset < file.size else { return nil }
    }
    return nil
  }
}
