// Drawn and blurred effects against golden pictures that were approved by eye.

import CameraCore
import Foundation
import PhotoEffects
import Testing

/// The files in `Golden`, one for each effect: of the sample scene at 480×270, first the means over squares of 8×8 pixels,
/// then the 64×48 pixels from (208, 96) on, three bytes each, blue first.
///
/// After a wanted change of a look: run these tests with `PHOTOME_RENEW_GOLDEN=1` in the environment, which writes the files
/// anew and then fails, look at the difference, and commit them.
@Suite("Golden pictures of drawn and blurred effects")
struct DrawnEffectGoldenTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden")

  @Test("The look is as it was", arguments: EffectCase.all)
  func look(_ tested: EffectCase) throws {
    let digest = Self.digest(of: SampleScene.small.with(tested.effect))
    let file = Self.folder.appendingPathComponent("\(tested.name).bgr")
    if ProcessInfo.processInfo.environment["PHOTOME_RENEW_GOLDEN"] != nil {
      try Data(digest).write(to: file)
      Issue.record("\(file.lastPathComponent) was written anew")
      return
    }
    let golden = [UInt8](try Data(contentsOf: file))
    try #require(golden.count == digest.count)
    let differences = zip(golden, digest).map { abs(Int($0) - Int($1)) }
    // Room for other mathematical libraries and processors, no more.
    #expect(differences.max()! <= 24)
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 0.25)
  }

  private static func digest(of picture: PixelBuffer) -> [UInt8] {
    var digest: [UInt8] = []
    for top in stride(from: 0, to: picture.size.height - 7, by: 8) {
      for left in stride(from: 0, to: picture.size.width - 7, by: 8) {
        var sums = [0, 0, 0]
        for y in top..<top + 8 {
          for x in left..<left + 8 {
            let pixel = picture[x, y]
            sums[0] += Int(pixel & 0xff)
            sums[1] += Int(pixel >> 8 & 0xff)
            sums[2] += Int(pixel >> 16 & 0xff)
          }
        }
        digest += sums.map { UInt8(($0 + 32) / 64) }
      }
    }
    for y in 96..<144 {
      for x in 208..<272 { digest += PixelBuffer.parts(picture[x, y]).map { UInt8($0) } }
    }
    return digest
  }
}
