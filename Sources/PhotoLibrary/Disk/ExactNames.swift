// Names on file systems without case, or with normal forms of Unicode.

import Foundation

/// Tells whether a path consists of the very names that are on the disk.
///
/// vfat, exFAT, SMB shares and folders of ext4 with `casefold` find `IMG.JPG` when asked for `img.jpg`; some others take
/// composed and decomposed letters for the same. There a file that was renamed is still found under its old name, and
/// would be two. Only the folder's listing has the one name. It is read when a variant of the name leads to a file too,
/// and once for each object: an object lives for one transaction or one scan.
final class ExactNames {
  private let root: String
  private let disk: Disk
  /// By folder; `nil` for one that can't be listed.
  private var listings: [PathBytes: Set<PathBytes>?] = [:]
  private var folders: [PathBytes: Bool] = [:]

  /// - Parameter root: The absolute path of the library's folder, whose own name doesn't matter.
  init(root: String, disk: Disk) { (self.root, self.disk) = (root, disk) }

  /// Whether no other name is meant by this one. A path at which there is nothing is not another name.
  ///
  /// - Parameter path: Relative to the root.
  func has(_ path: String) -> Bool {
    let parent = Disk.folder(of: path)
    if !parent.isEmpty {
      let key = PathBytes(parent)
      let isExact = folders[key] ?? has(parent)
      folders[key] = isExact
      guard isExact else { return false }
    }
    return isExact(Disk.name(of: path), in: parent)
  }

  private func isExact(_ name: String, in parent: String) -> Bool {
    let folder = parent.isEmpty ? root : "\(root)/\(parent)"
    guard Self.variants(name).contains(where: { disk.status("\(folder)/\($0)") != nil }) else { return true }
    let key = PathBytes(folder)
    if listings[key] == nil { listings[key] = .some(disk.names(in: folder).map { Set($0.map(PathBytes.init)) }) }
    // What can't be listed can't be refuted.
    guard let names = listings[key] ?? nil else { return true }
    return names.contains(PathBytes(name)) || disk.status("\(folder)/\(name)") == nil
  }

  /// Other spellings that such file systems take for the same name.
  private static func variants(_ name: String) -> [String] {
    let swapped = String(
      decoding: name.utf8.map { byte -> UInt8 in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
        default: byte
        }
      }, as: UTF8.self)
    var variants = [swapped]
    if !name.utf8.allSatisfy({ $0 < 128 }) {
      variants += [name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping]
    }
    return variants.filter { PathBytes($0) != PathBytes(name) }
  }
}
