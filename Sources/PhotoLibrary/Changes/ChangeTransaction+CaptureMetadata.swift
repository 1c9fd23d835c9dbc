// The steps of changes of when and where pictures were taken, which are in their files.

import CameraCore
import Foundation
import Localization

extension ChangeTransaction {
  /// Changes time and place as a request says.
  mutating func changeCaptureMetadata(_ request: AssetChangeRequest, of asset: Asset) throws(PhotoLibraryError) {
    var after = CaptureMetadata(asset)
    if let date = request.creationDate { after.milliseconds = date.millisecondsSince1970 }
    if let zone = request.timeZone {
      after.utcOffset = zone.wholeMinutes(for: Date(millisecondsSince1970: after.milliseconds))
    } else if request.creationDate != nil {
      after.utcOffset = LocalTime.wholeMinutes(after.utcOffset)
    }
    switch request.location {
    case nil: break
    case .removed: after.location = nil
    case .set(let place):
      guard !place.isUnknown else {
        throw .changesFailed(
          reason: localized("cameras write 0, 0 for an unknown place, and programs read it as such"))
      }
      after.location = place
    }
    guard after.isPossible else {
      throw .changesFailed(reason: localized("pictures can only have dates from the year 1 to the year 9999"))
    }
    let removesPlace = request.location == .removed
    let setsZone = request.timeZone != nil
    var before = CaptureMetadata(asset)
    guard removesPlace || setsZone || !after.isSame(as: before) else { return }
    if request.creationDate != nil, !setsZone,
      let offset = try CaptureMetadataRewriter.statedOffset(
        of: current(asset), name: Disk.name(of: asset.url.path), before)
    {
      // The clocks showed the same, in the zone that another block tells.
      let difference = Int64(after.utcOffset - offset) * 1000
      before.milliseconds += Int64(before.utcOffset - offset) * 1000
      after.milliseconds += difference
      (before.utcOffset, after.utcOffset) = (offset, offset)
    }
    try setCaptureMetadata(after, of: asset, from: before, removesPlace: removesPlace, setsZone: setsZone)
  }

  /// Takes a change of time and place back.
  ///
  /// - Returns: Whether it was changed again since, and stays.
  mutating func reverse(_ change: ReversibleChange.Capture, of id: Asset.ID) throws(PhotoLibraryError) -> Bool {
    guard let asset = try library.index.asset(id: id), disk.status(asset.url.path)?.kind == .file else { return true }
    let now = CaptureMetadata(asset)
    // A place may have been removed that readers don't see.
    if now.isSame(as: change.before), !change.before.isSame(as: change.after) { return false }
    guard now.isSame(as: change.after) else { return true }
    try setCaptureMetadata(change.before, of: asset, change.files)
    return false
  }

  /// Changes all files of an asset alike: its own, the other file of a live photo, the raw file, the untouched original.
  ///
  /// - Parameters:
  ///   - before: What the files tell; `nil` for what the asset has.
  ///   - former: By the role of the file, what makes it again the one that it was.
  private mutating func setCaptureMetadata(
    _ after: CaptureMetadata, of asset: Asset, from before: CaptureMetadata? = nil,
    _ former: [String: FileReversal] = [:], removesPlace: Bool = false, setsZone: Bool = false
  ) throws(PhotoLibraryError) {
    let change = CaptureMetadataChange(
      before: before ?? CaptureMetadata(asset), after: after, removesPlace: removesPlace, setsZone: setsZone)
    let (id, path) = (asset.id, asset.url.path)
    let record = try record(id)
    guard contents[id] == nil else {
      throw .changesFailed(reason: localized("an edit and a date can’t be changed at once"))
    }
    var result = ReversibleChange.Capture(before: CaptureMetadata(asset), after: after)
    let current = try current(asset)
    let isOwn = try record.edit.map { edit throws(PhotoLibraryError) in try isRendering(current, of: edit, id) }
    var names = (role: "file", name: Disk.name(of: path), folder: Disk.parent(of: path))
    let changed = try changed(current, names, change, former, isFirst: true, of: id, &result)
    if let changed {
      contents[id] = .described(changed, isOwn: isOwn ?? false)
    } else if !removesPlace, !setsZone {
      return
    }
    for part in try parts(of: id) {
      let file = try self.current(self.asset(part.id))
      names = ("part" + part.ending.lowercased(), Disk.name(of: part.path), Disk.parent(of: part.path))
      guard let new = try self.changed(file, names, change, former, isFirst: false, of: part.id, &result) else {
        continue
      }
      replace(part.path, with: new, over: looked[part.id])
      numbers[part.id] = disk.status(new)?.number
      touched.insert(PathBytes(relative(part.path)))
    }
    if let edit = record.edit, disk.status("\(folder.originals)/\(edit.original)")?.kind == .file {
      let original = "\(folder.originals)/\(edit.original)"
      try replaceFile(original, of: id, ("original", edit.original, library.session.path), change, former, &result)
    }
    if let raw = try raw(of: asset) {
      try replaceFile(raw, of: id, ("raw", Disk.name(of: raw), Disk.parent(of: raw)), change, former, &result)
    }
    if changed != nil || !result.files.isEmpty { captures[id] = result }
  }

  private mutating func replaceFile(
    _ path: String, of id: Asset.ID, _ names: (role: String, name: String, folder: String),
    _ change: CaptureMetadataChange, _ former: [String: FileReversal], _ result: inout ReversibleChange.Capture
  ) throws(PhotoLibraryError) {
    let file = try ReadableFile(path, disk: disk)
    guard let new = try changed(file, names, change, former, isFirst: false, of: id, &result) else { return }
    replace(path, with: new, over: try FileMark(file, readsAll: true))
  }

  /// Whether a changed file tells what was asked for, as well as it can.
  private func holds(
    _ now: CaptureMetadata, _ change: CaptureMetadataChange, _ file: ReadableFile, named name: String
  ) throws(PhotoLibraryError) -> Bool {
    if now.isNearly(change.after) { return true }
    return try CaptureMetadataRewriter.isSameLocally(now, change, in: file, named: name)
  }

  /// Whether a changed file is found as the same picture, with its marks and albums.
  private func isSamePicture(
    _ facts: FileFacts, as file: ReadableFile, named name: String, _ id: Asset.ID
  ) throws(PhotoLibraryError) -> Bool {
    let before = try FileFacts(file, named: name)
    if let before, !facts.isShown(as: before) { return false }
    if before?.contentID == facts.contentID, before?.formerContentID == facts.formerContentID { return true }
    return facts.possibleIDs(at: relative(file.path)).contains(id)
  }

  /// - Parameter names: The role of the file, its name, and the folder for the new one.
  /// - Returns: The hidden file with the new metadata; `nil` when nothing has to change.
  private mutating func changed(
    _ file: ReadableFile, _ names: (role: String, name: String, folder: String), _ change: CaptureMetadataChange,
    _ former: [String: FileReversal], isFirst: Bool, of id: Asset.ID, _ result: inout ReversibleChange.Capture
  ) throws(PhotoLibraryError) -> String? {
    let attributes = try FileAttributes(of: file, disk: disk).forChange
    if let parts = try former[names.role]?.parts(of: file) {
      let temporary = temporary(for: names.name, in: names.folder)
      try writer.write(parts, attributes: attributes, to: temporary, flushedWith: flushes)
      let facts = try FileFacts(ReadableFile(temporary, disk: disk), named: names.name)
      // Without a zone, the same file tells another instant on another computer.
      if !isFirst || facts.map({ CaptureMetadata($0).isSameLocally(as: change.after) }) == true {
        result.files[names.role] = try FileReversal(of: file, parts)
        return temporary
      }
    }
    guard
      let parts = try CaptureMetadataRewriter.parts(of: file, name: names.name, change, isFirst: isFirst)
    else { return nil }
    let reversal = try FileReversal(of: file, parts)
    if change.mayBeKept, reversal?.edits.isEmpty == true, parts.byteCount == file.size { return nil }
    let temporary = temporary(for: names.name, in: names.folder)
    try writer.write(parts, attributes: attributes, to: temporary, flushedWith: flushes)
    if isFirst {
      // Nothing is replaced by a file that doesn't hold what was asked for.
      guard let facts = try FileFacts(ReadableFile(temporary, disk: disk), named: names.name),
        try holds(CaptureMetadata(facts), change, ReadableFile(temporary, disk: disk), named: names.name),
        try isSamePicture(facts, as: file, named: names.name, id)
      else { throw .unusableFile(path: file.path, reason: localized("it can’t hold this date or place")) }
      result.after = CaptureMetadata(facts)
    }
    result.files[names.role] = reversal
    return temporary
  }
}

extension CaptureMetadata {
  init(_ facts: FileFacts) {
    self.init(
      milliseconds: facts.created.milliseconds, utcOffset: facts.created.utcOffset, location: facts.location)
  }

  /// Whether clocks show the same, in whatever zone.
  fileprivate func isSameLocally(as other: CaptureMetadata) -> Bool {
    milliseconds + Int64(utcOffset) * 1000 == other.milliseconds + Int64(other.utcOffset) * 1000
      && hasPlace(of: other)
  }

  /// Whether it is the same but for parts of a second, which movies don't have.
  fileprivate func isNearly(_ other: CaptureMetadata) -> Bool {
    abs(milliseconds - other.milliseconds) < 1000 && utcOffset == other.utcOffset && hasPlace(of: other)
  }
}
