// The places where an H.264 stream can be picked up.

/// Looks into a stream as devices send it: each unit behind a start code.
///
/// Source: ITU-T H.264, Annex B and table 7-1.
enum H264Stream {
  /// Whether a picture needs none before it: it is an IDR picture, or comes with the parameters of a sequence, which devices
  /// send before each of those.
  static func beginsAnew(_ picture: UnsafeRawBufferPointer) -> Bool {
    var zeros = 0
    for (at, byte) in picture.enumerated() {
      if byte == 1, zeros >= 2, at + 1 < picture.count, [5, 7].contains(picture[at + 1] & 31) { return true }
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return false
  }
}
