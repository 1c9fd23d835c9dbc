// Painted backdrops.

import CameraCore
import Synchronization

/// The pictures of scenes at the sizes that were used last: painting one takes longer than putting it behind a person.
enum BackdropPictures {
  private struct Key: Hashable {
    var backdrop: Backdrop
    var size: PixelSize
  }

  /// In bytes; those of large stills are painted each time.
  private static let mostBytes = 48 << 20
  /// Those that were used last are at the end.
  private static let kept = Mutex<[(key: Key, block: FrameBlock)]>([])
  /// Held while one is painted: the workers of a movie all want the same one.
  private static let painting = Mutex(())

  /// A scene at a size: BGRX, rows without gaps.
  static func picture(_ scene: BackdropScene, _ size: PixelSize, threads: Int) -> FrameBlock {
    kept(Key(backdrop: .scene(scene), size: size)) { painted(scene, size, threads: threads) }
  }

  /// An own picture at its place, or the one of a movie that is shown at a time, in seconds: BGRX, rows without gaps.
  static func picture(
    _ backdrop: OwnBackdrop, of source: any BackdropSource, at time: Double, _ size: PixelSize, threads: Int
  ) -> FrameBlock {
    let (key, index) = (
      Key(backdrop: .own(backdrop), size: size), source.index(at: time + Double(backdrop.start) / 100)
    )
    let known =
      source.count > 1 ? moment.withLock { $0?.key == key && $0?.index == index ? $0?.block : nil } : known(key)
    if let known { return known }
    // Not while others wait: a large picture may have to wait for its turn to be decoded.
    let placement = BackdropPlacement(backdrop: backdrop)
    guard let block = placement.picture(of: source, at: index, size, threads: threads) else {
      return placement.blank(size)
    }
    if source.count > 1 { moment.withLock { $0 = (key, index, block) } } else { keep(block, for: key) }
    return block
  }

  /// The picture of a movie that was shown last: the same moment may be shown several times.
  private static let moment = Mutex<(key: Key, index: Int, block: FrameBlock)?>(nil)

  private static func kept(_ key: Key, make: () -> FrameBlock) -> FrameBlock {
    if let known = known(key) { return known }
    return painting.withLock { _ in
      if let known = known(key) { return known }
      let block = make()
      keep(block, for: key)
      return block
    }
  }

  private static func keep(_ block: FrameBlock, for key: Key) {
    guard block.count <= mostBytes else { return }
    kept.withLock { kept in
      kept.append((key, block))
      while kept.reduce(0, { $0 + $1.block.count }) > mostBytes { kept.removeFirst() }
    }
  }

  private static func known(_ key: Key) -> FrameBlock? {
    kept.withLock { kept in
      guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
      let found = kept.remove(at: index)
      kept.append(found)
      return found.block
    }
  }

  static func painted(_ scene: BackdropScene, _ size: PixelSize, threads: Int) -> FrameBlock {
    FrameBlock(count: size.area * 4) { bytes in
      guard let pixels = bytes.bindMemory(to: UInt32.self).baseAddress else { return }
      BackdropPainter(scene).paint(pixels, size, threads: threads)
    }
  }
}

extension Backdrop {
  /// The backdrop as a picture; painted anew with each call. Of a movie it is the first one.
  ///
  /// - Parameter backdrops: Has the own ones.
  /// - Throws: `RecipeError.missingBackdrop`, or the error of the provider.
  public func picture(of size: PixelSize, from backdrops: (any BackdropProvider)? = nil) throws -> DecodedImage {
    let block: FrameBlock
    switch self {
    case .own(let own):
      let placement = BackdropPlacement(backdrop: own)
      block =
        placement.picture(of: try own.source(from: backdrops), at: 0, size, threads: 1) ?? placement.blank(size)
    case .scene(let scene): block = BackdropPictures.painted(scene, size, threads: 1)
    case .color(let red, let green, let blue):
      block = FrameBlock(count: size.area * 4) { bytes in
        bytes.bindMemory(to: UInt32.self).update(
          repeating: Pixel.unused | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
