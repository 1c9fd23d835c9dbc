// Verifying that every picture that was known is somewhere.

import Foundation
import Localization

extension LibraryVerifier {
  /// Reports pictures that are nowhere: those that the index has seen in the library, and those that a record tells of.
  func checkDepartures() throws(PhotoLibraryError) {
    let trash = TrashContents(of: folder, in: library.desktopTrash, disk: disk)
    let trashedPaths = Set(trash.assets.map { PathBytes($0.url.path) })
    let trashedIDs = Set(trash.assets.map(\.id)).union(trash.ids ?? [])
    var told: Set<Asset.ID> = []
    let disks = library.orphanedRecords.disks
    for one in try index.departures() {
      told.insert(one.id)
      // Noted by an earlier version, and without a record by now.
      if one.path.isEmpty, disk.status(folder.record(one.id)) == nil { continue }
      // A file that isn't a whole picture is a problem by itself.
      if one.isUnusable, disk.status(folder.absolute(one.path))?.kind == .file { continue }
      if trashedIDs.contains(one.id) || trashedPaths.contains(PathBytes(folder.absolute(one.path))) { continue }
      if try !library.orphanedRecords.isOnDiskThatIsThere(one, disks) {
        let isBeneath = !one.isElsewhere && disks.isDisk(Disk.folder(of: one.path))
        found.problems.append(away(one.id, path: one.path, isBeneath: isBeneath))
        continue
      }
      if let place = one.trashed {
        // Whoever empties the trash wants the picture to be gone. A trash that can't be read may not be empty.
        if disk.names(in: Disk.parent(of: place)) != nil { continue }
      }
      found.problems.append(gone(one.id, path: one.path))
    }
    for id in try library.orphanedRecords.withoutAsset() where !told.contains(id) && !trashedIDs.contains(id) {
      // An unreadable record is a problem of its own.
      guard let record = try? store.record(id), !record.isEmpty else { continue }
      let path = record.file?.path ?? ""
      // This index has never seen it, perhaps because its disk has not been there since.
      let name = Disk.folder(of: path)
      let isAway = disks.known(at: name).contains { $0 != disks.id(at: name) }
      found.problems.append(isAway ? away(id, path: path, isBeneath: false) : gone(id, path: path))
    }
  }

  /// Reports folders that count as the place of a disk that isn't there, although they have pictures, and of none it is
  /// known that it is on that disk: an index that hasn't seen it can't tell whether all of its pictures have been moved
  /// to the library's own disk.
  ///
  /// - Throws: The error of the index.
  func checkFormerDisks() throws(PhotoLibraryError) {
    let disks = library.orphanedRecords.disks
    let told = Set(
      found.problems.filter { $0.kind == .away }.compactMap { folder.relative($0.path) }.map(Disk.folder(of:)))
    for name in FolderListing.folders(of: folder, disk: disk) where !told.contains(name) && !disks.isDisk(name) {
      guard try index.isDiskAway(at: name, disks) else { continue }
      let notes = disks.notes(of: name).map { localized("“\($0)”", comment: "The name of a file") }
      guard !notes.isEmpty, disk.names(in: folder.absolute(name))?.contains(where: { !$0.isHiddenName }) == true
      else {
        continue
      }
      found.problems.append(
        Problem(
          kind: .away, path: folder.absolute(name),
          reason: localized(
            """
            “\(folder.absolute(name))” belongs to a disk that isn’t mounted, so new items go to a \
            folder next to it.
            """),
          advice:
            localized(
              """
              Mount the disk. If all of its items are in the folder now, delete \(notes.localizedList) \
              instead.
              """)))
    }
  }

  /// - Parameter isBeneath: Whether it is on the library's own disk, in the place of which another one is mounted.
  private func away(_ id: Asset.ID, path: String, isBeneath: Bool) -> Problem {
    let name = Disk.folder(of: path)
    let advice =
      isBeneath
      ? localized(
        """
        Unmount the disk at “\(folder.absolute(name))” to see it again, and move it to another folder.
        """)
      : localized("Mount its disk at “\(folder.absolute(name))” to see it again.")
    let path = folder.absolute(path)
    return Problem(
      kind: .away, path: path, assetID: id,
      reason: isBeneath
        ? localized("“\(path)” is covered by a disk that is mounted in its place.")
        : localized("“\(path)” is on a disk that isn’t mounted."),
      advice: advice)
  }

  private func gone(_ id: Asset.ID, path: String) -> Problem {
    let hasRecord = disk.status(folder.record(id)) != nil
    let advice =
      hasRecord
      ? localized(
        """
        Connect the disk that it was on, look in the Trash, or restore it from a backup. Its favorite, \
        albums, and edits are kept for it. If you deleted it yourself, run “\(Advice.forgetMissing)”.
        """)
      : localized(
        """
        Connect the disk that it was on, look in the Trash, or restore it from a backup. If you deleted \
        it yourself, run “\(Advice.forgetMissing)”.
        """)
    let place = path.isEmpty ? folder.record(id) : folder.absolute(path)
    return Problem(
      kind: .gone, path: place, assetID: id,
      reason: path.isEmpty
        ? localized("“\(place)” is the record of an item that can’t be found.")
        : localized("“\(place)” was in the library and can’t be found now."),
      advice: advice)
  }
}
