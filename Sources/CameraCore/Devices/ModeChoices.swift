// The resolutions and frame rates that a person can choose from for a camera.

/// What a camera's modes leave to choose, without their encodings.
///
/// Sizes at which the camera is slower than a slide show are left out, unless it has nothing else: nobody can aim with
/// them.
public struct ModeChoices: Hashable, Sendable {
  /// The lowest rate at which a person can aim, in frames per second.
  public static let lowestRate = 4.0

  /// Largest first; of equal areas the wider first.
  public let sizes: [PixelSize]
  private let formats: [CameraFormat]

  /// - Parameters:
  ///   - formats: A camera's.
  ///   - isHDR: Whether modes of 10 bits are wanted. Where there are some, they alone are offered.
  public init(_ formats: [CameraFormat], isHDR: Bool = false) {
    let deep = isHDR ? formats.filter(\.encoding.isDeep) : []
    let formats = deep.isEmpty ? formats : deep
    // Infrared, and what has to be decoded, stands aside where the camera has better: see `FormatChoice`.
    let best = formats.map(\.encoding.rank).min()
    let usable = formats.filter { $0.encoding.rank == best }
    let fast = usable.filter { $0.maximumFrameRate.framesPerSecond >= Self.lowestRate }
    self.formats = fast.isEmpty ? usable : fast
    sizes = Set(self.formats.map(\.size)).sorted { ($0.area, $0.width) > ($1.area, $1.width) }
  }

  /// Whether pictures of a size have 10 bits a sample: those that are wanted so, and those that the camera has in no other
  /// form.
  public func isDeep(_ size: PixelSize) -> Bool {
    formats.filter { $0.size == size }.allSatisfy(\.encoding.isDeep)
  }

  /// The size for *High Resolution*; `nil` where the camera has only one.
  public var largest: PixelSize? { sizes.count > 1 ? sizes.first : nil }

  /// The rates of a size, fastest first, each number of frames per second once.
  ///
  /// - Parameter size: `nil` for any size.
  public func rates(of size: PixelSize?) -> [FrameRate] {
    let all = formats.filter { size == nil || $0.size == size }.flatMap(\.frameRates)
      .filter { $0.framesPerSecond >= Self.lowestRate }.sorted(by: >)
    var seen: Set<Int> = []
    return all.filter { seen.insert(Int($0.framesPerSecond.rounded())).inserted }
  }
}
