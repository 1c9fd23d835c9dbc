// The choice among a camera's modes: the smallest that is large enough and fast enough.

/// Chooses a camera's mode.
///
/// The biggest mode is not the best: many webcams offer raw 1080p at 5 frames per second beside Motion JPEG at 30. Among
/// the modes that are at least as large as wanted and do at least 30 frames per second, the smallest is taken, and of two
/// equal ones Motion JPEG, whose frames are kept and saved as they come, and 8 bits before 10. When nothing is both, speed goes before size.
/// Modes that must be decoded or have no colors (`FrameEncoding.rank`) are taken only where there is nothing else.
public enum FormatChoice {
  /// The size that is wanted when no other is asked for.
  public static let defaultSize = PixelSize(width: 1280, height: 720)

  /// The lowest rate at which motion looks smooth.
  public static let wantedFrameRate = FrameRate(30)

  /// The best mode for a request.
  ///
  /// - Parameters:
  ///   - formats: What the camera offers.
  ///   - size: The size that is wanted at least, or exactly.
  ///   - isExact: Whether only that very size will do.
  ///   - encoding: When given, only modes of this encoding are looked at.
  ///   - rate: The rate that is wanted. It gives way to a size that is given: where that hasn't it, the choice is made as
  ///     without it.
  ///   - prefersDepth: Whether of two Bayer modes that are else equal the one with more bits is taken, for raw pictures;
  ///     else the one with fewer, which is less work.
  /// - Returns: The mode and its rate: the one that is wanted, else the lowest that is at least 30 frames per second where
  ///   there is one; `nil` when no mode meets `isExact` and `encoding`.
  public static func best(
    of formats: [CameraFormat], size: PixelSize? = nil, isExact: Bool = false, encoding: FrameEncoding? = nil,
    rate: FrameRate? = nil, prefersDepth: Bool = false
  ) -> (format: CameraFormat, frameRate: FrameRate)? {
    let wanted = size ?? defaultSize
    func isBetter(_ left: CameraFormat, than right: CameraFormat) -> Bool {
      let (a, b) = (
        rank(left, wanted: wanted, prefersDepth: prefersDepth), rank(right, wanted: wanted, prefersDepth: prefersDepth)
      )
      return a.lexicographicallyPrecedes(b)
    }
    let usable = formats.filter { format in
      (encoding == nil || format.encoding == encoding) && (!isExact || size == nil || format.size == wanted)
    }
    guard let best = usable.min(by: isBetter) else { return nil }
    guard let rate else { return (best, frameRate(of: best)) }
    // Each with the wanted rate alone, which then counts, whatever else it has.
    let having = usable.compactMap { format in
      format.frameRates.first { $0.isAlike(rate) && (size == nil || format.size == best.size) }
        .map { (format, CameraFormat(encoding: format.encoding, size: format.size, frameRates: [$0])) }
    }
    return having.min { isBetter($0.1, than: $1.1) }.map { ($0.0, $0.1.maximumFrameRate) }
      ?? (best, frameRate(of: best))
  }

  /// The lowest rate that is at least 30 frames per second, else the fastest.
  public static func frameRate(of format: CameraFormat) -> FrameRate {
    format.frameRates.filter(isFast).min() ?? format.maximumFrameRate
  }

  /// Whether a rate is the wanted one at least; 29.97 and the like count as 30.
  private static func isFast(_ rate: FrameRate) -> Bool {
    rate.framesPerSecond > wantedFrameRate.framesPerSecond - 0.5
  }

  /// Numbers to compare in turn; lower is better.
  private static func rank(_ format: CameraFormat, wanted: PixelSize, prefersDepth: Bool) -> [Double] {
    let rate = frameRate(of: format)
    let isFast = isFast(rate)
    let isLarge = format.size.width >= wanted.width && format.size.height >= wanted.height
    let jpegFirst: Double = format.encoding == .motionJPEG ? 0 : 1
    // Planar and semi-planar layouts take half as much again less memory than packed ones.
    let layout: Double = format.encoding == .raw("NV12") || format.encoding == .raw("I420") ? 0 : 1
    let depth = format.encoding.bayerLayout.map { Double($0.bits) } ?? 0
    // Without a wish for it, 10 bits cost memory and a conversion.
    let deep: Double = format.encoding.isDeep ? 1 : 0
    let area = Double(format.size.area)
    return [
      Double(format.encoding.rank),
      isFast ? 0 : 1,
      isFast ? 0 : -rate.framesPerSecond.rounded(),
      isLarge ? 0 : 1,
      isLarge ? area : -area,
      jpegFirst, deep, layout, prefersDepth ? -depth : depth,
    ]
  }
}
