// The facts of a Matroska or WebM movie.

import CameraCore
import Foundation

/// The facts of a Matroska file (RFC 9559), finished or recorded live, that an index needs.
///
/// Read in small windows. The elements of the segment are walked one after another, also behind the clusters, so no index
/// of them (`SeekHead`, `Cues`) has to be believed or even be there. Untrusted input: every size is checked, and the
/// number of elements is limited.
public struct MatroskaHead: Sendable, Hashable {
  /// Whether it says that it is WebM.
  public var isWebM = false
  /// In seconds; `nil` when neither a text nor a frame tells.
  public var duration: Double?
  /// Of the first video track, upright; `nil` without one.
  public var size: PixelSize?
  /// The clockwise quarter turns after which the decoded picture is upright, 0…3.
  public var quarterTurns = 0
  /// In seconds since 1970; `nil` when unset.
  public var created: Int64?
  /// The position at which it was recorded, in the form of ISO 6709; `nil` when it doesn't tell.
  public var position: String?
  /// The camera's; `nil` when it doesn't tell.
  public var make: String?
  public var model: String?
  /// From the first frames to the end of the last, for a digest; `nil` without frames.
  public var mediaRange: Range<UInt64>?
  public var hasSound = false
  public var hasPicture = false
  /// Whether it is complete. Of a live recording that is all that can be seen: its last frame is whole.
  public var walk = PictureWalk.complete
  /// Elements of the segment that may tell the place or hold someone's texts: tags, attachments, the title.
  var privateElements: [EBMLElement] = []
  /// The checksum of the segment's information, which holds for its title as well.
  var checksum: EBMLElement?

  /// In nanoseconds.
  private var timestampScale: UInt64 = 1_000_000
  /// In timestamps.
  private var length: Double?
  /// The duration of a frame of the first video track, in nanoseconds.
  private var frameDuration: UInt64 = 0

  enum ID {
    static let header: UInt32 = 0x1a45_dfa3
    static let documentType: UInt32 = 0x4282
    static let segment: UInt32 = 0x1853_8067
    static let information: UInt32 = 0x1549_a966
    static let tracks: UInt32 = 0x1654_ae6b
    static let cluster: UInt32 = 0x1f43_b675
    static let tags: UInt32 = 0x1254_c367
    static let attachments: UInt32 = 0x1941_a469
    static let title: UInt32 = 0x7ba9
    static let checksum: UInt32 = 0xbf
    static let void: UInt32 = 0xec
    /// What a segment consists of; one of them ends a cluster without a size.
    static let ofSegment: Set<UInt32> = [
      0x114d_9b74, information, tracks, cluster, 0x1c53_bb6b, attachments, 0x1043_a770, tags,
    ]
  }

  /// Elements that are read: a day of live frames, and a second of reading.
  private static let mostElements = 2_000_000
  /// Tracks, and tags, that are read.
  private static let mostTracks = 64
  private static let mostTags = 4096
  /// In bytes: more than any program writes.
  private static let longestHeader = 4096
  private static let secondsFrom1970To2001: Int64 = 978_307_200

  /// Whether a file begins as Matroska or WebM.
  ///
  /// - Throws: `FormatError.read`.
  public static func begins(in source: any ByteSource) throws(FormatError) -> Bool {
    try header(of: source) != nil
  }

  /// Whether a file begins as WebM; `nil` when it isn't Matroska either.
  ///
  /// - Throws: `FormatError.read`.
  public static func isWebM(_ source: any ByteSource) throws(FormatError) -> Bool? {
    try header(of: source).map { $0.type == "webm" }
  }

  private static func header(of source: any ByteSource) throws(FormatError) -> (type: String, end: UInt64)? {
    var window = ByteWindow(source)
    guard try window.number(at: 0, bytes: 4) == UInt64(ID.header) else { return nil }
    var top = EBMLWalker(window, in: 0..<source.count, limit: 1)
    guard let head = try top.next(), !head.isOpenEnded, head.content.count <= longestHeader else { return nil }
    var walker = EBMLWalker(top.bytes, in: head.content, limit: 64)
    while let element = try walker.next() {
      guard element.id == ID.documentType, let type = try walker.text(element) else { continue }
      return ["matroska", "webm"].contains(type) ? (type, head.range.upperBound) : nil
    }
    return nil
  }

  /// - Returns: `nil` when the file isn't Matroska, or holds no segment.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let header = try Self.header(of: source) else { return nil }
    isWebM = header.type == "webm"
    var top = EBMLWalker(ByteWindow(source), in: header.end..<source.count, limit: 64)
    var segment: EBMLElement?
    while segment == nil, let element = try top.next() {
      if element.id == ID.segment { segment = element }
    }
    if segment == nil, case .cutShort(let element) = top.damage, element.id == ID.segment {
      (segment, walk) = (element, .cutShort)
    }
    guard let segment else { return nil }
    var clusters = MatroskaClusters()
    var walker = EBMLWalker(top.bytes, in: segment.content, limit: Self.mostElements)
    while let element = try walker.next() {
      if element.id == ID.cluster {
        let end = element.isOpenEnded ? try clusters.readOpenEnded(element, &walker) : element.content.upperBound
        clusters.add(element, end: end)
      } else if element.isOpenEnded {
        // Only segments and clusters may be (RFC 9559, 5.1).
        walk = .damaged(at: element.range.lowerBound)
        break
      } else {
        try note(element, walker.bytes)
      }
    }
    switch walker.damage {
    case nil: break
    case .cutShort(let element):
      if element.id == ID.cluster { clusters.add(element, end: element.content.upperBound) }
      walk = .cutShort
    case .impossible(let offset), .tooMany(let offset):
      if walk == .complete { walk = .damaged(at: offset) }
    }
    mediaRange = clusters.range
    if clusters.isCutShort { walk = .cutShort }
    if mediaRange == nil || !(hasPicture || hasSound) { walk = walk == .complete ? .cutShort : walk }
    if let length, length > 0 {
      setDuration(length * Double(timestampScale) / 1e9)
    } else if let last = try clusters.lastTimestamp(walker.bytes) {
      setDuration((Double(last) * Double(timestampScale) + Double(frameDuration)) / 1e9)
    }
  }

  private mutating func setDuration(_ seconds: Double) {
    if seconds > 0, seconds <= MP4Head.longestDuration { duration = seconds }
  }

  private mutating func note(_ element: EBMLElement, _ bytes: ByteWindow) throws(FormatError) {
    switch element.id {
    case ID.information: try readInformation(element, bytes)
    case ID.tracks: try readTracks(element, bytes)
    case ID.tags:
      privateElements.append(element)
      try readTags(element, bytes)
    case ID.attachments: privateElements.append(element)
    default: break
    }
  }

  private mutating func readInformation(_ element: EBMLElement, _ bytes: ByteWindow) throws(FormatError) {
    var walker = EBMLWalker(bytes, in: element.content, limit: Self.mostTags)
    while let one = try walker.next() {
      switch one.id {
      case 0x2ad7b1: if let scale = try walker.number(one), scale > 0 { timestampScale = scale }
      case 0x4489: length = try walker.float(one)
      case 0x4461:
        guard one.content.count == 8, let bits = try walker.number(one) else { continue }
        // Nanoseconds since 2001, also before.
        created = Int64(bitPattern: bits) / 1_000_000_000 + Self.secondsFrom1970To2001
      case ID.title: privateElements.append(one)
      case ID.checksum where one.content.count == 4: checksum = one
      default: break
      }
    }
  }

  // MARK: Tracks

  private mutating func readTracks(_ element: EBMLElement, _ bytes: ByteWindow) throws(FormatError) {
    var walker = EBMLWalker(bytes, in: element.content, limit: Self.mostTracks)
    while let entry = try walker.next() {
      guard entry.id == 0xae else { continue }
      var (type, duration, video): (UInt64?, UInt64, EBMLElement?) = (nil, 0, nil)
      var track = EBMLWalker(walker.bytes, in: entry.content, limit: Self.mostTags)
      while let one = try track.next() {
        switch one.id {
        case 0x83: type = try track.number(one)
        case 0x23e383: duration = try track.number(one) ?? 0
        case 0xe0: video = one
        default: break
        }
      }
      if type == 2 { hasSound = true }
      guard type == 1, let video else { continue }
      hasPicture = true
      if size == nil {
        frameDuration = min(duration, 10_000_000_000)
        try readVideo(video, track.bytes)
      }
    }
  }

  private mutating func readVideo(_ element: EBMLElement, _ bytes: ByteWindow) throws(FormatError) {
    var (width, height, roll) = (UInt64(0), UInt64(0), 0.0)
    var walker = EBMLWalker(bytes, in: element.content, limit: Self.mostTags)
    while let one = try walker.next() {
      switch one.id {
      case 0xb0: width = try walker.number(one) ?? 0
      case 0xba: height = try walker.number(one) ?? 0
      case 0x7670:
        var projection = EBMLWalker(walker.bytes, in: one.content, limit: Self.mostTags)
        while let part = try projection.next() {
          if part.id == 0x7675 { roll = try projection.float(part) ?? 0 }
        }
      default: break
      }
    }
    guard (1...65_535).contains(width), (1...65_535).contains(height) else { return }
    // `ProjectionPoseRoll` turns counterclockwise, in degrees.
    let turns = (-roll / 90).rounded()
    if abs(roll) <= 360, abs(turns * 90 + roll) < 1 { quarterTurns = ((Int(turns) % 4) + 4) % 4 }
    let stored = PixelSize(width: Int(width), height: Int(height))
    size = quarterTurns % 2 == 0 ? stored : PixelSize(width: stored.height, height: stored.width)
  }

  // MARK: Tags

  private mutating func readTags(_ element: EBMLElement, _ bytes: ByteWindow) throws(FormatError) {
    var walker = EBMLWalker(bytes, in: element.content, limit: Self.mostTags)
    var left = Self.mostTags
    while let tag = try walker.next() {
      guard tag.id == 0x7373 else { continue }
      var entries = EBMLWalker(walker.bytes, in: tag.content, limit: left)
      while let entry = try entries.next() {
        if entry.id == 0x67c8 { try readTag(entry, entries.bytes) }
      }
      left = entries.elementsLeft
    }
  }

  /// The names under which converters keep what phones wrote into an MP4.
  private mutating func readTag(_ element: EBMLElement, _ bytes: ByteWindow) throws(FormatError) {
    var (name, value): (String?, String?) = (nil, nil)
    var walker = EBMLWalker(bytes, in: element.content, limit: 64)
    while let one = try walker.next() {
      switch one.id {
      case 0x45a3: name = try walker.text(one)?.uppercased()
      case 0x4487: value = try walker.text(one)
      default: break
      }
    }
    guard let name, let value, !value.isEmpty else { return }
    switch name {
    case "COM.APPLE.QUICKTIME.LOCATION.ISO6709": position = value
    case "LOCATION", "LOCATION-ENG": position = position ?? value
    case "MAKE", "COM.APPLE.QUICKTIME.MAKE", "COM.ANDROID.MANUFACTURER": make = make ?? value
    case "MODEL", "COM.APPLE.QUICKTIME.MODEL", "COM.ANDROID.MODEL": model = model ?? value
    default: break
    }
  }
}
