// Edges of refined mattes that don't flicker.

import CameraCore

/// Smooths refined mattes of a sequence in time: the guided filter brings the noise of each picture into their edges, after
/// `MatteSmoothing` has smoothed what the network says. What changes much follows at once.
struct EdgeSmoothing {
  /// The part of `MatteSmoothing.kept` that is kept here: both together must not trail behind slow movements.
  static let share: Float = 0.8

  /// The smoothed byte by the new and the last one: `table[new << 8 | last]`. Rounded toward the new one, so that a value is
  /// reached and not only approached.
  private static let table: [UInt8] = (0..<1 << 16).map { index in
    let (new, last) = (Float(index >> 8), Float(index & 0xff))
    let kept = share * MatteSmoothing.kept(new / 255, last / 255)
    return UInt8(new + ((last - new) * kept).rounded(.towardZero))
  }

  private var last: FrameBlock?

  /// The smoothed matte of the next picture; the same one after one of another size.
  mutating func smooth(_ matte: FrameBlock) -> FrameBlock {
    guard let last, last.count == matte.count else {
      self.last = matte
      return matte
    }
    let smoothed = FrameBlock(count: matte.count) { target in
      matte.withUnsafeBytes { new in
        last.withUnsafeBytes { old in
          Self.table.withUnsafeBufferPointer { table in
            // Most of a matte is the same as before, as eight bytes at a time tell.
            let words = matte.count & ~7
            for index in stride(from: 0, to: words, by: 8) {
              let (one, other) = (
                new.loadUnaligned(fromByteOffset: index, as: UInt64.self),
                old.loadUnaligned(fromByteOffset: index, as: UInt64.self)
              )
              target.storeBytes(of: one, toByteOffset: index, as: UInt64.self)
              guard one != other else { continue }
              for byte in index..<index + 8 { target[byte] = table[Int(new[byte]) << 8 | Int(old[byte])] }
            }
            for byte in words..<matte.count { target[byte] = table[Int(new[byte]) << 8 | Int(old[byte])] }
          }
        }
      }
    }
    self.last = smoothed
    return smoothed
  }
}
