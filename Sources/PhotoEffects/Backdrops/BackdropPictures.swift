// Backdrops that were painted already.

import CameraCore
import Synchronization

/// The pictures of scenes at the sizes that were used last: painting one takes longer than putting it behind a person.
enum BackdropPictures {
  private struct Key: Hashable {
    var scene: BackdropScene
    var size: PixelSize
  }

  /// More than the gallery and the viewfinder show at once.
  private static let mostPictures = 4
  private static let kept = Mutex<[(key: Key, block: FrameBlock)]>([])

  /// A scene at a size: BGRX, rows without gaps.
  static func picture(_ scene: BackdropScene, _ size: PixelSize, threads: Int) -> FrameBlock {
    let key = Key(scene: scene, size: size)
    if let known = kept.withLock({ $0.first { $0.key == key }?.block }) { return known }
    let block = FrameBlock(count: size.area * 4) { bytes in
      guard let pixels = bytes.bindMemory(to: UInt32.self).baseAddress else { return }
      BackdropPainter(scene).paint(pixels, size, threads: threads)
    }
    kept.withLock { kept in
      kept.removeAll { $0.key == key }
      kept.append((key, block))
      if kept.count > mostPictures { kept.removeFirst() }
    }
    return block
  }
}

extension Backdrop {
  /// The backdrop as a picture.
  public func picture(of size: PixelSize) -> DecodedImage {
    let block: FrameBlock
    switch self {
    case .scene(let scene): block = BackdropPictures.picture(scene, size, threads: 1)
    case .color(let red, let green, let blue):
      block = FrameBlock(count: size.area * 4) { bytes in
        bytes.bindMemory(to: UInt32.self).update(
          repeating: Pixel.unused | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
