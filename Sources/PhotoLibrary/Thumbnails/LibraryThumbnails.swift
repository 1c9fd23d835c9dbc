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
  /// - Parameters:
  ///   - paths: Absolute, without symbolic links.
  ///   - isCancelled: Asked before each thumbnail; there may be hundreds of thousands.
  /// - Returns: As `remove`.
  func removeOrphans(and paths: [String], isCancelled: () -> Bool) -> Int32? {
    let unwanted = Set(paths.map(PathBytes.init))
    let names = Set(paths.map { PathBytes(Disk.name(of: $0)) })
    var resolved: [PathBytes: String] = [:]
    return thumbnails.removeAll(isCancelled: isCancelled) { path in
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
    let uris = paths.compactMap { Self.uri(path: $0) } + paths.flatMap(Self.trashURIs)
    let names = uris.map { Self.digest($0) + ".png" }
    return remove(places.flatMap { place in names.map { "\(place)/\($0)" } })
  }

  /// The addresses that GNOME's programs give a file in a trash: by its name in the home trash, and by its path with other
  /// slashes in that of another disk.
  ///
  /// Source: GVfs, `daemon/trashlib/trashitem.c`, `trash_item_escape_name`.
  private static func trashURIs(path: String) -> [String] {
    guard Disk.name(of: Disk.parent(of: path)) == "files" else { return [] }
    let name = Disk.name(of: path)
    let own = name.hasPrefix("\\") || name.hasPrefix("`") ? "`" + name : name
    let elsewhere = path.replacing("`", with: "``").replacing("\\", with: "`\\").replacing("/", with: "\\")
    return [own, elsewhere].compactMap { name in
      uri(path: "/" + name).map { "trash" + $0.dropFirst("file".count) }
    }
  }

  /// Removes the thumbnails of the files for which the closure returns true.
  ///
  /// - Parameter isUnwanted: Gets the absolute path that is stated in a thumbnail.
  /// - Returns: As above.
  func removeAll(isCancelled: () -> Bool, where isUnwanted: (String) -> Bool) -> Int32? {
    var unwanted: [String] = []
    for place in places {
      // One that can't be listed can't be written by other programs either.
      for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.hasSuffix(".png") {
        if isCancelled() { return remove(unwanted) }
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

  private static let key: StaticString = "Thumb::URI\0"

  /// The path of the file of which a PNG is the thumbnail, from its text `Thumb::URI`; `nil` without one.
  ///
  /// Source: Portable Network Graphics Specification, 5.3 and 11.3.3. Untrusted input: every length is checked.
  static func statedPath(ofThumbnail path: String) -> String? {
    guard let file = try? ReadableFile(path, disk: Disk()) else { return nil }
    var bytes = ByteWindow(file)
    var offset: UInt64 = 8
    for _ in 0..<mostChunks {
      guard let length = try? bytes.number(at: offset, bytes: 4),
        let kind = try? bytes.number(at: offset + 4, bytes: 4),
        length <= file.size
      else { return nil }
      let keyLength = UInt64(key.utf8CodeUnitCount)
      let type = MP4Type(code: UInt32(truncatingIfNeeded: kind))
      if ["tEXt", "zTXt", "iTXt"].contains(type), length > keyLength, length <= longestText,
        (try? bytes.begins(with: key, at: offset + 8)) == true
      {
        let plain =
          type == "tEXt" ? try? bytes.bytes(at: offset + 8 + keyLength, count: Int(length - keyLength)) : nil
        guard let uri = plain.map({ String(decoding: $0, as: UTF8.self) }) ?? packedURI(in: file),
          let found = g_filename_from_uri(uri, nil, nil)
        else { return nil }
        defer { g_free(found) }
        return String(cString: found)
      }
      // Its length, its kind and its checksum.
      offset += length + 12
      guard offset < file.size else { return nil }
    }
    return nil
  }

  /// The text in its compressed and international forms, which KDE's programs write.
  private static func packedURI(in file: ReadableFile) -> String? {
    guard file.size <= UInt64(ThumbnailPNG.largestFile), let data = try? file.data(at: 0, count: Int(file.size)),
      let reader = ThumbnailPNG.Reader(data)
    else { return nil }
    let name = String(String(describing: key).dropLast())
    if let text = reader.texts()[name] { return text }
    // It may be behind the pixels.
    _ = reader.decode()
    return reader.texts()[name]
  }
}
