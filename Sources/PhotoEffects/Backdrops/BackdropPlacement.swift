// An own picture at its place behind a person.

import CameraCore

/// Scales a backdrop to the size of a picture. What a backdrop that is smaller than the picture leaves free shows a copy that
/// covers it, blurred and darkened, so that nothing draws the eye to the edges.
struct BackdropPlacement {
  let backdrop: OwnBackdrop

  /// In pixels of the blurred copy: so few that nothing in it is recognized.
  private static let blurredSide = 12
  /// The share of its light that the copy around keeps.
  private static let surroundingLight: Float = 0.6
  /// Where there is no picture.
  private static let blank = Pixel.unused | 0x77_767b

  /// The backdrop behind a picture: BGRX, rows without gaps.
  ///
  /// - Returns: `nil` when it can't be decoded now.
  func picture(of source: any BackdropSource, at index: Int, _ size: PixelSize, threads: Int) -> FrameBlock? {
    let scale = backdrop.place(of: source.size, in: size).scale
    let needed = PixelSize(
      width: min(source.size.width, max(1, Int((Double(source.size.width) * scale).rounded(.up)))),
      height: min(source.size.height, max(1, Int((Double(source.size.height) * scale).rounded(.up)))))
    guard let picture = source.picture(index, needed: needed)?.reduced(toNeeded: needed) else { return nil }
    return FrameBlock(count: size.area * 4) { bytes in
      let target = PixelView(writing: bytes, size: size, stride: size.width * 4)
      let scratch = EffectScratch(threadCount: threads)
      if backdrop.fit == .fit { surround(picture, target, scratch) }
      draw(picture, at: backdrop, into: target, scratch)
    }
  }

  /// In place of one that can't be decoded.
  func blank(_ size: PixelSize) -> FrameBlock {
    FrameBlock(count: size.area * 4) { $0.bindMemory(to: UInt32.self).update(repeating: Self.blank) }
  }

  /// Fills the target with a blurred copy.
  private func surround(_ picture: DecodedImage, _ target: PixelView, _ scratch: EffectScratch) {
    let longest = max(picture.size.width, picture.size.height)
    func side(_ length: Int) -> Int { min(length, max(1, length * Self.blurredSide / longest)) }
    let small = picture.averaged(to: PixelSize(width: side(picture.size.width), height: side(picture.size.height)))
    guard let fill = OwnBackdrop(id: backdrop.id) else { return }
    draw(small, at: fill, into: target, scratch)
    RowBands.run(rows: target.height, width: target.width, threads: scratch.threadCount) { rows in
      for y in rows {
        let row = target.row(y)
        for x in 0..<target.width { row[x] = Pixel.packed(Pixel.color(row[x]) * Self.surroundingLight) | Pixel.unused }
      }
    }
  }

  /// Draws a picture where a backdrop has its place.
  private func draw(
    _ picture: DecodedImage, at backdrop: OwnBackdrop, into target: PixelView, _ scratch: EffectScratch
  ) {
    let (size, room) = (picture.size, target.size)
    let place = backdrop.place(of: size, in: room)
    /// The pixels of the target that a length covers.
    func covered(_ start: Double, _ length: Int, _ room: Int) -> Range<Int> {
      let first = min(room, max(0, Int(start.rounded())))
      return first..<max(first, min(room, Int((start + Double(length) * place.scale).rounded())))
    }
    let columns = covered(place.x, size.width, room.width)
    let rows = covered(place.y, size.height, room.height)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    /// In 1/256 of a pixel: the places of the target's pixels in the picture.
    func positions(_ range: Range<Int>, _ start: Double, _ length: Int) -> [Int] {
      range.map { index in
        let position = (Double(index) + 0.5 - start) / place.scale - 0.5
        return Int((min(max(0, position), Double(length - 1)) * 256).rounded())
      }
    }
    let across = positions(columns, place.x, size.width)
    let down = positions(rows, place.y, size.height)
    picture.block.withUnsafeBytes { bytes in
      let view = PixelView(reading: bytes, size: size, stride: picture.stride)
      BilinearSource.withCopy(of: view, scratch: scratch) { source in
        RowBands.run(rows: rows.count, width: columns.count, threads: scratch.threadCount) { bands in
          for band in bands {
            let row = target.row(rows.lowerBound + band) + columns.lowerBound
            for x in across.indices { row[x] = source.sample(x: across[x], y: down[band]) }
          }
        }
      }
    }
  }
}
