// The worker's changes of files that another program edits at the same time.

import Foundation
import PhotoLibrary

extension KillWorker {
  /// Changes a file of the foreign editor, if there is one. Nothing is certain of it afterwards but what the editor
  /// cares for.
  mutating func changeForeign() async throws {
    var options = FetchOptions()
    options.includesHidden = true
    let assets = try await library.fetch(options).allAssets().filter { ForeignEditor.isOwn($0.url.path) }
    guard let asset = assets.randomElement(using: &random) else { return }
    let kind = Int.random(in: 0..<10, using: &random)
    let jpeg = try pictures.picture(.random(in: 0..<1 << 30, using: &random)).jpeg
    let outcome: String
    do throws(PhotoLibraryError) {
      switch kind {
      case 0..<4:
        try await library.performChanges {
          $0.change(AssetChangeRequest(for: asset.id, isFavorite: !asset.isFavorite))
        }
      case 4..<7:
        let output = ContentEditingOutput(
          photo: jpeg,
          adjustmentData: AdjustmentData(formatIdentifier: "kill-loop", formatVersion: "1", data: Data("foreign".utf8)))
        try await library.performChanges {
          $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output))
        }
      case 7..<9: try await library.performChanges { $0.change(.revert(asset.id)) }
      default: try await library.trash([asset.id])
      }
      outcome = "foreign file changed"
    } catch {
      // It may be gone, cut short or another one by now: then it must be refused.
      if case .diskFull = error { throw error }
      outcome = "foreign file refused"
    }
    try report.write(SurvivalNote(isDone: true, number: 0, work: outcome, facts: [:]))
  }
}
