// Frames and sound as they travel through the program: reference-counted, timestamped blocks of memory.

/// A block of bytes that PhotoMe owns, shared by reference and never changed after it was filled.
///
/// A device's own buffers are never kept (V4L2 and PipeWire own only 4 to 32 of them and stall or unmap them), so each
/// frame is copied once, at arrival, into one of these.
public final class FrameBlock: @unchecked Sendable {
  // Sendable: memory and budget are written only by the block's maker, before any reference leaves.
  private let memory: UnsafeMutableRawBufferPointer
  private var budget: FrameBudget?

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Makes a block of `count` bytes, which `fill` must write before it returns.
  ///
  /// - Throws: The error of `fill`.
  public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    // As malloc aligns by itself: asked for more, glibc before 2.38 can't use a freed hole of the same size again, and a
    // ring of raw frames took twice its memory.
    memory = .allocate(byteCount: count, alignment: 16)
    // When this throws, `deinit` frees the memory: every property has its value by now.
    try fill(memory)
  }

  /// Makes a block with a copy of `bytes`.
  public convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  deinit {
    budget?.change(by: -count)
    memory.deallocate()
  }

  /// Counts the block in a budget as long as it lives. For its maker, once, before anyone else has the block.
  public func charge(to budget: FrameBudget) {
    self.budget = budget
    budget.change(by: count)
  }

  /// Calls `body` with the bytes, which are valid during the call only.
  ///
  /// - Throws: The error of `body`.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] { [UInt8](memory) }
}

/// The layout of a raw frame's pixels in its block.
public struct RawLayout: Hashable, Sendable {
  /// GStreamer's name of the layout: `I420`, `NV12`, `YUY2`, `Y42B`, …
  public var name: String
  public var size: PixelSize
  /// Bytes from one row to the next, a number a plane.
  public var strides: [Int]
  /// Bytes from the block's start to a plane, a number a plane.
  public var offsets: [Int]
  /// The color space in GStreamer's notation (`bt601`, `bt709`, `1:4:0:0` for JPEG's full range); `nil` is
  /// what GStreamer takes when nothing is said: BT.709 from 720 rows on, else BT.601.
  public var colorimetry: String?

  public init(name: String, size: PixelSize, strides: [Int], offsets: [Int], colorimetry: String? = nil) {
    self.name = name
    self.size = size
    self.strides = strides
    self.offsets = offsets
    self.colorimetry = colorimetry
  }
}

/// One complete frame of the camera, in memory that PhotoMe owns.
public struct CameraFrame: Sendable {
  /// The encoding of the frame's block: a JPEG as webcams compress it, or raw pixels in a layout that GStreamer names.
  public enum Content: Sendable, Hashable {
    /// The block is one JPEG, complete from SOI to EOI, with its Huffman tables.
    case jpeg
    case raw(RawLayout)
  }

  /// When the camera took it.
  public var time: MonotonicTime
  public var size: PixelSize
  public var content: Content
  public var block: FrameBlock
  /// The changes that everything that is made of the frame gets; `nil` for none. The block is as the camera sent it.
  public var look: FrameLook?

  public init(
    time: MonotonicTime, size: PixelSize, content: Content, block: FrameBlock, look: FrameLook? = nil
  ) {
    self.time = time
    self.size = size
    self.content = content
    self.block = block
    self.look = look
  }
}

/// A chunk of sound: interleaved signed 16-bit samples, little endian, at 48 kHz.
public struct SoundChunk: Sendable {
  /// The sample rate of all sound in PhotoMe, in hertz.
  public static let sampleRate = 48_000

  /// When the first sample was heard.
  public var time: MonotonicTime
  public var channels: Int
  public var block: FrameBlock

  public init(time: MonotonicTime, channels: Int, block: FrameBlock) {
    self.time = time
    self.channels = channels
    self.block = block
  }

  /// Samples per channel.
  public var sampleCount: Int { block.count / (2 * channels) }

  /// When the last sample ends.
  public var end: MonotonicTime {
    time + TimeSpan(nanoseconds: Int64(sampleCount) * 1_000_000_000 / Int64(Self.sampleRate))
  }
}

/// A decoded picture: 8 bits each of blue, green, red and nothing, top row first (GStreamer's `BGRx`, cairo's `RGB24`).
public struct DecodedImage: Sendable {
  public var size: PixelSize
  /// Bytes from one row to the next.
  public var stride: Int
  public var block: FrameBlock

  public init(size: PixelSize, stride: Int, block: FrameBlock) {
    self.size = size
    self.stride = stride
    self.block = block
  }
}
