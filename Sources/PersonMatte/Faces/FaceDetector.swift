// The face detector behind the interface of the models.

import CameraCore
import Foundation
import Localization

/// Finds the faces of pictures, small ones too (`FaceSearch`), on a thread beside Swift's own.
///
/// The network is made anew for each picture, which takes some milliseconds; the many windows of the search take more: a
/// hundred times one look.
public struct FaceDetector: FaceDetecting {
  private let folder: URL?
  private let findsSmallFaces: Bool

  /// - Parameters:
  ///   - folder: Of the models.
  ///   - findsSmallFaces: Otherwise only those that are a sixth of the picture or so: of whoever is before the computer.
  public init(folder: URL? = ModelFile.installedFolder, findsSmallFaces: Bool = true) {
    (self.folder, self.findsSmallFaces) = (folder, findsSmallFaces)
  }

  /// - Throws: `FaceDetectionError`, or `CancellationError`.
  public func faces(in image: DecodedImage) async throws -> [FoundFace] {
    guard image.size.width > 0, image.size.height > 0 else { return [] }
    let (flag, folder, findsSmallFaces) = (CancellationFlag(), folder, findsSmallFaces)
    do {
      return try await Blocking.run(canceling: flag) { () throws(any Error) in
        try image.block.withUnsafeBytes { bytes in
          let picture = LentPixels(bytes, size: image.size, stride: image.stride)
          let finder = try FaceFinder(folder: folder)
          guard !findsSmallFaces else { return try FaceSearch.faces(in: picture, by: finder, until: flag) }
          try flag.check()
          return try finder.faces(in: picture)
        }
      }
    } catch let error as ModelError {
      throw FaceDetectionError(error)
    }
  }
}

/// Faces can't be looked for.
public struct FaceDetectionError: LocalizedError, Equatable, CustomStringConvertible {
  /// What is wrong with the model.
  public let cause: ModelError

  init(_ cause: ModelError) { self.cause = cause }

  public var errorDescription: String? { description }

  public var description: String {
    localized(
      """
      PhotoMe can’t look for faces: \(cause.reason). Reinstall PhotoMe, or run data/dev/models if you built it yourself.
      """, comment: "{0} is a clause; data/dev/models is a program’s path")
  }
}
