// New names of live photos that become stills, of stills that become live photos again, and of edits in another format.

import CameraCore
import Foundation

extension ChangeTransaction {
  /// The endings of live photos' names, by which phones and photo servers recognize them.
  private static let liveEndings = [".mp.jpg", ".mp.jpeg", ".mp.heic", ".mp.heif", ".mp.avif"]

  /// The new name of an asset's file when its name would be untrue: a still named as a live photo, a live photo that
  /// was renamed as a still, an edit in another format than its original. Takes note of it in the asset's record. Other
  /// programs' names for live photos say nothing untrue.
  ///
  /// - Parameters:
  ///   - isLive: Whether the file will have a movie.
  ///   - isReverted: Whether it will be the untouched original.
  /// - Returns: `nil` when the name stays.
  mutating func newName(
    of asset: Asset, isLive: Bool, isReverted: Bool = false
  ) throws(PhotoLibraryError) -> String? {
    var record = try record(asset.id)
    let name = Disk.name(of: asset.url.path)
    let own = ".\(asset.url.pathExtension)"
    let stem = String(name.dropLast(own.count))
    if isReverted, let ending = record.edit?.originalEnding ?? Self.ending(of: record.edit, shownAs: own) {
      record.edit?.originalEnding = nil
      set(record, of: asset.id)
      return ending.lowercased() == own.lowercased() ? nil : try freeName(stem: stem, ending, beside: asset)
    }
    if !isReverted, let ending = Self.endingOfEdits(own.dropFirst()) {
      record.edit?.originalEnding = own
      set(record, of: asset.id)
      return try freeName(stem: stem, ending, beside: asset)
    }
    guard asset.mediaType == .photo else { return nil }
    if isLive {
      guard let ending = record.edit?.liveEnding else { return nil }
      record.edit?.liveEnding = nil
      set(record, of: asset.id)
      // Unless the user has renamed it meanwhile.
      let stillEnding = Self.stillEnding(of: ending)
      guard name.hasSuffix(stillEnding), !Self.hasLiveEnding(name) else { return nil }
      return try freeName(stem: String(name.dropLast(stillEnding.count)), ending, beside: asset)
    }
    guard asset.isLive, Self.hasLiveEnding(name),
      let live = Self.liveEndings.first(where: { name.lowercased().hasSuffix($0) })
    else { return nil }
    let ending = String(name.suffix(live.count))
    record.edit?.liveEnding = ending
    set(record, of: asset.id)
    return try freeName(stem: String(name.dropLast(live.count)), Self.stillEnding(of: ending), beside: asset)
  }

  /// The ending of an original in another format than its edit, whose record was lost since the first edit.
  private static func ending(of edit: AssetRecord.Edit?, shownAs own: String) -> String? {
    guard let original = (edit?.original).map(FileName.ending),
      let edited = endingOfEdits(original.dropFirst())?.dropFirst()
    else { return nil }
    let ending = own.dropFirst()
    let isSame =
      PhotoFormat(fileExtension: edited).map { $0 == PhotoFormat(fileExtension: ending) }
      ?? (MovieFormat(fileExtension: edited) == MovieFormat(fileExtension: ending))
    return isSame ? original : nil
  }

  /// The ending of edits that can't be saved in the original's format: `.jpg` of a GIF, `.mp4` of a WebM.
  ///
  /// - Returns: `nil` where they can.
  private static func endingOfEdits(_ ending: some StringProtocol) -> String? {
    if let format = PhotoFormat(fileExtension: ending) {
      return format.ofEdits == format ? nil : ".\(format.ofEdits.fileExtension)"
    }
    guard let format = MovieFormat(fileExtension: ending), format.ofEdits != format else { return nil }
    return ".\(format.ofEdits.fileExtension)"
  }

  private static func hasLiveEnding(_ name: String) -> Bool {
    // A stem must be left.
    liveEndings.contains { name.lowercased().hasSuffix($0) && name.count > $0.count }
  }

  /// `.jpg` for `.MP.jpg`.
  private static func stillEnding(of ending: String) -> String { String(ending.dropFirst(3)) }

  private func freeName(stem: String, _ ending: String, beside asset: Asset) throws(PhotoLibraryError) -> String {
    let parent = Disk.parent(of: asset.url.path)
    let hasRaw = try raw(of: asset) != nil
    func isFree(_ path: String) -> Bool { disk.status(path) == nil && !takenPaths.contains(PathBytes(relative(path))) }
    var attempt = 1
    while true {
      let name = LibraryFolder.name(stem: stem, extension: ending, attempt: attempt)
      let path = "\(parent)/\(name)"
      let others = try partNames(of: asset, named: name)
      if isFree(path), !hasRaw || isFree(RawCompanion.path(beside: path)), others.allSatisfy({ isFree($0.path) }) {
        return name
      }
      attempt += 1
    }
  }

  /// The names that other contents of this block get.
  private var takenPaths: Set<PathBytes> {
    Set(steps.compactMap { if case .move(_, let to, _, _) = $0 { PathBytes(to) } else { nil } })
  }
}
