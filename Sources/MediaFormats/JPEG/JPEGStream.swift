// Completion of the Motion JPEG frames that webcams send.

import CameraCore

/// Makes complete JPEGs of Motion JPEG frames, and refuses damaged ones.
///
/// Webcam JPEGs may lack the Huffman tables or EOI, carry an `AVI1` segment, begin with other bytes, or end in padding: such
/// frames are repaired. A frame that lost its end on the cable is refused; the next one comes some 33 ms later. Scan data
/// are never changed.
///
/// Of the two fields that an interlaced frame grabber puts into one frame, the first is taken.
public enum JPEGStream {
  /// The repairs of a frame.
  public struct Repairs: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The standard Huffman tables were inserted.
    public static let huffmanTables = Self(rawValue: 1)
    /// The `AVI1` segment was replaced by a JFIF header.
    public static let aviMarker = Self(rawValue: 2)
    /// Bytes after EOI were cut off.
    public static let padding = Self(rawValue: 4)
    /// EOI was appended. Whether the whole picture is there only a decoder can tell; see `JPEGEndRule`.
    public static let endOfImage = Self(rawValue: 8)
    /// Bytes before SOI were cut off.
    public static let lead = Self(rawValue: 16)
  }

  /// Checks a frame and copies it, completed, into a block of its own.
  ///
  /// Runs on the streaming thread for every frame: one pass of `memchr` and one copy, some 25 µs for 200 KB.
  ///
  /// - Throws: `JPEGStreamError` when the frame is damaged; skip it.
  public static func complete(_ frame: UnsafeRawBufferPointer) throws(JPEGStreamError) -> CompletedJPEG {
    let plan = try JPEGFramePlan(checking: frame)
    let block = FrameBlock(count: plan.completedCount) { plan.write(frame, to: $0) }
    return CompletedJPEG(block: block, size: plan.size, repairs: plan.repairs)
  }

  /// The same for the frames of a camera, with more patience: EOI may be missing, and other bytes may come before SOI.
  /// A frame that has fewer restart markers than its header asks for is cut, whatever its end looks like.
  ///
  /// - Throws: `JPEGStreamError` when the frame is damaged; skip it.
  public static func recover(_ frame: UnsafeRawBufferPointer) throws(JPEGStreamError) -> CompletedJPEG {
    guard let start = start(of: frame) else { throw .notJPEG }
    let picture = UnsafeRawBufferPointer(rebasing: frame[start...])
    let plan = try JPEGFramePlan(checking: picture, isPatient: true)
    let block = FrameBlock(count: plan.completedCount) { plan.write(picture, to: $0) }
    return CompletedJPEG(block: block, size: plan.size, repairs: start > 0 ? plan.repairs.union(.lead) : plan.repairs)
  }

  /// The most bytes before SOI that are skipped. More are no lead but another picture.
  public static let largestLead = 4096

  /// The offset of SOI and the marker behind it.
  private static func start(of frame: UnsafeRawBufferPointer) -> Int? {
    guard frame.count >= 3 else { return nil }
    return (0...min(largestLead, frame.count - 3)).first {
      frame[$0] == 0xff && frame[$0 + 1] == JPEGMarker.startOfImage && frame[$0 + 2] == 0xff
    }
  }

  /// Checks a frame without copying it.
  ///
  /// - Throws: `JPEGStreamError` when the frame is damaged.
  public static func check(_ frame: UnsafeRawBufferPointer) throws(JPEGStreamError) -> JPEGFramePlan {
    try JPEGFramePlan(checking: frame)
  }
}

/// A complete frame, from SOI to EOI, with all its tables.
public struct CompletedJPEG: Sendable {
  public var block: FrameBlock
  public var size: PixelSize
  public var repairs: JPEGStream.Repairs

  public init(block: FrameBlock, size: PixelSize, repairs: JPEGStream.Repairs) {
    self.block = block
    self.size = size
    self.repairs = repairs
  }
}

/// A checked frame, with the repairs that complete it.
public struct JPEGFramePlan: Sendable {
  public let size: PixelSize
  /// The frame's bytes up to and including EOI, where there is one.
  public let usedCount: Int
  public let repairs: JPEGStream.Repairs
  /// The frame's bytes from the first SOS marker to EOI inclusive, where there is one; completion moves them unchanged.
  public let scan: Range<Int>
  /// The offset at which missing Huffman tables are inserted.
  private let tablesOffset: Int
  /// The `AVI1` segment, or an empty range.
  private let aviRange: Range<Int>

  /// The number of bytes of the completed JPEG.
  public var completedCount: Int {
    var count = usedCount
    if repairs.contains(.huffmanTables) { count += JPEGStream.standardHuffmanTables.count }
    if repairs.contains(.aviMarker) { count += Self.jfifSegment.count - aviRange.count }
    if repairs.contains(.endOfImage) { count += Self.endMarker.count }
    return count
  }

  /// JFIF 1.01, square pixels, no thumbnail: the replacement of `AVI1`.
  static let jfifSegment: [UInt8] = [
    0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00,
  ]

  private static let endMarker: [UInt8] = [0xff, JPEGMarker.endOfImage]

  /// So many zeros at the end of a frame without EOI are padding and no data: an MCU ends in other bits.
  private static let leastPadding = 8

  /// - Parameter isPatient: Whether EOI may be missing, and restart markers are counted.
  init(checking frame: UnsafeRawBufferPointer, isPatient: Bool = false) throws(JPEGStreamError) {
    var reader = try JPEGMarkerReader(frame)
    var tables = JPEGTableCheck(bytes: frame)
    var firstTables: Int?
    var scanStart: Int?
    var avi = 0..<0
    var hasHeader = false
    var restartCount = 0
    /// The end of the scan data when EOI is missing.
    var openEnd: Int?
    walk: while true {
      let step = try reader.next()
      switch step.code {
      case JPEGMarker.endOfImage:
        break walk
      case JPEGMarker.startOfScan:
        // Tables may come right before the scan, so only its header shows whether some are missing.
        try tables.scan(step.payload)
        if scanStart == nil { scanStart = step.range.lowerBound }
        if firstTables == nil { firstTables = step.range.lowerBound }
        let start = reader.position
        if !reader.findScanEnd() {
          guard isPatient, tables.isOneScan else { throw .cutShort }
          openEnd = try Self.dataEnd(of: frame, from: start)
        }
        restartCount += reader.restartCount
        if openEnd != nil { break walk }
      case JPEGMarker.restartInterval:
        // Only the patient look needs it; the strict one leaves it to the decoder.
        if isPatient { try tables.restarts(step.payload) }
      case JPEGMarker.huffmanTables:
        if firstTables == nil { firstTables = step.range.lowerBound }
        try tables.huffman(step.payload)
      case JPEGMarker.quantizationTables:
        try tables.quantization(step.payload)
      case JPEGMarker.app0 where !hasHeader && scanStart == nil:
        // Decoders look at the first one only, and what is behind a JFIF header does no harm.
        hasHeader = true
        if frame.has("AVI1", at: step.payload) { avi = step.range }
      case let code where JPEGMarker.isFrameHeader(code):
        try tables.frame(step.payload, code: code)
      case let code where JPEGMarker.standsAlone(code):
        throw .damaged(offset: step.range.lowerBound)
      default:
        break
      }
    }
    guard let size = tables.size, let scanStart else { throw .damaged(offset: reader.position - 2) }
    if isPatient, restartCount < tables.expectedRestartCount { throw .cutShort }
    self.size = size
    usedCount = openEnd ?? reader.position
    scan = scanStart..<usedCount
    aviRange = avi
    // The standard tables go before the camera's own, which then take precedence.
    tablesOffset = firstTables ?? scanStart
    var repairs: JPEGStream.Repairs = []
    if tables.lacksStandardTables { repairs.insert(.huffmanTables) }
    if !avi.isEmpty { repairs.insert(.aviMarker) }
    if usedCount < frame.count { repairs.insert(.padding) }
    if openEnd != nil { repairs.insert(.endOfImage) }
    self.repairs = repairs
  }

  /// The end of scan data that no marker follows, without half an EOI and without padding.
  private static func dataEnd(of frame: UnsafeRawBufferPointer, from start: Int) throws(JPEGStreamError) -> Int {
    var end = frame.count
    if end > start, frame[end - 1] == 0xff { end -= 1 }
    var first = end
    while first > start, frame[first - 1] == 0 { first -= 1 }
    // The zero behind 0xFF is stuffing.
    if end - first >= leastPadding { end = first > start && frame[first - 1] == 0xff ? first + 1 : first }
    guard end > start else { throw .cutShort }
    return end
  }

  /// Writes the completed JPEG.
  ///
  /// - Parameters:
  ///   - frame: The same bytes that were checked.
  ///   - target: Room for `completedCount` bytes.
  public func write(_ frame: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
    precondition(target.count >= completedCount, "The buffer is too small for the completed JPEG.")
    precondition(frame.count >= usedCount, "These aren’t the bytes that were checked.")
    var source = 0
    var written = 0
    func copy(upTo end: Int) {
      guard end > source else { return }
      UnsafeMutableRawBufferPointer(rebasing: target[written...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[source..<end]))
      written += end - source
      source = end
    }
    func insert(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[written...]).copyMemory(from: $0) }
      written += bytes.count
    }
    /// Replaces the `AVI1` segment, which may lie before or behind the tables.
    func replaceMarker() {
      copy(upTo: aviRange.lowerBound)
      insert(Self.jfifSegment)
      source = aviRange.upperBound
    }
    let hasMarker = repairs.contains(.aviMarker)
    if hasMarker, aviRange.lowerBound < tablesOffset { replaceMarker() }
    if repairs.contains(.huffmanTables) {
      copy(upTo: tablesOffset)
      insert(JPEGStream.standardHuffmanTables)
    }
    if hasMarker, aviRange.lowerBound >= tablesOffset { replaceMarker() }
    copy(upTo: usedCount)
    if repairs.contains(.endOfImage) { insert(Self.endMarker) }
  }
}
