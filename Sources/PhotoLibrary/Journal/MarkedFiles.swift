// Files among which those of many marks are looked for.

import Foundation

/// Finds the files of marks among those of a listing. Each file is read at most once, however many marks there are: a
/// journal is untrusted, and may have very many.
final class MarkedFiles {
  private let disk: Disk
  private var files: [File] = []
  private var numbered: [Number: [Int]] = [:]
  private var groups: [Group: [Int]] = [:]
  /// The groups that were divided into finer ones, for which their files had to be read.
  private var divided: Set<Group> = []

  private struct File {
    var path: String
    var status: Disk.Status
    /// `nil` until it is read.
    var mark: FileMark?
    var isWhollyRead = false
  }

  private struct Number: Hashable {
    var size: UInt64
    var number: UInt64
  }

  /// Files of one size and about one time, with the same bytes at their beginning and their end, or all of them.
  private struct Group: Hashable {
    var size: UInt64
    /// In units of `FileMark.timeStep`.
    var time: Int64
    var sample: String?
    var contents: String?

    init(_ status: Disk.Status) { (size, time) = (status.size, status.modified / FileMark.timeStep) }

    /// - Parameter difference: Of the times: those of one file may be a unit apart.
    init(_ mark: FileMark, difference: Int64) {
      (size, time) = (mark.size, mark.modified / FileMark.timeStep + difference)
    }
  }

  init(disk: Disk) { self.disk = disk }

  /// - Parameter path: Absolute.
  func add(_ path: String, _ status: Disk.Status) {
    guard status.kind == .file else { return }
    numbered[Number(size: status.size, number: status.number), default: []].append(files.count)
    groups[Group(status), default: []].append(files.count)
    files.append(File(path: path, status: status))
  }

  /// The path of the file that has a mark: the one with its number, or else the first that was added.
  ///
  /// - Parameters:
  ///   - isItself: Whether only the one with its number counts.
  ///   - isWanted: Whether a file with this status counts.
  /// - Throws: The error of looking at a file or reading it.
  func path(
    of mark: FileMark, isItself: Bool = false, where isWanted: (Disk.Status) -> Bool = { _ in true }
  ) throws(PhotoLibraryError) -> String? {
    for index in numbered[Number(size: mark.size, number: mark.number)] ?? [] {
      if try isFile(index, mark, isWanted) { return files[index].path }
    }
    guard !isItself else { return nil }
    var candidates: [Int] = []
    for difference in Int64(-1)...1 { candidates += try group(of: mark, Group(mark, difference: difference)) }
    for index in candidates.sorted() where try isFile(index, mark, isWanted) { return files[index].path }
    return nil
  }

  /// The files of a size and a time with the bytes of a mark.
  private func group(of mark: FileMark, _ group: Group) throws(PhotoLibraryError) -> [Int] {
    var (part, whole) = (group, group)
    (part.sample, whole.sample, whole.contents) = (mark.sample, mark.sample, mark.contents)
    if divided.insert(group).inserted {
      for index in groups[group] ?? [] {
        guard let sample = try known(index, readsAll: false)?.sample else { continue }
        var finer = group
        finer.sample = sample
        groups[finer, default: []].append(index)
      }
    }
    guard mark.contents != nil else { return groups[part] ?? [] }
    if divided.insert(part).inserted {
      for index in groups[part] ?? [] {
        guard let contents = try known(index, readsAll: true)?.contents else { continue }
        var finer = part
        finer.contents = contents
        groups[finer, default: []].append(index)
      }
    }
    return groups[whole] ?? []
  }

  /// - Returns: `nil` when it can't be read, as it is gone or no ordinary file anymore.
  private func known(_ index: Int, readsAll: Bool) throws(PhotoLibraryError) -> FileMark? {
    if let mark = files[index].mark, !readsAll || files[index].isWhollyRead { return mark }
    do throws(PhotoLibraryError) {
      let mark = try FileMark(ReadableFile(files[index].path, disk: disk), readsAll: readsAll)
      (files[index].mark, files[index].isWhollyRead) = (mark, readsAll)
      return mark
    } catch {
      switch error {
      case .fileMissing, .unusableFile: return nil
      default: throw error
      }
    }
  }

  /// Whether a file that may be the one of a mark still is.
  private func isFile(
    _ index: Int, _ mark: FileMark, _ isWanted: (Disk.Status) -> Bool
  ) throws(PhotoLibraryError) -> Bool {
    let file = files[index]
    // Untrusted input: very many marks may have the number of very many links.
    guard mark.isNear(file.status) else { return false }
    guard let status = try disk.checkedStatus(file.path), isWanted(status) else { return false }
    guard status == file.status else { return try mark.isCertainMark(of: file.path, disk: disk) }
    if mark.isUnchanged(status) { return true }
    guard mark.isNear(status), let own = try known(index, readsAll: mark.contents != nil) else { return false }
    return own.sample == mark.sample && (mark.contents == nil || own.contents == mark.contents)
  }
}
