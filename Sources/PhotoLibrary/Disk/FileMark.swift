// The marks by which a file is known again before it is replaced, moved or removed.

import Foundation

/// A file as it was when it was looked at.
///
/// Some file systems give a file another inode number after a remount or a rename (FAT, exFAT, sshfs), and keep its
/// time with less precision; so a file with other marks is still the same one if its size, its time within two seconds,
/// and the bytes at its beginning and its end are, or all of them if it is to be replaced. Where that isn't certain, the
/// file counts as another one.
struct FileMark: Codable, Hashable, Sendable {
  /// In bytes.
  var size: UInt64
  /// In nanoseconds since 1970, as `changed`; see `Disk.Status`.
  var modified: Int64
  var changed: Int64
  /// The inode number.
  var number: UInt64
  /// The first half of the SHA-256 of the beginning and the end of the file.
  var sample: String
  /// The SHA-256 of a long file that is to be replaced: an editor may change the middle only, and keep the time. `nil`
  /// where the sample is all of it, for a file that is to be moved or removed, and in older journals.
  var contents: String?

  /// In bytes: of each of the two parts.
  static let sampleLength = 32 << 10
  /// In nanoseconds: of the times of FAT.
  static let timeStep: Int64 = 2_000_000_000

  init(_ status: Disk.Status, sample: String) {
    (size, modified, changed) = (status.size, status.modified, status.changed)
    number = status.number
    self.sample = sample
  }

  /// - Parameter readsAll: Whether it is to be known by all of its bytes.
  /// - Throws: The error of reading it.
  init(_ file: ReadableFile, readsAll: Bool = false) throws(PhotoLibraryError) {
    self.init(file.status, sample: try Self.sample(of: file))
    if readsAll, file.size > UInt64(2 * Self.sampleLength) { contents = try FileDigest.sha256(of: file) }
  }

  /// - Parameter data: The whole file.
  init(_ status: Disk.Status, data: Data) {
    let end = data.count > Self.sampleLength ? max(Self.sampleLength, data.count - Self.sampleLength) : data.count
    self.init(status, sample: AssetIdentity.digest(data.prefix(Self.sampleLength) + data.dropFirst(end)))
  }

  /// The mark of a file of any size.
  ///
  /// - Throws: `fileMissing`, `unusableFile` when it isn't an ordinary file, or the error of reading it.
  init(of path: String, disk: Disk) throws(PhotoLibraryError) { try self.init(ReadableFile(path, disk: disk)) }

  private static func sample(of file: ReadableFile) throws(PhotoLibraryError) -> String {
    let length = UInt64(sampleLength)
    var sample = try file.data(at: 0, count: sampleLength)
    if file.size > length {
      let end = max(length, file.size - length)
      sample += try file.data(at: end, count: Int(file.size - end))
    }
    return AssetIdentity.digest(sample)
  }

  /// Whether a file of the same size is certainly the one that was looked at, without reading it.
  func isUnchanged(_ status: Disk.Status) -> Bool {
    status.number == number && status.modified == modified && status.changed == changed
  }

  /// Whether a file has the time of the one that was looked at, as precisely as all file systems keep it.
  func isNear(_ status: Disk.Status) -> Bool {
    let (difference, isTooMuch) = status.modified.subtractingReportingOverflow(modified)
    return !isTooMuch && (-Self.timeStep...Self.timeStep).contains(difference)
  }

  /// Whether the file with this path is the one that was looked at, with the same contents.
  ///
  /// - Returns: `false` also when there is none, or it can't be read.
  func isMark(of path: String, disk: Disk) -> Bool {
    do throws(PhotoLibraryError) { return try isCertainMark(of: path, disk: disk) } catch { return false }
  }

  /// The same, where a file that can't be looked at for a moment must not count as another one.
  ///
  /// - Throws: The error of looking at it or reading it.
  func isCertainMark(of path: String, disk: Disk) throws(PhotoLibraryError) -> Bool {
    guard let status = try disk.checkedStatus(path), status.kind == .file, status.size == size else { return false }
    if isUnchanged(status) { return true }
    guard isNear(status) else { return false }
    do throws(PhotoLibraryError) {
      let found = try FileMark(ReadableFile(path, disk: disk), readsAll: contents != nil)
      return found.sample == sample && found.contents == contents
    } catch {
      switch error {
      case .fileMissing, .unusableFile: return false
      default: throw error
      }
    }
  }
}
