// The matte of the person in an edited picture, as the edit has kept it.

import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects

extension PhotoLibrary {
  /// The matte that was kept with the current edit: that of the untouched picture, upright and without corrections.
  ///
  /// - Returns: `nil` where none was kept, as for other programs' edits.
  /// - Throws: `unusableFile` for a damaged one, `cancelled`, or the error of the disk.
  public func keptMatte(for input: ContentEditingInput) async throws(PhotoLibraryError) -> Matte? {
    guard let url = input.matte else { return nil }
    let isCancelled = CancellationFlag()
    return try await Blocking.run(canceling: isCancelled) { () throws(PhotoLibraryError) in
      let path = url.path
      guard self.disk.status(path)?.kind == .file else { return nil }
      let file = try ReadableFile(path, disk: self.disk)
      guard file.size <= Self.longestMatte else {
        throw .unusableFile(path: path, reason: localized("the file is too large (\(file.size.localizedByteCount))"))
      }
      let data = try file.data(at: 0, count: Int(file.size))
      let head = try PictureHead(data, path: path)
      // Another picture's would cover anything.
      guard head.format == .png, Self.haveOneShape(head.size, input.size) else {
        throw .unusableFile(path: path, reason: localized("it doesn’t belong to the picture"))
      }
      let still = try PictureDecoder.decode(
        data, head, isAdobeRGB: false, needed: head.size, path: path, unless: isCancelled)
      return Matte(gray: still.image)
    }
  }

  /// Whether two sizes can be those of one picture: developers of raw pictures differ by a few rows.
  private static func haveOneShape(_ one: PixelSize, _ other: PixelSize) -> Bool {
    let (left, right) = (Double(one.width) * Double(other.height), Double(other.width) * Double(one.height))
    return abs(left - right) <= 0.02 * max(left, right)
  }

  /// In bytes: as much as one byte for each pixel of the largest picture.
  private static let longestMatte: UInt64 = 256 << 20
}

extension Matte {
  /// The matte in a gray picture; with nobody there where it is black.
  init(gray image: DecodedImage) {
    var isEmpty = true
    let block = FrameBlock(count: image.size.area) { target in
      image.block.withUnsafeBytes { source in
        for y in 0..<image.size.height {
          for x in 0..<image.size.width {
            let byte = source[y * image.stride + 4 * x]
            target[y * image.size.width + x] = byte
            if byte > 0 { isEmpty = false }
          }
        }
      }
    }
    self.init(size: image.size, block: block, presence: isEmpty ? 0 : 1)
  }
}
