// The frames of the test camera, at little cost: they are made in the process that is being measured.

import CameraCore

/// Makes the frames of one mode of the test camera.
///
/// The scene repeats every two seconds, so a frame is made of parts that were made before: JPEG strips for Motion JPEG,
/// the packed background for raw video. Only what moves, and the row with the frame number, is made afresh.
///
/// Not for several threads at once: it belongs to the thread that feeds the pipeline.
public final class TestFrameRenderer {
  private enum Maker {
    case jpeg(TestJPEGMaker)
    case raw(TestRawMaker)
    case bayer(TestBayerMaker)
  }

  public let format: CameraFormat
  public let rate: FrameRate
  private let maker: Maker

  /// Allocates; the scene is drawn when the first frame is asked for.
  ///
  /// - Throws: `CameraError.noSuchFormat` for an encoding or a size that the test camera doesn't have (any rate is
  ///   understood), `JPEGCodecError` when there is no memory for an encoder.
  public init(format: CameraFormat, rate: FrameRate) throws {
    guard TestCamera.formats.contains(where: { $0.encoding == format.encoding && $0.size == format.size }),
      rate.numerator > 0
    else {
      let offered = TestCamera.formats.filter { $0.encoding == format.encoding }.map(\.size)
      throw CameraError.noSuchFormat(camera: TestCamera.device.name, wanted: format.size, offered: offered)
    }
    self.format = format
    self.rate = rate
    if case .raw(let layout) = format.encoding {
      maker = .raw(TestRawMaker(layout: .raw(layout, size: format.size)))
    } else if let layout = format.encoding.bayerLayout {
      maker = .bayer(TestBayerMaker(pattern: layout.pattern, size: format.size))
    } else {
      maker = .jpeg(try TestJPEGMaker(size: format.size, placeCount: TestMoment.placeCount(rate)))
    }
  }

  /// The layout of raw frames; `nil` for Motion JPEG.
  public var layout: RawLayout? {
    if case .raw(let maker) = maker { maker.layout } else { nil }
  }

  /// Makes one frame: for Motion JPEG as webcams send it, without Huffman tables and with an `AVI1` block
  /// (`JPEGStream.complete` makes a whole JPEG of it), for raw video in `layout`, for a sensor's pattern row by row.
  ///
  /// - Parameter number: Not negative; its lower 32 bits are written into the picture.
  /// - Throws: `JPEGCodecError` when a part can't be encoded.
  public func makeFrame(number: Int64) throws -> FrameBlock {
    let moment = TestMoment(frame: number, rate: rate)
    switch maker {
    case .jpeg(let maker): return try maker.makeFrame(moment)
    case .raw(let maker): return FrameBlock(count: maker.byteCount) { maker.fill($0, moment) }
    case .bayer(let maker): return maker.makeFrame(moment)
    }
  }

  /// The bytes of a raw frame; `nil` for Motion JPEG, whose frames differ in length.
  public var rawByteCount: Int? {
    if case .raw(let maker) = maker { maker.byteCount } else { nil }
  }

  /// Makes one raw frame in the caller's memory.
  ///
  /// - Parameter memory: Room for `rawByteCount` bytes.
  /// - Precondition: The format is a raw one.
  public func fill(_ memory: UnsafeMutableRawBufferPointer, number: Int64) {
    guard case .raw(let maker) = maker else { preconditionFailure("Motion JPEG frames are made by makeFrame.") }
    precondition(memory.count >= maker.byteCount, "The buffer is too small for the frame.")
    maker.fill(memory, TestMoment(frame: number, rate: rate))
  }
}
