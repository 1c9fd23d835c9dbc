// Verifying what is kept for edits that tell people from their surroundings: mattes, and people's own backdrops.

import Foundation
import Localization
import PhotoEffects

extension LibraryVerifier {
  // MARK: Mattes

  /// - Returns: `false` when it was canceled.
  func checkMattes(_ names: [String]) throws(PhotoLibraryError) -> Bool {
    try check(all: names) { name throws(PhotoLibraryError) in try check(matte: name) }
  }

  private func check(matte name: String) throws(PhotoLibraryError) -> [Problem]? {
    let path = "\(folder.mattes)/\(name)"
    let id = LibraryFolder.matteID(name)
    guard disk.status(path) != nil else { return [] }
    func problem(_ kind: Problem.Kind, _ reason: String, _ advice: String) -> Problem {
      Problem(kind: kind, path: path, assetID: id, reason: reason, advice: advice)
    }
    // An unreadable record is a problem of its own.
    if let id, let record = try? store.record(id), record.edit == nil {
      let reason = localized("“\(path)” tells the person from the room for an edit that no longer exists.")
      return [problem(.matteUnused, reason, localized("Delete it. The item isn’t affected."))]
    }
    let advice = localized("Delete it. PhotoMe finds the person again the next time the item is edited.")
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(path, disk: disk)
      guard let facts = try FileFacts(file) else {
        return [problem(.matteDamaged, localized("“\(path)” is no longer a photo or video."), advice)]
      }
      let relative = "\(LibraryFolder.hiddenFolder)/mattes/\(name)"
      return try read(file, facts: facts, path: relative)?.map { problem(.matteDamaged, $0.reason, advice) }
    } catch {
      return [problem(.matteDamaged, Self.unreadable(path, error), advice)]
    }
  }

  // MARK: Backdrops

  /// - Returns: `false` when it was canceled.
  func checkBackdrops(_ names: [String]) throws(PhotoLibraryError) -> Bool {
    try check(all: names) { name throws(PhotoLibraryError) in try check(backdrop: name) }
  }

  /// The name tells the content.
  private func check(backdrop name: String) throws(PhotoLibraryError) -> [Problem]? {
    let path = "\(folder.backdrops)/\(name)"
    guard let id = LibraryFolder.backdrop(name)?.id, disk.status(path) != nil else { return [] }
    func problem(_ reason: String) -> Problem {
      Problem(kind: .backdropDamaged, path: path, reason: reason, advice: Self.backdropAdvice)
    }
    do throws(PhotoLibraryError) {
      let file = try ReadableFile(path, disk: disk)
      guard let digest = try FileDigest.sha256(of: file, goesOn: { _ in !isCancelled() }) else { return nil }
      outcome.bytes = file.size
      return digest.hasPrefix(id) ? [] : [problem(localized("The backdrop “\(path)” is damaged."))]
    } catch {
      return [problem(Self.unreadable(path, error))]
    }
  }

  /// Reports a backdrop that an edit needs and that isn't kept.
  func checkBackdrop(of id: Asset.ID, _ edit: AssetRecord.Edit) -> [Problem] {
    guard let recipe = try? AdjustmentRecipe(edit.adjustment), let backdrop = recipe.ownBackdrop,
      !library.backdrops.isKept(backdrop.id)
    else { return [] }
    let path = "\(folder.backdrops)/\(backdrop.id)"
    return [
      Problem(
        kind: .backdropMissing, path: path, assetID: id,
        reason: localized("The backdrop “\(backdrop.id)” of an edited item is missing from “\(folder.backdrops)”."),
        advice: Self.backdropAdvice)
    ]
  }

  private static var backdropAdvice: String {
    localized(
      """
      Restore it from a backup, or add the same picture or video as a backdrop again. Items that were saved with it \
      aren’t affected until they’re edited.
      """)
  }
}
