// Stills as long as the editor shows them can be saved, and no longer ones.

import CameraCore
import EngineInterface
import Foundation
import Testing

@testable import MediaEngine

@Suite struct StillCodecTests {
  private let url = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString).jpg")

  /// A small JPEG, and nothing behind it up to a length; a sparse file.
  private func still(of length: UInt64) throws -> StillSource {
    let size = PixelSize(width: 32, height: 24)
    let image = DecodedImage(
      size: size, stride: size.width * 4,
      block: FrameBlock(count: size.area * 4) { $0.initializeMemory(as: UInt8.self, repeating: 90) })
    let jpeg: Data = try JPEGEncoder().encode(image, quality: 90)
    try jpeg.write(to: url)
    let file = try FileHandle(forWritingTo: url)
    try file.truncate(atOffset: length)
    try file.close()
    return StillSource(url: url, byteRange: 0..<length)
  }

  @Test func theLimitIsTheEditors() throws {
    defer { try? FileManager.default.removeItem(at: url) }
    // More than saving once took.
    let image = try StillCodec.decode(try still(of: 129 << 20))
    #expect(image.image.size == PixelSize(width: 32, height: 24))
    let long = try still(of: StillSource.largestByteCount + 1)
    #expect(
      throws: EditError.unreadablePicture(file: url.lastPathComponent, reason: "the file is too large (268.4 MB)")
    ) {
      try StillCodec.decode(long)
    }
  }
}
