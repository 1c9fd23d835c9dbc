// The choice of the best shot of a burst: by the sharpness of its faces, or of the whole pictures.

import CameraCore
import Localization
import PhotoEffects
import PhotoLibrary

/// The best of several pictures of a scene.
///
/// Where a detector finds faces, the best is one of those that have the most: in the others somebody has turned away or is
/// out of the picture. Among them it is the one with the sharpest faces, of which those count more that look at the camera
/// (see `ShotSharpness.weight(of:in:)`). Without faces or a detector it is the sharpest picture.
/// All is measured on the untouched originals, so the same files give the same choice again.
struct BestShot: Equatable {
  /// What the choice is based on.
  enum Basis: Sendable {
    case picture
    case faces

    /// “Sharpest faces”.
    var title: String {
      switch self {
      case .picture: localized("Sharpest photo")
      case .faces: localized("Sharpest faces")
      }
    }
  }

  /// The index among the measured pictures.
  var index: Int
  var basis: Basis

  /// Chooses one; the first of equals.
  ///
  /// - Returns: `nil` for no pictures.
  init?(among shots: [ShotSharpness]) {
    let counts = shots.compactMap { $0.faces?.count }
    // A picture whose faces nobody knows can't be compared by them.
    let most = counts.count == shots.count ? counts.max() ?? 0 : 0
    basis = most > 0 ? .faces : .picture
    let candidates = shots.indices.filter { most == 0 || shots[$0].faces?.count == most }
    guard
      let best = candidates.max(by: { left, right in
        most > 0 ? shots[left].ofFaces < shots[right].ofFaces : shots[left].picture < shots[right].picture
      })
    else { return nil }
    index = best
  }
}

/// The sharpness of one picture, by `Sharpness.tenengrad`.
struct ShotSharpness: Sendable, Equatable {
  /// Of a picture that can't be decoded. It isn't the best; the viewer says why when it is opened.
  static let unreadable = ShotSharpness(picture: -1, faces: [])

  /// In pixels; enough for faces, and little of the noise is left.
  private static let measuredSize = PixelSize(width: 640, height: 640)
  /// Added to a face at each side, as a part of its size: detectors see the face without chin and hair.
  private static let margin = 0.15
  /// A face seen from the side counts like one from the front that has this part of its sharpness.
  private static let weightFromTheSide = 0.25

  /// Of the whole picture.
  var picture: Double
  /// Of each face, with its weight; `nil` when nobody knows where they are.
  var faces: [Double]?

  /// The mean of its faces, each of which counts the same.
  var ofFaces: Double {
    guard let faces, !faces.isEmpty else { return 0 }
    return faces.reduce(0, +) / Double(faces.count)
  }

  init(picture: Double, faces: [Double]?) { (self.picture, self.faces) = (picture, faces) }

  /// Measures a decoded picture.
  init(of image: DecodedImage, faces: [FoundFace]?) {
    picture = Sharpness.tenengrad(of: image)
    // People in the background come and go; they don't decide.
    self.faces = faces?.foremost.map { face in
      let area = Self.area(of: face, in: image.size)
      return Self.weight(of: face, in: image.size)
        * Sharpness.tenengrad(of: image, columns: area.columns, rows: area.rows)
    }
  }

  /// What a face's sharpness is multiplied by: 1 from the front, less as it is turned away (`FoundFace.facing(in:)`).
  static func weight(of face: FoundFace, in size: PixelSize) -> Double {
    weightFromTheSide + (1 - weightFromTheSide) * face.facing(in: size)
  }

  /// Measures the untouched original of a picture.
  ///
  /// - Parameter detector: `nil` leaves the faces unknown.
  static func measured(
    of asset: Asset, in library: PhotoLibrary, detector: (any FaceDetecting)?
  ) async -> ShotSharpness {
    guard let image = try? await library.still(of: asset.id, targetSize: measuredSize) else {
      return unreadable
    }
    // Without faces whole pictures are compared, which is said with the suggestion.
    let faces = try? await detector?.faces(in: image)
    return await Blocking.run { ShotSharpness(of: image, faces: faces) }
  }

  /// The pixels of a face with its margin, as far as they are in the picture.
  static func area(of face: FoundFace, in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>) {
    func range(_ start: Double, _ length: Double, of count: Int) -> Range<Int> {
      let whole = 0...Double(count)
      let from = ((start - margin * length) * Double(count)).rounded(.down)
      let to = ((start + (1 + margin) * length) * Double(count)).rounded(.up)
      let first = Int(min(max(from, whole.lowerBound), whole.upperBound))
      return first..<max(first, Int(min(max(to, whole.lowerBound), whole.upperBound)))
    }
    return (range(face.x, face.width, of: size.width), range(face.y, face.height, of: size.height))
  }
}

extension Asset {
  /// The best of these pictures; `nil` for none.
  static func best(
    of frames: [Asset], in library: PhotoLibrary, detector: (any FaceDetecting)?
  ) async -> Asset? {
    var shots: [ShotSharpness] = []
    for frame in frames {
      // A detector that failed once isn't waited for again.
      let isKnown = shots.allSatisfy { $0.faces != nil }
      shots.append(await .measured(of: frame, in: library, detector: isKnown ? detector : nil))
    }
    return BestShot(among: shots).map { frames[$0.index] }
  }
}
