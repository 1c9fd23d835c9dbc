// `photomectl capture --booth`: four photos on one sheet.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

extension SheetLayout: ExpressibleByArgument {}

extension CaptureCommand {
  /// Takes the photos, reports each, then makes the sheet and reports it.
  @MainActor
  func take(booth layout: SheetLayout, with camera: CommandCamera) async throws {
    let model = camera.model
    ShutterOptions.tellCountdown(of: model)
    let shots = await model.takeBoothPhotos()
    try await tell(of: shots, camera)
    guard shots.count == BoothModel.count else {
      let reason =
        Task.isCancelled ? localized("Interrupted.") : (model.shotRefusal ?? CameraError.notRunning).description
      let taken = localized(
        "\(shots.count) of \(BoothModel.count) photos was taken, and there is no sheet.",
        plural: "\(shots.count) of \(BoothModel.count) photos were taken, and there is no sheet.", count: shots.count,
        comment: "Of the photo booth")
      throw CommandError("\(reason) \(taken)")
    }
    let sheet = try await model.makeSheet(layout, of: shots)
    var failure: (any Error)?
    do { try await camera.effects.shots.waitForEffect(of: sheet.id) } catch { failure = error }
    if output.json { try printJSON(SheetReport(sheet, layout), pretty: false) } else { say(sheet.url.path) }
    // The sheet itself is saved.
    if let failure { throw failure }
  }
}

/// A sheet of photos as `--json` shows it.
private struct SheetReport: Encodable {
  var path: String
  var id: String
  var width: Int
  var height: Int
  /// The arrangement of the photos.
  var sheet: String
  /// The id that it shares with its photos.
  var burst: String?

  init(_ asset: Asset, _ layout: SheetLayout) {
    (path, id, burst) = (asset.url.path, asset.id, asset.burstID)
    (width, height) = (asset.size.width, asset.size.height)
    sheet = layout.rawValue
  }
}
