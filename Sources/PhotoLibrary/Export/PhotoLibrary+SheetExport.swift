// Exporting several pictures as one: contact sheets and four-ups.

import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects
import StillCodecs

extension ExportForm {
  /// The file's name, without an extension, of forms that several assets have together.
  var sheetName: String? {
    switch self {
    case .fourUp: localized("Four-Up", comment: "File name of a sheet with four photos")
    case .contactSheet: localized("Contact Sheet", comment: "File name")
    case .original, .current, .still, .movie, .appleLivePhoto, .motionPhoto, .gif, .webp, .apng, .avif: nil
    }
  }
}

extension PhotoLibrary {
  /// The quality of a sheet's JPEG, as libjpeg counts.
  private static let exportQuality: Int32 = 92
  /// The sheets are in memory until all are written.
  static let mostSheetPictures = 1000

  /// Exports pictures on sheets, in their order and as they are now: of a video its first frame. What can't be decoded is
  /// left out and reported. The sheets have no metadata, so none of their pictures' places.
  ///
  /// - Parameters:
  ///   - form: A sheet.
  ///   - options: The longer side is that of a whole sheet.
  ///   - name: The file's; `nil` for that of the form, numbered when it is taken. Further sheets have a number behind it.
  ///   - movieFrames: Decodes videos.
  /// - Returns: All sheets as one exported item, of the first asset.
  /// - Throws: `exportFailed`, `unusableFile`, or the error of the disk; nothing was written then.
  public func exportSheets(
    of assets: [Asset], as form: ExportForm, _ options: ExportOptions = ExportOptions(), into folder: URL,
    name: String?, movieFrames: (any MovieReader)? = nil,
    progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> ExportReport {
    precondition(form.isSheet, "\(form) is no sheet.")
    let cancelled = CancellationFlag()
    let exporter = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try AssetExporter(self, into: folder.path, options, isCancelled: cancelled)
    }
    var report = ExportReport()
    guard let first = assets.first else { return report }
    guard assets.count <= Self.mostSheetPictures else {
      throw .exportFailed(
        path: folder.path,
        reason: localized("sheets can have up to \(Self.mostSheetPictures) pictures; select fewer"))
    }
    let images = ImageManager(cacheByteLimit: 0, movieFrames: movieFrames)
    var request = ImageRequestOptions(deliveryMode: .highQualityFormat, isShared: false)
    request.isKept = true
    let sheet = Self.firstSheet(form, of: assets, options)
    // No more pictures are in memory than are on a sheet.
    var (pictures, names, pages): ([DecodedImage], [String], [Data]) = ([], [], [])
    for (number, asset) in assets.enumerated() {
      progress(LibraryProgress(step: .exporting, done: number, total: assets.count))
      do {
        guard let image = try await images.image(for: asset, targetSize: sheet.cell, options: request) else {
          throw PhotoLibraryError.exportFailed(path: asset.url.path, reason: localized("PhotoMe can’t decode videos"))
        }
        pictures.append(image.averaged(to: ImageContentMode.aspectFit.neededSize(of: image.size, for: sheet.cell)))
        names.append(asset.url.lastPathComponent.displayed)
      } catch is CancellationError {
        report.isCancelled = true
        return report
      } catch {
        let failure =
          error as? PhotoLibraryError
          ?? .exportFailed(path: asset.url.path, reason: error.localizedDescription.asClause)
        report.refused.append(ExportReport.Refused(assetID: asset.id, error: failure))
      }
      if pictures.count == sheet.count || number == assets.count - 1, !pictures.isEmpty {
        let (drawings, texts) = (pictures, names)
        pages.append(
          try await Blocking.run { () throws(PhotoLibraryError) in
            try Self.page(sheet.holding(drawings.count), drawings, texts, options, folder)
          })
        (pictures, names) = ([], [])
      }
    }
    guard !pages.isEmpty else { return report }
    let ending = options.stillFormat == .png ? ".png" : ".jpg"
    let products = pages.enumerated().map { number, page in
      AssetExporter.Product(parts: [.bytes(page)], ending: number == 0 ? ending : "-\(number + 1)\(ending)")
    }
    do throws(PhotoLibraryError) {
      report.exported.append(
        try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
          try exporter.write(products, of: first, as: form, name: name, modified: nil)
        })
    } catch {
      guard case .cancelled = error else { throw error }
      report.isCancelled = true
      return report
    }
    progress(LibraryProgress(step: .exporting, done: assets.count, total: assets.count))
    return report
  }

  /// The file of a sheet.
  private static func page(
    _ sheet: PhotoSheet, _ pictures: [DecodedImage], _ names: [String], _ options: ExportOptions, _ folder: URL
  ) throws(PhotoLibraryError) -> Data {
    let line = PixelSize(width: sheet.cell.width, height: sheet.captionHeight)
    let captions = line.height == 0 ? [] : names.compactMap { SheetCaption.coverage($0, line) }
    guard captions.isEmpty || captions.count == names.count else {
      throw .exportFailed(path: folder.path, reason: localized("there isn’t enough memory"))
    }
    let picture = sheet.drawn(pictures, captions: captions)
    let file =
      options.stillFormat == .png
      ? PNGEncoder.encode(picture) : ScaledJPEG.encode(picture, quality: exportQuality, hasFullColors: true)
    guard let file else { throw .exportFailed(path: folder.path, reason: localized("there isn’t enough memory")) }
    return file
  }

  /// The sheet of the first pictures; the others have rooms of the same size.
  private static func firstSheet(_ form: ExportForm, of assets: [Asset], _ options: ExportOptions) -> PhotoSheet {
    guard form == .fourUp else {
      let height = options.longestSide ?? 3508
      return PhotoSheet.contactSheets(count: assets.count, height: height, hasCaptions: options.showsNames)[0]
    }
    let largest = assets.map(\.size).max { $0.area < $1.area } ?? assets[0].size
    // Two beside two, and three edges of a twenty-fourth each, and of 2 pixels at least.
    let longest = options.longestSide.map { max(1, min($0 * 8 / 17, ($0 - 6) / 2)) } ?? 1920
    return PhotoSheet.fourUps(of: largest, count: assets.count, longest: longest)[0]
  }
}
