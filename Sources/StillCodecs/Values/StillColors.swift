// The meaning of a picture's values.

import Foundation

/// What the values of a picture's pixels mean.
public struct StillColors: Sendable, Hashable {
  /// An ICC profile; `nil` without one.
  public var profile: Data?
  /// Color primaries and transfer function as ITU-T H.273 counts; `nil` for sRGB.
  public var codePoints: CodePoints?

  /// Numbers of ITU-T H.273, tables 2 and 3.
  public struct CodePoints: Sendable, Hashable, Codable {
    public var primaries: UInt32
    public var transfer: UInt32

    public init(primaries: UInt32, transfer: UInt32) { (self.primaries, self.transfer) = (primaries, transfer) }

    static let sRGB = CodePoints(primaries: 1, transfer: 13)
  }

  /// The longest profile that is read, in bytes.
  static let longestProfile = 8 << 20

  public init(profile: Data? = nil, codePoints: CodePoints? = nil) {
    (self.profile, self.codePoints) = (profile, codePoints)
  }

  /// An ICC profile that can be that of a rendering, which is in red, green and blue; `nil` for one of gray or of inks.
  ///
  /// Source: ICC.1:2022, 7.2.8, the data color space.
  public static func profileOfColors(_ profile: Data) -> Data? {
    profile.dropFirst(16).prefix(4).elementsEqual("RGB ".utf8) ? profile : nil
  }
}
