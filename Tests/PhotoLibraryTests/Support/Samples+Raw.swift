// Raw frames for tests.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

extension Samples {
  /// A frame of 8 bits that counts up.
  static func rawFrame() throws -> BayerFrame {
    let size = PixelSize(width: 32, height: 18)
    let block = FrameBlock(count: size.area) { memory in
      for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: index) }
    }
    return try #require(
      BayerFrame(layout: BayerLayout(pattern: .grbg, bits: 8), size: size, stride: size.width, block: block))
  }
}

extension PhotoLibrary {
  /// Adds a photo with its raw frame.
  ///
  /// - Parameter second: After the samples' date.
  func addRawPhoto(second: Double = 0, pairedVideo: URL? = nil) async throws -> Asset {
    var request = try AssetCreationRequest(
      photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(second)),
      pairedVideo: pairedVideo)
    request.rawFrame = try Samples.rawFrame()
    return try await createAsset(request)
  }
}
