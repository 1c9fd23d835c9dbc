// Copies of single files without their place.

import Foundation
import Testing

@testable import PhotoLibrary

extension Scratch {
  /// Imports a file into the library, and exports it without its place.
  func exportedWithoutPlace(
    _ file: URL, as form: ExportForm, longestSide: Int? = nil
  ) async throws -> ExportReport.Exported {
    let library = try await library()
    let asset = try await library.createAsset(AssetCreationRequest(file: file))
    let options = ExportOptions(longestSide: longestSide, dropsLocation: true)
    let folder = url.appendingPathComponent("out-\(form)-\(longestSide ?? 0)")
    let report = try await library.export([asset], as: form, options, into: folder, renderer: SilentRenderer())
    await library.close()
    return try #require(report.exported.first, "\(report.refused)")
  }
}
