// The source of a picture: taken as it is, or put together from several.

import Foundation

extension XMPPacket {
  /// The term of IPTC's NewsCodes for pictures that were put together from captures of real life.
  ///
  /// Source: cv.iptc.org/newscodes/digitalsourcetype.
  public static let compositeCapture = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeCapture"

  private static let digitalSourceType = Name(
    namespace: "http://iptc.org/std/Iptc4xmpExt/2008-02-29/", local: "DigitalSourceType")

  /// Whether `Iptc4xmpExt:DigitalSourceType` says that the picture was put together from captures.
  public var isCompositeCapture: Bool {
    let value = simpleValue(Self.digitalSourceType)?.trimmingCharacters(in: .whitespacesAndNewlines)
    return value == Self.compositeCapture
  }

  /// The same of a packet; `false` for one that can't be parsed.
  public static func isCompositeCapture(in packet: Data) -> Bool {
    guard packet.range(of: Data("DigitalSourceType".utf8)) != nil else { return false }
    return (try? XMPPacket(anyEncoding: [UInt8](packet)))?.isCompositeCapture ?? false
  }
}
