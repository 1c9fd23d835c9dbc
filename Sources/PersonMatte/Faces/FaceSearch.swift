// The search for faces that are small in the picture.

import CameraCore

/// Looks for a face in the whole picture, and then in windows of it: the detector sees 128×128 pixels, in which the faces of a
/// group, or of somebody farther away, are a few pixels.
///
/// Windows lie where the matte covers something. A look at a live picture has time for a few of them; the next look goes on
/// with the next ones.
struct FaceSearch {
  /// The sides of windows, in parts of the picture's shorter side. A face of a fifth of a window is found.
  static let sides = [0.6, 0.4, 0.25]
  /// From one window to the next, in parts of their side.
  static let step = 0.5
  /// A window is looked at when the matte covers more of it.
  static let leastCoverage = 0.15
  /// The score of a window's first look from which on there is a second. There are many windows, so more is asked for.
  static let least = 0.7
  /// What is looked at from nearer at most: in the whole of a live picture, in each of its windows, and in all of a still.
  static let (mostInPicture, mostInWindow, mostInAll) = (4, 2, 100)
  /// What the matte has at least in the middle of a face.
  static let leastMatte: Float = 0.5

  private var next = 0

  /// The score of a face that the matte covers, 0 for none.
  ///
  /// - Parameters:
  ///   - surely: The score of a face at least.
  ///   - most: The number of windows that may be looked at.
  /// - Throws: `ModelError`.
  mutating func score(
    in picture: LentPixels, _ matte: Plane, by finder: FaceFinder, surely: Double, most: Int
  ) throws(ModelError) -> Double {
    func score(_ candidates: some Sequence<FoundFace>) throws(ModelError) -> Double? {
      for candidate in candidates {
        guard let face = try finder.fromNearer(candidate, in: picture, surely: surely) else { continue }
        let score = Self.score(of: [face], matte)
        if score > 0 { return score }
      }
      return nil
    }
    if let score = try score(finder.candidates(in: picture).prefix(Self.mostInPicture)) { return score }
    let windows = Self.windows(of: picture.size, matte)
    guard !windows.isEmpty else { return 0 }
    for _ in 0..<min(most, windows.count) {
      let window = windows[next % windows.count]
      next = (next + 1) % windows.count
      let candidates = try Self.candidates(in: window, of: picture, by: finder).prefix(Self.mostInWindow)
      if let score = try score(candidates) { return score }
    }
    return 0
  }

  /// All faces of a picture, in the whole and in every window; one each.
  ///
  /// - Throws: `ModelError`, and `CancellationError` once the flag is set.
  static func faces(
    in picture: LentPixels, by finder: FaceFinder, until flag: CancellationFlag? = nil
  ) throws -> [FoundFace] {
    var candidates = try finder.candidates(in: picture)
    for window in windows(of: picture.size, nil) {
      try flag?.check()
      candidates += try Self.candidates(in: window, of: picture, by: finder)
    }
    var found: [FoundFace] = []
    for candidate in FaceFinder.merged(candidates).prefix(mostInAll) {
      try flag?.check()
      if let face = try finder.fromNearer(candidate, in: picture) { found.append(face) }
    }
    return FaceFinder.merged(found)
  }

  /// What may be faces in a window, in parts of the picture.
  private static func candidates(
    in window: PictureWindow, of picture: LentPixels, by finder: FaceFinder
  ) throws(ModelError) -> [FoundFace] {
    try finder.candidates(in: picture.part(window)).filter { $0.score >= least }
      .map { $0.placed(from: window, in: picture.size) }
  }

  /// The score of the surest face that the matte covers; 0 for none.
  static func score(of faces: [FoundFace], _ matte: Plane) -> Double {
    faces.filter { matte.value(x: $0.x + $0.width / 2, y: $0.y + $0.height / 2) >= leastMatte }.map(\.score).max() ?? 0
  }

  /// The windows in which there may be a face, large ones first, and from the top.
  ///
  /// - Parameter matte: `nil` for all windows.
  static func windows(of size: PixelSize, _ matte: Plane?) -> [PictureWindow] {
    let shortest = Double(min(size.width, size.height))
    return sides.flatMap { share -> [PictureWindow] in
      let side = Int(shortest * share)
      guard side >= 32 else { return [] }
      let rows = places(side, in: size.height)
      let columns = places(side, in: size.width)
      return rows.flatMap { y in columns.map { PictureWindow(x: $0, y: y, width: side, height: side) } }
    }.filter { window in matte.map { $0.coverage(of: window, in: size) > leastCoverage } ?? true }
  }

  /// Evenly, from one border to the other.
  private static func places(_ side: Int, in length: Int) -> [Int] {
    guard length > side else { return [0] }
    let count = Int((Double(length - side) / (Double(side) * step)).rounded(.up))
    return (0...count).map { ($0 * (length - side)) / count }
  }
}

extension Plane {
  /// The number at a place, in parts of width and height.
  func value(x: Double, y: Double) -> Float {
    guard x.isFinite, y.isFinite else { return 0 }
    let column = Int(max(0, min(Double(width - 1), x * Double(width))))
    let row = Int(max(0, min(Double(height - 1), y * Double(height))))
    return numbers[row * width + column]
  }

  /// The mean in a window of the picture.
  fileprivate func coverage(of window: PictureWindow, in size: PixelSize) -> Double {
    let columns =
      window.x * width
      / size.width..<max(window.x * width / size.width + 1, (window.x + window.width) * width / size.width)
    let rows =
      window.y * height
      / size.height..<max(window.y * height / size.height + 1, (window.y + window.height) * height / size.height)
    var sum = Float(0)
    for row in rows.clamped(to: 0..<height) {
      for column in columns.clamped(to: 0..<width) { sum += numbers[row * width + column] }
    }
    return Double(sum) / Double(max(1, rows.count * columns.count))
  }
}
