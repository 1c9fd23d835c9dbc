// Edits that aren't saved yet, kept for a later start.

import CameraCore
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

extension EditQueue {
  /// Takes over the edits that weren't saved when the program ended, and says so. To be called once.
  public func load() async {
    guard let file else { return }
    let earlier = await file.load(for: library.folder.path)
    var names: [(id: Asset.ID, name: String)] = []
    for (id, recipe) in earlier.sorted(by: { $0.key < $1.key }) where progress[id] == nil && unsaved[id] == nil {
      do throws(PhotoLibraryError) {
        // Those of a picture that is gone are of no use, and one may have been saved in the last instant.
        guard let asset = try await library.asset(id: id), await !hasEdit(asset, recipe) else { continue }
        setUnsaved(recipe, for: id)
        names.append((id, asset.url.lastPathComponent))
      } catch {
        // The library says on its own page that it can't be read; the settings wait.
        setUnsaved(recipe, for: id)
      }
    }
    keepInFile()
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

  private func hasEdit(_ asset: Asset, _ recipe: AdjustmentRecipe) async -> Bool {
    do { return EditChange.isSame(try await library.adjustmentData(for: asset.id), try recipe.libraryData) } catch {
      // It can't be read now: the settings are kept.
      return false
    }
  }

  /// Writes the file anew, soon.
  func keepInFile() {
    guard let file else { return }
    let edits = unsavedSettings
    guard edits != keptSettings else { return }
    keptSettings = edits
    let before = keeping
    keeping = Task { [library, messages] in
      await before?.value
      do { try await file.save(edits, for: library.folder.path) } catch {
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
