// The steps of moving assets to the desktop's trash, and back.

import Foundation

extension ChangeTransaction {
  /// The record and the original stay: when the file comes back, by whatever means, everything is as it was.
  mutating func trash(_ id: Asset.ID) throws(PhotoLibraryError) {
    let asset = try asset(id)
    let path = asset.url.path
    guard let status = disk.status(path) else { throw .fileMissing(path: path) }
    let now = library.now()
    var slot = try library.desktopTrash.slot(for: path, now: now)
    // Skip the names that this transaction has used already.
    while trashed.contains(where: { $0.trashedURL.path == slot.file }) {
      slot = try library.desktopTrash.slot(for: path, now: now, attempt: slot.attempt + 1)
    }
    let info = temporary(for: "trashinfo", in: library.session.path)
    try writer.write(slot.infoBytes, to: info)
    guard let infoStatus = disk.status(info) else { throw .fileMissing(path: info) }
    steps.append(.move(from: relative(info), to: slot.info, number: infoStatus.number))
    steps.append(.move(from: relative(path), to: slot.file, number: status.number))
    touched.insert(relative(path))
    trashed.append(
      TrashedAsset(
        id: id, url: asset.url, trashedURL: URL(fileURLWithPath: slot.file), info: URL(fileURLWithPath: slot.info),
        deleted: now))
  }

  mutating func restore(_ asset: TrashedAsset) throws(PhotoLibraryError) {
    let path = asset.trashedURL.path
    guard let status = disk.status(path), status.kind == .file else { throw .fileMissing(path: path) }
    let parent = Disk.parent(of: asset.url.path)
    guard folder.relative(parent) != nil || parent == folder.path else {
      throw .unusableFile(path: path, reason: "it did not come from this library")
    }
    let (stem, ending) = FileName.split(asset.url.lastPathComponent)
    // If another file has its name by now, it gets a number.
    var attempt = 1
    var target = asset.url.path
    while disk.status(target) != nil || restoredPaths.contains(target) {
      attempt += 1
      let free = LibraryFolder.name(stem: stem, extension: ending, attempt: attempt)
      target = "\(parent)/\(free)"
    }
    try disk.makeFolder(parent)
    steps.append(.move(from: path, to: relative(target), number: status.number))
    if let info = disk.status(asset.info.path) {
      steps.append(.remove(path: asset.info.path, number: info.number))
    }
    touched.insert(relative(target))
  }

  private var restoredPaths: Set<String> {
    Set(
      steps.compactMap {
        if case .move(_, let to, _) = $0 { to.hasPrefix("/") ? to : folder.absolute(to) } else { nil }
      })
  }
}
