// The clusters of a Matroska file: the frames and their times.

/// What is known of the clusters that were passed.
struct MatroskaClusters {
  /// From the content of the first to the end of the last.
  private(set) var range: Range<UInt64>?
  /// Whether a frame of a cluster without a size is cut off.
  private(set) var isCutShort = false
  /// The last cluster with a size, whose frames were not looked at.
  private var last: Range<UInt64>?
  /// The latest timestamp of the frames that were.
  private var latest: UInt64?

  /// Frames of a cluster that are looked at for the duration of a movie that doesn't tell it.
  private static let mostFrames = 100_000

  private enum ID {
    static let timestamp: UInt32 = 0xe7
    static let simpleBlock: UInt32 = 0xa3
    static let group: UInt32 = 0xa0
    static let block: UInt32 = 0xa1
    static let duration: UInt32 = 0x9b
  }

  mutating func add(_ cluster: EBMLElement, end: UInt64) {
    let start = range?.lowerBound ?? cluster.content.lowerBound
    range = start..<max(start, end)
    last = cluster.isOpenEnded ? nil : cluster.content
  }

  /// Walks the frames of a cluster without a size, to what follows it.
  ///
  /// - Parameter walker: Of the segment; goes on behind the cluster.
  /// - Returns: Its end.
  mutating func readOpenEnded(
    _ cluster: EBMLElement, _ walker: inout EBMLWalker
  ) throws(FormatError) -> UInt64 {
    var frames = EBMLWalker(walker.bytes, in: cluster.content, limit: walker.elementsLeft)
    let next = try read(&frames) { MatroskaHead.ID.ofSegment.contains($0.id) }
    walker.bytes = frames.bytes
    var end = next?.range.lowerBound ?? cluster.content.upperBound
    switch frames.damage {
    case .cutShort(let element) where MatroskaHead.ID.ofSegment.contains(element.id): end = element.range.lowerBound
    case .cutShort: isCutShort = true
    case .impossible(let offset), .tooMany(let offset): end = offset
    case nil: break
    }
    walker.move(to: end)
    walker.spend(walker.elementsLeft - frames.elementsLeft)
    return end
  }

  /// The end of the last frame, in timestamps of the segment; `nil` when there is none.
  func lastTimestamp(_ bytes: ByteWindow) throws(FormatError) -> UInt64? {
    guard let last else { return latest }
    var copy = self
    copy.latest = nil
    var frames = EBMLWalker(bytes, in: last, limit: Self.mostFrames)
    _ = try copy.read(&frames) { _ in false }
    return [copy.latest, latest].compactMap(\.self).max()
  }

  /// - Returns: The element that ends the cluster; `nil` at the end of the range.
  private mutating func read(
    _ walker: inout EBMLWalker, until isEnd: (EBMLElement) -> Bool
  ) throws(FormatError) -> EBMLElement? {
    var start: UInt64 = 0
    while let element = try walker.next() {
      if isEnd(element) { return element }
      switch element.id {
      case ID.timestamp: start = try walker.number(element) ?? 0
      case ID.simpleBlock: try note(element, from: start, lasting: 0, &walker.bytes)
      case ID.group:
        var (block, duration): (EBMLElement?, UInt64) = (nil, 0)
        var parts = EBMLWalker(walker.bytes, in: element.content, limit: 64)
        while let part = try parts.next() {
          if part.id == ID.block { block = part }
          if part.id == ID.duration { duration = try parts.number(part) ?? 0 }
        }
        if let block { try note(block, from: start, lasting: duration, &walker.bytes) }
      default: break
      }
    }
    return nil
  }

  /// A block begins with the number of its track and its time from the cluster's (RFC 9559, 10.1).
  private mutating func note(
    _ block: EBMLElement, from start: UInt64, lasting duration: UInt64, _ bytes: inout ByteWindow
  ) throws(FormatError) {
    guard let track = try EBMLWalker.variableNumber(at: block.content.lowerBound, &bytes),
      block.content.count >= track.length + 2,
      let offset = try bytes.number(at: block.content.lowerBound + track.length, bytes: 2)
    else { return }
    // No movie that someone took lasts as long.
    guard start < 1 << 60, duration < 1 << 60 else { return }
    let time = Int64(start) + Int64(Int16(truncatingIfNeeded: offset)) + Int64(duration)
    latest = max(latest ?? 0, UInt64(max(0, time)))
  }
}
