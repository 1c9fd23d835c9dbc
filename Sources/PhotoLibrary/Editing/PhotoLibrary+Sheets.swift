// Sheets of several pictures.

import CameraCore
import Foundation
import Localization
import PhotoEffects

extension PhotoLibrary {
  /// The quality of a sheet's JPEG, as libjpeg counts.
  private static let sheetQuality: Int32 = 92

  /// Puts pictures on one sheet, which becomes a picture of the library: a JPEG in their burst that stands for it. It is
  /// made of them as they were taken, or as they were edited.
  ///
  /// - Parameters:
  ///   - id: That of the new picture.
  ///   - frames: The pictures, in reading order; at least one.
  ///   - areEdited: Whether they keep their edits.
  ///   - software: For EXIF `Software`.
  /// - Throws: `unusableFile` when a picture can't be decoded or the sheet is too large for a JPEG; what `createAsset`
  ///   throws.
  public func createSheet(
    _ layout: SheetLayout, id: Asset.ID = Asset.makeID(), of frames: [Asset], areEdited: Bool = false,
    software: String
  ) async throws(PhotoLibraryError) -> Asset {
    guard let first = frames.first, let last = frames.last else { throw .unknownAsset(id: id) }
    let sheet = PhotoSheet(layout, of: first.size, count: frames.count)
    var pictures: [DecodedImage] = []
    for frame in frames {
      pictures.append(try await still(of: frame.id, targetSize: sheet.cell, isEdited: areEdited, isKept: true))
    }
    let images = pictures
    let (jpeg, thumbnail) = try await Blocking.run { () throws(PhotoLibraryError) in
      guard
        let jpeg = ScaledJPEG.encode(sheet.drawn(images), quality: Self.sheetQuality, hasFullColors: true)
      else {
        throw .unusableFile(path: localized("The sheet of photos"), reason: localized("there isn’t enough memory"))
      }
      return (jpeg, try ScaledJPEG.thumbnail(of: jpeg))
    }
    var metadata = PhotoMetadata(
      // Behind the last of its pictures.
      date: last.created.addingTimeInterval(0.001), utcOffset: last.utcOffset, size: sheet.size,
      cameraName: last.cameraName, software: software, thumbnail: thumbnail, location: last.location,
      burstID: first.burstID)
    metadata.isSheet = true
    let asset = try await createAsset(AssetCreationRequest(id: id, photo: jpeg, metadata: metadata))
    if first.burstID != nil {
      let all = frames + [asset]
      try await performChanges { $0.setKeyPhoto(asset.id, of: all) }
    }
    return try await self.asset(id: asset.id) ?? asset
  }
}
