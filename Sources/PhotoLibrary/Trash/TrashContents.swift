// The pictures of a library in the desktop's trash, whoever put them there.

import Foundation

/// The part of the trash that came from one library.
struct TrashContents {
  /// With the pictures' own ids, the latest first.
  private(set) var assets: [TrashedAsset] = []
  /// Their files, in the same order; the paths are the original ones.
  private(set) var files: [IndexedFile] = []
  /// All ids that they may have as assets; `nil` when something can't be read.
  private(set) var ids: Set<Asset.ID>? = []
  /// Whether all folders can be listed.
  private(set) var isListed = true
  /// The pictures that can't be read.
  private(set) var unread: [Unread] = []

  /// A file that may be of any picture.
  struct Unread: Sendable {
    /// Absolute, in the trash.
    var path: String
    /// The original path, relative to the library's folder.
    var origin: String
  }

  private let folder: LibraryFolder
  private let disk: Disk
  /// The places in `assets` of those that are parts of others, and those of the others.
  private var leads: [Int: (lead: Int, role: FilePairs.Role)] = [:]

  /// The absolute path of a file of the library.
  func absolute(_ relative: String) -> String { folder.absolute(relative) }

  /// Reads the trash folders in which files of the library can lie.
  init(of folder: LibraryFolder, in trash: DesktopTrash, disk: Disk) {
    (self.folder, self.disk) = (folder, disk)
    for (place, _) in trash.folders(for: folder.path) {
      let info = "\(place)/info"
      if disk.status(info) != nil, disk.names(in: info) == nil { (ids, isListed) = (nil, false) }
    }
    for entry in trash.entries(below: folder.path) {
      guard let relative = folder.relative(entry.originalPath), !relative.isHiddenName else { continue }
      if entry.isFolder {
        add(folder: entry, relative)
      } else {
        add(file: entry.file, relative, info: entry.info, deleted: entry.deleted)
      }
    }
    pairUp()
  }

  // MARK: Pairs

  /// The folder and the base name of a file, absolute: those of one asset share both.
  static func place(of path: String) -> [String] { [Disk.parent(of: path), FilePairs.stem(of: path)] }

  /// Finds out which files are parts of others' assets, as they were when they were in the library.
  private mutating func pairUp() {
    let store = RecordStore(folder: folder, disk: disk)
    for (_, group) in Dictionary(grouping: assets.indices, by: { Self.place(of: assets[$0].url.path) })
    where group.count > 1 {
      let links = FilePairs.links(
        among: group.map { index in
          let file = files[index]
          let isLive = file.mediaType == .photo && file.movieRange != nil
          // A record that can't be read tells of no edit; then it is listed alone.
          let isEdited = isLive && (try? store.record(file.id))?.edit != nil
          return FilePairs.File(
            path: file.path, mediaType: file.mediaType, isLive: isLive, isEdited: isEdited, created: file.created,
            duration: file.duration, pairID: file.pairID)
        })
      for link in links { leads[group[link.part]] = (group[link.lead], link.role) }
    }
  }

  /// The places in `assets` of those that are no parts of others in the trash.
  var wholes: [Int] { assets.indices.filter { leads[$0] == nil } }

  /// The files that belong to one, by its path in the trash.
  func parts(ofFile path: String) -> [TrashedAsset] {
    guard let lead = assets.firstIndex(where: { PathBytes($0.trashedURL.path) == PathBytes(path) }) else { return [] }
    return leads.filter { $0.value.lead == lead }.map(\.key).sorted().map { assets[$0] }
  }

  /// A picture or movie as an asset at its place in the trash, with its movie.
  ///
  /// - Parameter index: In `assets`.
  func asset(at index: Int) -> Asset {
    var file = files[index]
    let part = leads.first { $0.value.lead == index && $0.value.role == .video }?.key
    if let part { file.video = IndexedFile.PairedVideo(files[part]) }
    var asset = file.asset(in: folder.url)
    if asset.pairedVideo != nil, let part { asset.pairedVideo = assets[part].trashedURL }
    return asset
  }

  /// A folder that a file manager has put there: each of its pictures can be brought back alone.
  private mutating func add(folder entry: TrashEntry, _ relative: String) {
    var waiting = [""]
    while let name = waiting.popLast() {
      guard let names = disk.names(in: entry.file + name) else {
        (ids, isListed) = (nil, false)
        continue
      }
      for child in names.sorted(by: >) where !child.isHiddenName {
        let path = "\(entry.file)\(name)/\(child)"
        switch disk.status(path)?.kind {
        case .folder: waiting.append("\(name)/\(child)")
        case .file:
          // The trash's info file is about the folder, and stays; such a file has none of its own.
          add(file: path, "\(relative)\(name)/\(child)", info: path + DesktopTrash.infoEnding, deleted: entry.deleted)
        case .other, nil: break
        }
      }
    }
  }

  private mutating func add(file path: String, _ relative: String, info: String, deleted: Date?) {
    guard FileFacts.Kind(name: Disk.name(of: relative)) != nil else { return }
    let file = try? ReadableFile(path, disk: disk)
    if let file, (try? FileFacts.isRawOfShot(file)) == true { return }
    guard let file, let facts = try? FileFacts(file) else {
      ids = nil
      unread.append(Unread(path: path, origin: relative))
      return
    }
    ids?.formUnion(facts.possibleIDs(at: relative))
    assets.append(
      TrashedAsset(
        id: facts.contentID, url: URL(fileURLWithPath: folder.absolute(relative), isDirectory: false),
        trashedURL: URL(fileURLWithPath: path, isDirectory: false),
        info: URL(fileURLWithPath: info, isDirectory: false), deleted: deleted))
    files.append(IndexedFile(path: relative, facts: facts, status: file.status))
  }
}
