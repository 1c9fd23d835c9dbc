// People, told from the background by networks and by distances.

import CameraCore

/// The mattes of another provider, made better by a depth camera's distances while there are any: what is farther away than
/// the person goes, and what the person holds or wears comes. For what a camera sees now: stills and movies don't have
/// distances.
public struct DepthMatteProvider: MatteProvider {
  private let board: DepthBoard
  private let others: any MatteProvider

  /// - Parameters:
  ///   - board: Has the frames of the depth camera beside the camera that runs.
  ///   - others: Tells people from the background where nothing is measured.
  public init(_ board: DepthBoard, others: any MatteProvider) { (self.board, self.others) = (board, others) }

  public var kinds: Set<MatteKind> { others.kinds }
  public func reasonForAbsence() -> (any Error)? { others.reasonForAbsence() }

  /// - Throws: The reason of the other provider.
  public func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker {
    let tracker = try others.makeTracker(kind, quality: quality)
    return kind == .person && quality == .live ? DepthTracker(board, tracker) : tracker
  }
}

/// Follows people by another tracker, and by distances. Its times are those of `MonotonicTime`, in seconds.
final class DepthTracker: MatteTracker {
  private let board: DepthBoard
  private let tracker: any MatteTracker
  private var registration = DepthRegistration()
  private var smoothing = MatteSmoothing()

  /// The longer side of the picture in which distances are compared, in pixels.
  static let side = 160

  init(_ board: DepthBoard, _ tracker: any MatteTracker) {
    (self.board, self.tracker) = (board, tracker)
    board.follow()
  }

  deinit { board.unfollow() }

  func expectPerson() { tracker.expectPerson() }

  /// - Throws: The error of the other tracker.
  func matte(of picture: LentPixels, time: Double) throws -> Matte {
    let found = try tracker.matte(of: picture, time: time)
    guard found.presence > 0, let nanoseconds = Int64(exactly: (time * 1e9).rounded()),
      let frame = board.frame(near: MonotonicTime(nanoseconds: nanoseconds))
    else {
      smoothing = MatteSmoothing()
      return found
    }
    let size = Self.smallSize(of: picture.size)
    let matte = Plane(found, size: size)
    registration.update(matte, frame)
    guard let better = DepthSegmentation(matte, registration.distances(in: frame, size))?.matte else { return found }
    var numbers = [Float](repeating: 0, count: 3 * size.area)
    numbers.withUnsafeMutableBufferPointer { target in
      PictureSampling.write(
        picture, to: target, of: size, at: PictureSampling.Placement(x: 0, y: 0, size: size), scale: 1 / 255, offset: 0)
    }
    let colors = (0..<3).map { channel in
      Plane(
        width: size.width, height: size.height, numbers: (0..<size.area).map { numbers[3 * $0 + channel] })
    }
    let block = MatteRefinement(smoothing.smooth(better), colors: colors, guide: .gray).matte(of: picture)
    return Matte(size: picture.size, block: block, presence: found.presence)
  }

  static func smallSize(of picture: PixelSize) -> PixelSize {
    let scale = min(1, Double(side) / Double(max(picture.width, picture.height)))
    func length(_ whole: Int) -> Int { max(1, Int((Double(whole) * scale).rounded())) }
    return PixelSize(width: length(picture.width), height: length(picture.height))
  }
}

extension Plane {
  /// A matte at a smaller size, 0…1: the means of what each pixel covers.
  init(_ matte: Matte, size: PixelSize) {
    var numbers = [Float](repeating: 0, count: size.area)
    matte.block.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        let rows = (y * matte.size.height / size.height)..<max(1, (y + 1) * matte.size.height / size.height)
        for x in 0..<size.width {
          let columns = (x * matte.size.width / size.width)..<max(1, (x + 1) * matte.size.width / size.width)
          var sum = 0
          for row in rows { for column in columns { sum += Int(bytes[row * matte.size.width + column]) } }
          numbers[y * size.width + x] = Float(sum) / Float(255 * rows.count * columns.count)
        }
      }
    }
    self.init(width: size.width, height: size.height, numbers: numbers)
  }
}
