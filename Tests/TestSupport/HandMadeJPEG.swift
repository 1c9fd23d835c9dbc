// JPEGs of any size without an encoder, for tests of refused pictures.

import Foundation

/// A formally valid JPEG in which every block is the same half byte.
public struct HandMadeJPEG: Sendable, CustomStringConvertible {
  /// In pixels, of either side.
  public var side: Int
  /// 1, or 3 for colors.
  public var components: Int
  /// 0xc0 is baseline, 0xc2 progressive.
  public var frameMarker: UInt8
  /// Whether all colors come in one scan.
  public var isInterleaved: Bool
  /// Of each scan; `nil` for as many as the size asks for.
  public var scanBytes: Int?

  /// - Parameter side: A multiple of 16.
  public init(
    side: Int, components: Int = 1, frameMarker: UInt8 = 0xc0, isInterleaved: Bool = true, scanBytes: Int? = nil
  ) {
    self.side = side
    self.components = components
    self.frameMarker = frameMarker
    self.isInterleaved = isInterleaved
    self.scanBytes = scanBytes
  }

  public var description: String {
    "\(side)², \(components) colors, 0x\(String(frameMarker, radix: 16)), \(isInterleaved ? "one scan" : "a scan each")"
  }

  /// The file.
  public var data: Data {
    func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0xff, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 0xff)] + payload
    }
    let (high, low) = (UInt8(side >> 8), UInt8(side & 0xff))
    let numbers = (1...components).map(UInt8.init)
    let isProgressive = frameMarker == 0xc2
    var data = Data([0xff, 0xd8])
    data += segment(0xdb, [0] + [UInt8](repeating: 16, count: 64))
    data += segment(
      frameMarker, [8, high, low, high, low, UInt8(components)] + numbers.flatMap { [$0, 0x11, 0] })
    // One code each, of two bits: 00 is “no difference” for the mean, and “no more” for the rest.
    let codes: [UInt8] = [0, 1] + [UInt8](repeating: 0, count: 14) + [0]
    data += segment(0xc4, [0x00] + codes) + segment(0xc4, [0x10] + codes)
    let blocks = (side + 7) / 8 * ((side + 7) / 8)
    for scan in isInterleaved ? [numbers] : numbers.map({ [$0] }) {
      // The first scan of a progressive picture has the means alone.
      data += segment(
        0xda, [UInt8(scan.count)] + scan.flatMap { [$0, 0] } + [0, isProgressive ? 0 : 63, 0])
      data += Data(count: scanBytes ?? (blocks * scan.count * (isProgressive ? 2 : 4) + 7) / 8)
    }
    return data + [0xff, 0xd9]
  }
}
