// Edits that aren't saved yet, kept for a later start.

import CameraCore
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

extension EditQueue {
  /// Takes over the edits that weren't saved when the program ended, and says so. To be called once.
  ///
  /// The file stays as it is until this ends. A picture that got newer settings by then keeps those.
  public func load() async {
    guard let file else { return }
    var earlier = UnsavedEdits()
    do { earlier = try await file.load(for: library.folder.path) } catch {
      mustSetAside = true
      messages.post(error.localizedDescription)
    }
    var usable: [(id: Asset.ID, recipe: AdjustmentRecipe, name: String?)] = []
    var unknown: Set<Asset.ID> = []
    for (id, recipe) in earlier.recipes.sorted(by: { $0.key < $1.key }) {
      do throws(PhotoLibraryError) {
        guard let asset = try await library.asset(id: id) else {
          // A new index doesn't know it yet, and it comes back from the trash.
          unknown.insert(id)
          usable.append((id, recipe, nil))
          continue
        }
        // One may have been saved in the last instant.
        if await !hasEdit(asset, recipe) { usable.append((id, recipe, asset.url.lastPathComponent)) }
      } catch {
        // The library says on its own page that it can't be read; the settings wait.
        usable.append((id, recipe, nil))
      }
    }
    // From here on nothing is waited for.
    var names: [(id: Asset.ID, name: String)] = []
    for (id, recipe, name) in usable where !hasNewer(id) {
      setUnsaved(recipe, for: id)
      if let name { names.append((id, name)) }
    }
    others = earlier.others.filter { entry in
      if case .text(let id) = entry.object?["asset"] { !hasNewer(id) } else { true }
    }
    keptEdits = earlier
    changedBeforeLoading = nil
    keepInFile()
    forgetting = Task { [weak self] in await self?.forgetUnused(unknown) }
    guard let first = names.first else { return }
    let count = names.count
    messages.post(
      count == 1
        ? localized("The changes to “\(first.name)” weren’t saved before PhotoMe ended.")
        : localized(
          "The changes to \(count) item weren’t saved before PhotoMe ended. They are there when you edit it.",
          plural:
            "The changes to \(count) items weren’t saved before PhotoMe ended. They are there when you edit them.",
          count: count),
      action: count == 1 ? .editAgain(first.id) : nil)
  }

  /// Forgets the settings of pictures that are gone, once that is certain.
  private func forgetUnused(_ ids: Set<Asset.ID>) async {
    do throws(PhotoLibraryError) {
      let unused = try await library.unusedIDs(among: ids)
      guard !unused.isEmpty else { return }
      for id in unused { unsaved[id] = nil }
      keepInFile()
    } catch {
      // The library says on its own page that it can't be read; the settings wait.
    }
  }

  private func hasEdit(_ asset: Asset, _ recipe: AdjustmentRecipe) async -> Bool {
    do { return EditChange.isSame(try await library.adjustmentData(for: asset.id), try recipe.libraryData) } catch {
      // It can't be read now: the settings are kept.
      return false
    }
  }

  /// Whether a picture got settings, or lost those that it had, since the file was written.
  private func hasNewer(_ id: Asset.ID) -> Bool { changedBeforeLoading?.contains(id) == true }

  /// Takes note that the entry of a picture in the file is no longer of use, whatever is in it.
  func forgetKept(_ id: Asset.ID) {
    unsaved[id] = nil
    others.removeAll { $0.object?["asset"] == .text(id) }
    changedBeforeLoading?.insert(id)
  }

  /// Writes the file anew, soon. Before `load` has ended, it may have edits that aren't known here.
  func keepInFile() {
    guard let file, changedBeforeLoading == nil else { return }
    let edits = UnsavedEdits(recipes: unsavedSettings, others: others)
    guard edits != keptEdits else { return }
    keptEdits = edits
    let before = keeping
    keeping = Task { [library, messages] in
      await before?.value
      do {
        if mustSetAside { try await file.setAside() }
        mustSetAside = false
        try await file.save(edits, for: library.folder.path)
      } catch {
        messages.post(
          localized(
            "If PhotoMe ends before the edit is saved, it is lost: \(error.localizedDescription.asClause).",
            comment: "{0} is the reason"))
      }
    }
  }

  /// Returns when the file is up to date.
  public func kept() async { await keeping?.value }
}
