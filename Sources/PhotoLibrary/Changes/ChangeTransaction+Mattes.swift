// The matte of the person in an edited picture, kept beside its original.

import CameraCore
import Foundation
import Localization
import Logging
import MediaFormats
import PhotoEffects
import StillCodecs

extension ChangeTransaction {
  private static let logger = Logger(label: "photome.library.changes")

  /// Keeps the matte that an edit needs, of the untouched picture, in place of that of the edit before. One that can't be kept
  /// is found anew for the next edit.
  ///
  /// - Parameters:
  ///   - matte: `nil` for an edit that needs none. That of a picture with nobody in it isn't kept either: another network may
  ///     find somebody.
  ///   - picture: Who may read it, may read its matte.
  mutating func keepMatte(
    _ matte: Matte?, of id: Asset.ID, as picture: ReadableFile
  ) throws(PhotoLibraryError) {
    guard let matte, matte.presence > 0 else { return try removeMatte(of: id) }
    do throws(PhotoLibraryError) { try keep(matte, of: id, as: picture) } catch {
      Self.logger.notice("The matte of “\(picture.path)” isn’t kept: \(error.description)")
    }
  }

  private mutating func keep(_ matte: Matte, of id: Asset.ID, as picture: ReadableFile) throws(PhotoLibraryError) {
    let path = folder.matte(id)
    guard let png = PNGEncoder(gray: matte.shown.block, size: matte.size)?.finish() else {
      throw .unusableFile(path: path, reason: localized("there isn’t enough memory to save it"))
    }
    try disk.makeFolder(folder.mattes)
    let before = disk.status(path)?.kind == .file ? try ReadableFile(path, disk: disk) : nil
    let attributes = try FileAttributes(of: picture, disk: disk)
    // An edit that is changed has the same one: two files that nothing tells apart can't replace each other.
    if let before, before.size == UInt64(png.count), try before.data(at: 0, count: png.count) == png {
      return try attributes.apply(to: before, disk: disk)
    }
    let temporary = temporary(for: Disk.name(of: path), in: library.session.path)
    try writer.write([.bytes(png)] as [FilePart], attributes: attributes.forChange, to: temporary)
    replace(
      path, with: temporary,
      over: try before.map { file throws(PhotoLibraryError) in try FileMark(file, readsAll: true) })
  }

  /// Removes the matte of an edit that is no more.
  mutating func removeMatte(of id: Asset.ID) throws(PhotoLibraryError) {
    let path = folder.matte(id)
    if disk.status(path)?.kind == .file { remove(path, try FileMark(of: path, disk: disk)) }
  }
}

extension Matte {
  /// The matte with its presence in its bytes.
  fileprivate var shown: Matte {
    guard presence < 1 else { return self }
    let share = max(0, presence)
    let block = FrameBlock(count: size.area) { target in
      self.block.withUnsafeBytes { source in
        for index in 0..<size.area { target[index] = UInt8((Double(source[index]) * share).rounded()) }
      }
    }
    return Matte(size: size, block: block)
  }
}
