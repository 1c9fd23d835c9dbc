// The codec of JPEGs: our code around libjpeg-turbo, for the library's pictures and for the engine's.

import CTurboJPEG
import CameraCore
import Foundation
import PhotoEffects

@testable import MediaEngine
@testable import PhotoLibrary

extension FuzzedParser {
  /// In pixels. Larger ones would only be slower, and have tests of their own.
  private static let largestArea = 1 << 18

  static let ofJPEG = FuzzedParser(name: "codec-jpeg", seeds: Seeds.decodableJPEGs) { bytes in
    let decoder = try JPEGDecoder()
    decoder.largestArea = largestArea
    guard let size = try size(of: bytes, decoder) else { return }
    for needed in [size, PixelSize(width: 5, height: 3)] {
      guard let image = try? ScaledJPEG.decode(bytes, needed: needed, path: "picture") else { continue }
      check(image)
      precondition(image.size.width >= min(size.width, needed.width), "a picture smaller than is needed")
    }
    if let image = try? decoder.decodeInks(bytes) { check(image) }
    bytes.withUnsafeBytes { bytes in
      for wanted in [nil, PixelSize(width: 5, height: 3)] {
        if let image = try? decoder.decode(bytes, atLeast: wanted, quality: .fast) { check(image) }
      }
      guard let (layout, block) = try? decoder.decodeAnyPlanes(bytes, quality: .best) else { return }
      precondition(block.count >= layout.planarByteCount, "planes that are not there")
    }
  }

  private static func size(of jpeg: Data, _ decoder: JPEGDecoder) throws -> PixelSize? {
    try jpeg.withUnsafeBytes { bytes in
      if let size = try decoder.sizeOfInks(bytes) { return size }
      return try decoder.header(of: bytes).size
    }
  }
}

extension Seeds {
  /// Small JPEGs of every chroma subsampling, also progressive, and in printing colors.
  static func decodableJPEGs() throws -> [Data] {
    let samplings = [TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_GRAY, TJSAMP_440, TJSAMP_411]
    return try samplings.flatMap { sampling in
      try [TJPF_BGRX, TJPF_CMYK].filter { $0 == TJPF_BGRX || sampling != TJSAMP_GRAY }.flatMap { pixels in
        try [0, TJFLAG_PROGRESSIVE].map { try jpeg(pixels, sampling, flags: $0) }
      }
    }
  }
}
