// Animated pictures, frame by frame.

import CameraCore
import Foundation
import MediaFormats
import StillCodecs

/// The frames of an animated picture, upright, opaque and in the colors of the screen. Any thread, one caller at a time.
///
///     if let animation = try await images.animation(of: asset, targetSize: size) {
///       while let frame = try await animation.next() { … }
///       try await animation.rewind()
///     }
public actor PictureAnimation {
  public struct Frame: Sendable {
    public var image: DecodedImage
    /// In seconds.
    public var duration: Double
  }

  /// How often it is played; 0 for without end.
  nonisolated public let loopCount: Int
  private let data: Data
  private let format: PhotoFormat
  private let orientation: Int
  private let needed: PixelSize
  private let path: String
  /// Ends the decoder's work.
  private let isClosed: CancellationFlag
  private var source: FrameSource?
  /// All frames that were decoded, while they are few enough.
  private var kept: [Frame]? = []
  private var keptBytes = 0
  private var isWhole = false
  private var index = 0

  /// In bytes: a few seconds at the size of a window. Longer ones are decoded anew each time.
  private static let mostKept = 48 << 20

  /// - Returns: `nil` for a still picture.
  /// - Throws: `unusableFile`, or `cancelled`.
  init?(
    _ data: Data, _ head: PictureHead, needed: PixelSize, path: String, isClosed: CancellationFlag
  ) throws(PhotoLibraryError) {
    orientation = head.orientation
    (self.data, format, self.needed, self.path) = (data, head.format, needed.turned(orientation: orientation), path)
    self.isClosed = isClosed
    guard let source = try FrameSource(data, format, self.needed, path, isClosed) else { return nil }
    (self.source, loopCount) = (source, source.loopCount)
  }

  /// Ends the decoding of the next frame if it is in progress: nobody will ask for another one.
  nonisolated public func close() { isClosed.set() }

  /// The next frame; `nil` behind the last one.
  ///
  /// - Throws: `unusableFile` when it can't be decoded, or `cancelled` after `close`.
  public func next() async throws(PhotoLibraryError) -> Frame? {
    if isWhole, let kept {
      guard index < kept.count else { return nil }
      defer { index += 1 }
      return kept[index]
    }
    guard let source else { return nil }
    let (orientation, needed) = (orientation, needed)
    let frame = try await Blocking.run { () throws(PhotoLibraryError) -> Frame? in
      guard let frame = try source.next() else { return nil }
      let image = source.onScreen(frame.image.reduced(toNeeded: needed)).upright(orientation: orientation)
      return Frame(image: image, duration: frame.duration)
    }
    if let frame { keep(frame) } else { isWhole = kept != nil }
    return frame
  }

  /// Goes back to the first frame.
  ///
  /// - Throws: `unusableFile` when the file can't be read anymore, or `cancelled` after `close`.
  public func rewind() async throws(PhotoLibraryError) {
    index = 0
    guard !isWhole else {
      source = nil
      return
    }
    (kept, keptBytes) = (kept == nil ? nil : [], 0)
    let (data, format, needed, path, isClosed) = (data, format, needed, path, isClosed)
    source = try await Blocking.run { () throws(PhotoLibraryError) in
      try FrameSource(data, format, needed, path, isClosed)
    }
  }

  private func keep(_ frame: Frame) {
    keptBytes += frame.image.size.area * 4
    if keptBytes > Self.mostKept { kept = nil } else { kept?.append(frame) }
  }
}

/// A reader of frames, for one thread after another.
private final class FrameSource: @unchecked Sendable {
  // Sendable: the reader is used under the lock only.
  private let lock = NSLock()
  private let reader: any StillFrameReader
  private let conversion: ColorConversion?
  private let path: String
  let loopCount: Int

  init?(
    _ data: Data, _ format: PhotoFormat, _ needed: PixelSize, _ path: String, _ isClosed: CancellationFlag
  ) throws(PhotoLibraryError) {
    let reader: (any StillFrameReader)?
    do throws(StillCodecError) {
      reader = try StillCodecs.frames(of: data, as: format, needed: needed, unless: isClosed)
    } catch {
      throw Self.failure(error, path)
    }
    guard let reader else { return nil }
    (self.reader, self.path, loopCount) = (reader, path, reader.loopCount)
    conversion = ColorConversion.toScreen(from: reader.colors)
  }

  func next() throws(PhotoLibraryError) -> StillFrame? {
    lock.lock()
    defer { lock.unlock() }
    do throws(StillCodecError) { return try reader.next() } catch { throw Self.failure(error, path) }
  }

  private static func failure(_ error: StillCodecError, _ path: String) -> PhotoLibraryError {
    error.isCancellation ? .cancelled : .unusableFile(path: path, reason: error.description)
  }

  func onScreen(_ image: DecodedImage) -> DecodedImage { conversion?.converted(image) ?? image }
}

extension ImageManager {
  /// The frames of an animated picture.
  ///
  /// - Parameter targetSize: In device pixels; the frames are at least as large if the file has as many pixels.
  /// - Returns: `nil` for a still picture, a live photo or a video.
  /// - Throws: `PhotoLibraryError`; `cancelled` soon after the task is canceled.
  public func animation(
    of asset: Asset, targetSize: PixelSize
  ) async throws(PhotoLibraryError) -> PictureAnimation? {
    guard asset.mediaType == .photo,
      PhotoFormat(fileExtension: asset.url.pathExtension)?.canBeAnimated == true
    else { return nil }
    let needed = ImageContentMode.aspectFit.neededSize(of: asset.size, for: targetSize)
    let path = asset.url.path
    let isClosed = CancellationFlag()
    return try await Blocking.run(canceling: isClosed) { [disk] () throws(PhotoLibraryError) -> PictureAnimation? in
      let file = try ReadableFile(path, disk: disk)
      guard let head = try PictureHead(file), head.isAnimated,
        file.size <= PictureCopy.largestPicture
      else { return nil }
      return try PictureAnimation(
        file.data(at: 0, count: Int(file.size)), head, needed: needed, path: path, isClosed: isClosed)
    }
  }
}
