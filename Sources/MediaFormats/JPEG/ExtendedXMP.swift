// XMP packets of a JPEG that are too long for one segment.

import Foundation
import Localization

/// Changes the further segments of XMP packets without a change of their number and their lengths.
///
/// Each has the digest of the whole packet, the packet's length and its own offset in front. The first packet names the
/// digest (`xmpNote:HasExtendedXMP`), and readers ignore segments with another one.
///
/// Source: XMP specification, part 3, 1.1.3.1.
public struct ExtendedXMP: Sendable {
  private static let identifier = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  private static let digestLength = 32
  private static let headLength = identifier.count + digestLength + 8
  /// In bytes. Depth maps, which are written as text, have some megabytes.
  private static let longest = 32 << 20

  /// The payloads of the segments, identifier included, in the order of the file.
  public private(set) var payloads: [[UInt8]]
  /// The digests that have changed: the new ones by the old ones.
  public private(set) var digests: [String: String] = [:]

  public init(_ payloads: [[UInt8]]) { self.payloads = payloads }

  /// Changes the packets. One that can't be put together or parsed stays.
  ///
  /// - Parameters:
  ///   - isRequired: Whether such a one must not stay if it may name a place.
  ///   - change: The packet of as many bytes.
  /// - Throws: What the change throws; `FormatError.refused` when a packet would have another length, or a damaged one
  ///   may name a place that has to go.
  public mutating func change(
    isRequired: Bool, _ change: (XMPPacket) throws(FormatError) -> XMPPacket
  ) throws(FormatError) {
    var groups: [String: [Int]] = [:]
    for (index, payload) in payloads.enumerated() where payload.count > Self.headLength {
      let digest = payload[Self.identifier.count..<Self.identifier.count + Self.digestLength]
      groups[String(decoding: digest, as: UTF8.self), default: []].append(index)
    }
    for (digest, indices) in groups.sorted(by: { $0.key < $1.key }) {
      guard let pieces = pieces(indices) else {
        let rest = indices.flatMap { payloads[$0].dropFirst(Self.headLength) }
        guard !isRequired || !XMPPacket.mayNamePlace(rest) else {
          throw .refused(reason: localized("the metadata (XMP) is damaged and may name the place"))
        }
        continue
      }
      let old = pieces.flatMap { payloads[$0].dropFirst(Self.headLength) }
      guard let packet = try XMPPacket.parsed(old, isRequired: isRequired) else { continue }
      let new = try change(packet).bytes
      if new == packet.bytes { continue }
      guard new.count == old.count, digest.utf8.count == Self.digestLength else { throw XMPPacket.unsafeForm }
      let newDigest = MD5.hexadecimal(new)
      digests[digest] = newDigest
      var at = 0
      for index in pieces {
        let count = payloads[index].count - Self.headLength
        payloads[index].replaceSubrange(
          Self.identifier.count..<Self.identifier.count + Self.digestLength, with: newDigest.utf8)
        payloads[index].replaceSubrange(Self.headLength..., with: new[at..<at + count])
        at += count
      }
    }
  }

  /// The segments of one packet in the order of their offsets; `nil` when some are missing, or there is too much.
  private func pieces(_ indices: [Int]) -> [Int]? {
    func number(_ index: Int, _ offset: Int) -> Int {
      let start = Self.identifier.count + Self.digestLength + offset
      return payloads[index][start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let sorted = indices.sorted { number($0, 4) < number($1, 4) }
    var at = 0
    for index in sorted {
      guard number(index, 4) == at else { return nil }
      at += payloads[index].count - Self.headLength
    }
    guard let first = sorted.first, at == number(first, 0), at <= Self.longest else { return nil }
    return sorted
  }
}

extension XMPPacket {
  /// Names other digests of the packet that continues this one.
  ///
  /// - Parameter digests: The new ones by the old ones.
  /// - Throws: `FormatError.refused` when they can't be changed safely.
  public mutating func setExtension(_ digests: [String: String]) throws(FormatError) {
    guard let old = simpleValue(Self.extended), let new = digests[old] else { return }
    try set(Self.extended, preferred: "xmpNote", to: new)
  }
}
