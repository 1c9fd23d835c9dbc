// The still of a shot in other formats than JPEG.

import CGStreamer
import CameraCore
import Foundation
import Localization
import StillCodecs

/// Encodes stills as HEIC, AVIF or PNG, on threads of their own with low priority, and few at a time: the encoders use all
/// cores, and a burst must not take the memory of all of its pictures at once.
enum StillFormats {
  /// As `data(_:of:isMirrored:isHDR:as:)`.
  typealias Encoder = @Sendable (FrameBlock, CameraFrame?, Bool, Bool, PhotoFormat) async throws -> Data

  /// The time for one still: AVIF takes some seconds for a large one. An encoder that takes longer is left to itself.
  private static let limit = TimeSpan.seconds(60)
  /// As of the threads that encode movies.
  private static let niceness: Int32 = 10
  private static let gate = AsyncGate(places: 2)

  /// The bytes of a still in a format.
  ///
  /// - Parameters:
  ///   - jpeg: The still as a JPEG, as it is to be seen.
  ///   - frame: The frame that it was made of, if of that alone: of a raw one, no JPEG comes between.
  ///   - isMirrored: Whether the still is the frame's mirror image.
  ///   - isHDR: Whether a frame of 10 bits keeps them in HEIC and AVIF. Mirrored it does, but not with a look, which is made
  ///     with 8 bits. Without an encoder for 10 bits, 8 are saved; the preferences and `photomectl` say so.
  /// - Throws: `StillCodecError`, or another error of the encoder.
  static func data(
    _ jpeg: FrameBlock, of frame: CameraFrame?, isMirrored: Bool, isHDR: Bool, as format: PhotoFormat
  ) async throws -> Data {
    guard format != .jpeg else { return jpeg.withUnsafeBytes { Data($0) } }
    return try await limited {
      if isHDR, StillCodecs.missingDeepEncoder(for: format) == nil,
        let image = frame.flatMap({ deepImage(of: $0, isMirrored: isMirrored) })
      {
        return try StillCodecs.encode(image, as: format)
      }
      let image = try frame.flatMap { try pixels(of: $0, isMirrored: isMirrored) } ?? decoded(jpeg)
      return try StillCodecs.encode(image, as: format)
    }
  }

  /// Runs an encoder for a limited time, when it is its turn.
  ///
  /// - Parameters:
  ///   - gate: Admits those that encode.
  ///   - wait: Returns after a time; throws when the task is canceled.
  /// - Throws: The encoder's error; `StillCodecError` when it is late.
  static func limited(
    _ gate: AsyncGate = gate,
    wait: @escaping @Sendable (TimeSpan) async throws -> Void = {
      try await Task.sleep(nanoseconds: UInt64($0.nanoseconds))
    },
    _ encode: @escaping @Sendable () throws -> Data
  ) async throws -> Data {
    await gate.enter()
    defer { gate.leave() }
    return try await Blocking.run(
      onThread: "still encoder", atMost: limit, niceness: niceness,
      late: StillCodecError(localized("the encoder isn’t responding")) as any Error, wait: wait, encode)
  }

  /// The samples of a frame with 10 bits; `nil` for any other, and for one with a look.
  private static func deepImage(of frame: CameraFrame, isMirrored: Bool) -> DeepImage? {
    guard frame.look == nil, let (layout, block) = frame.deepPlanes(isMirrored: isMirrored) else { return nil }
    return DeepImage(layout: layout, block: block, colors: DeepImage.Colors(layout))
  }

  private static func decoded(_ jpeg: FrameBlock) throws -> DecodedImage {
    let decoder = try JPEGDecoder()
    let image = try jpeg.withUnsafeBytes { try decoder.decode($0) }
    if decoder.isCut { throw JPEGCodecError(message: localized("the camera sent only part of it; try again")) }
    return image
  }

  /// The pixels of a raw frame; `nil` for a JPEG, and for one with a look, which is applied to planes.
  private static func pixels(of frame: CameraFrame, isMirrored: Bool) throws -> DecodedImage? {
    guard case .raw(let layout) = frame.content, frame.look == nil else { return nil }
    let target = RawConverter.Kind(layout: "BGRx", size: layout.size, colorimetry: nil)
    guard let converter = RawConverter(from: layout.kind, to: target) else { return nil }
    let result = converter.convert(frame.block, layout: layout)
    let image = DecodedImage(size: layout.size, stride: result.layout.strides[0], block: result.block)
    return isMirrored ? image.upright(orientation: 2) : image
  }
}

extension DeepImage.Colors {
  /// - Parameter layout: Of 10 bits. What its colorimetry leaves open is BT.709.
  init(_ layout: RawLayout) {
    guard let colorimetry = GstVideoInfo(layout.kind)?.colorimetry else {
      self = .bt709
      return
    }
    func known(_ code: guint) -> UInt32 { code == 2 || code == 0 ? 1 : code }
    self.init(
      primaries: known(gst_video_color_primaries_to_iso(colorimetry.primaries)),
      transfer: known(gst_video_transfer_function_to_iso(colorimetry.transfer)),
      matrix: known(gst_video_color_matrix_to_iso(colorimetry.matrix)),
      isFullRange: colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
  }
}
