// The burst that a picture belongs to.

import Foundation

extension XMPPacket {
  /// The marks of a burst in Google's camera namespace, as Pixel phones write them and ExifTool, Google Photos and other
  /// programs read them: the id that all its pictures share, and the mark of the best one.
  static let burstProperties: Set<Name> = [
    Name(namespace: XMPNamespace.camera, local: "BurstID"), burstPrimary,
  ]

  /// `1` on the one picture of a burst that stands for all of it.
  private static let burstPrimary = Name(namespace: XMPNamespace.camera, local: "BurstPrimary")

  /// In bytes. Phones write UUIDs, with 36.
  private static let longestBurstID = 64

  /// The id that all pictures of a burst share, `GCamera:BurstID`; `nil` for a picture without one, and for an id that isn't
  /// 1 to 64 printable ASCII characters.
  public var burstID: String? {
    guard let text = simpleValue(Name(namespace: XMPNamespace.camera, local: "BurstID")),
      (1...Self.longestBurstID).contains(text.utf8.count), text.utf8.allSatisfy({ (33...126).contains($0) })
    else { return nil }
    return text
  }

  /// The id of a burst in a packet.
  ///
  /// - Returns: `nil` without one, and for a packet that can't be parsed.
  public static func burstID(in packet: Data) -> String? {
    // Of many pictures few are of a burst, and a search costs less than parsing.
    guard packet.range(of: Data("BurstID".utf8)) != nil else { return nil }
    return (try? XMPPacket(anyEncoding: [UInt8](packet)))?.burstID
  }

  /// `GCamera:BurstPrimary` as it is written; `nil` without one.
  public var burstPrimary: String? { simpleValue(Self.burstPrimary) }

  /// Whether the packet marks its picture as the one that stands for its burst.
  public var isBurstPrimary: Bool { Self.isBurstPrimary(burstPrimary) }

  /// Whether a value of `GCamera:BurstPrimary` is a yes: `1`, and XMP's Boolean `True`.
  public static func isBurstPrimary(_ value: String?) -> Bool {
    ["1", "true"].contains(value?.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
  }

  /// Whether a packet marks its picture as the one that stands for its burst; `false` for one that can't be parsed.
  public static func isBurstPrimary(in packet: Data) -> Bool {
    guard packet.range(of: Data("BurstPrimary".utf8)) != nil else { return false }
    return (try? XMPPacket(anyEncoding: [UInt8](packet)))?.isBurstPrimary ?? false
  }

  /// Sets or, with `nil`, removes `GCamera:BurstPrimary`. Does nothing when it is the same.
  ///
  /// - Throws: `FormatError.refused` as `setRating`.
  public mutating func setBurstPrimary(_ value: String?) throws(FormatError) {
    guard value != burstPrimary else { return }
    try set(Self.burstPrimary, preferred: "GCamera", to: value)
    guard burstPrimary == value else { throw Self.unsafeForm }
  }
}
