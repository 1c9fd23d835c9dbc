// GIF by giflib.

import CGIFLib
import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects

/// giflib on memory. Edited pictures aren't saved in this format: it has 256 colors.
enum GIFCodec: StillCodec {
  static let isIsolated = true

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    guard let frame = try GIFFrameReader(data).next() else { throw .noPicture }
    return DecodedStill(image: frame.image, alpha: frame.alpha)
  }

  static func colors(of data: Data) -> StillColors { StillColors() }

  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)? {
    guard (try? GIFHead(DataSource(data, name: "picture")))?.isAnimated == true else { return nil }
    return try GIFFrameReader(data)
  }

  static func missingEncoder(for format: PhotoFormat) -> String? {
    localized("GIF has too few colors for photos")
  }

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    throw StillCodecError(localized("GIF has too few colors for photos"))
  }
}

/// The frames of a GIF.
private final class GIFFrameReader: StillFrameReader {
  fileprivate final class Bytes {
    let data: Data
    var offset = 0

    init(_ data: Data) { self.data = data }

    func read(_ target: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
      let start = data.startIndex + offset
      let length = min(count, data.endIndex - start)
      guard length > 0 else { return 0 }
      data.copyBytes(to: target, from: start..<start + length)
      offset += length
      return length
    }
  }

  private let file: UnsafeMutablePointer<GifFileType>
  private let bytes: Bytes
  private var canvas: AnimationCanvas
  private var control: GraphicsControlBlock?
  private var isAtFrame = false
  private var hasFrames = false
  private(set) var loopCount = 1
  let colors = StillColors()

  /// The rows of an interlaced picture, in the order in which they are stored: first row and step of each pass (GIF89a,
  /// appendix E).
  private static let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]

  init(_ data: Data) throws(StillCodecError) {
    let bytes = Bytes(data)
    var code: Int32 = 0
    guard let file = DGifOpen(Unmanaged.passUnretained(bytes).toOpaque(), gifRead, &code) else {
      throw Self.error(code)
    }
    let size = PixelSize(width: Int(file.pointee.SWidth), height: Int(file.pointee.SHeight))
    do throws(StillCodecError) { try StillLimits.check(size) } catch {
      DGifCloseFile(file, nil)
      throw error
    }
    (self.file, self.bytes, canvas) = (file, bytes, AnimationCanvas(size))
    // How often it is played is said before the first frame.
    try advance()
  }

  deinit { DGifCloseFile(file, nil) }

  private static func error(_ code: Int32) -> StillCodecError {
    guard let text = GifErrorString(code) else { return .damaged }
    return StillCodecError(localized("giflib reports “\(String(cString: text))”"))
  }

  func next() throws(StillCodecError) -> StillFrame? {
    if !isAtFrame { try advance() }
    guard isAtFrame else { return nil }
    (isAtFrame, hasFrames) = (false, true)
    return try frame()
  }

  /// Reads to the next frame, or to the end.
  private func advance() throws(StillCodecError) {
    while true {
      var kind = UNDEFINED_RECORD_TYPE
      guard DGifGetRecordType(file, &kind) == GIF_OK else {
        // One that was cut off between frames is played as far as it goes, as in browsers.
        if hasFrames { return }
        throw Self.error(file.pointee.Error)
      }
      switch kind {
      case IMAGE_DESC_RECORD_TYPE:
        isAtFrame = true
        return
      case EXTENSION_RECORD_TYPE: try readExtension()
      case TERMINATE_RECORD_TYPE: return
      default: continue
      }
    }
  }

  private func readExtension() throws(StillCodecError) {
    var code: Int32 = 0
    var block: UnsafeMutablePointer<GifByteType>?
    guard DGifGetExtension(file, &code, &block) == GIF_OK else { throw Self.error(file.pointee.Error) }
    var isLoop = false
    while let content = block {
      // The first byte is the number of those that follow.
      let count = Int(content[0])
      if code == GRAPHICS_EXT_FUNC_CODE {
        var control = GraphicsControlBlock()
        if DGifExtensionToGCB(count, content + 1, &control) == GIF_OK { self.control = control }
      } else if code == APPLICATION_EXT_FUNC_CODE {
        let payload = UnsafeBufferPointer(start: content + 1, count: count)
        if isLoop, count == 3, payload[0] == 1 {
          // 0 is for ever; others are repetitions.
          let repeats = Int(payload[1]) | Int(payload[2]) << 8
          loopCount = repeats == 0 ? 0 : repeats + 1
        }
        isLoop = isLoop || payload.elementsEqual("NETSCAPE2.0".utf8) || payload.elementsEqual("ANIMEXTS1.0".utf8)
      }
      guard DGifGetExtensionNext(file, &block) == GIF_OK else { throw Self.error(file.pointee.Error) }
    }
  }

  private func frame() throws(StillCodecError) -> StillFrame {
    guard DGifGetImageDesc(file) == GIF_OK else { throw Self.error(file.pointee.Error) }
    defer { control = nil }
    let image = file.pointee.Image
    let size = PixelSize(width: Int(image.Width), height: Int(image.Height))
    let area = AnimationCanvas.Area(x: Int(image.Left), y: Int(image.Top), size: size)
    try StillLimits.check(size)
    guard let map = image.ColorMap ?? file.pointee.SColorMap, let palette = map.pointee.Colors else {
      throw StillCodecError(localized("the picture has no colors"))
    }
    let colorCount = Int(map.pointee.ColorCount)
    let transparent = control.map { Int($0.TransparentColor) } ?? -1
    var pixels = [UInt8](repeating: 0, count: size.area * 4)
    var line = [GifPixelType](repeating: 0, count: size.width)
    var isCut = false
    func read(row: Int) {
      // What is missing stays transparent, as in browsers.
      guard !isCut, DGifGetLine(file, &line, Int32(size.width)) == GIF_OK else {
        isCut = true
        return
      }
      for (x, value) in line.enumerated() where Int(value) != transparent && Int(value) < colorCount {
        let (color, at) = (palette[Int(value)], (row * size.width + x) * 4)
        (pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]) = (color.Red, color.Green, color.Blue, 255)
      }
    }
    if image.Interlace {
      for (first, step) in Self.passes { for row in stride(from: first, to: size.height, by: step) { read(row: row) } }
    } else {
      for row in 0..<size.height { read(row: row) }
    }
    let disposal: AnimationCanvas.Disposal =
      switch control?.DisposalMode {
      case DISPOSE_BACKGROUND: .cleared
      case DISPOSE_PREVIOUS: .restored
      default: .kept
      }
    pixels.withUnsafeBufferPointer { pixels in
      guard let start = pixels.baseAddress else { return }
      canvas.draw(start, area, isBlended: true, disposal: disposal)
    }
    let delay = Double(control?.DelayTime ?? 0) / 100
    return StillFrame(try canvas.still(), duration: AnimationCanvas.shown(delay))
  }
}

/// Called by giflib on the thread that called it.
private func gifRead(
  _ file: UnsafeMutablePointer<GifFileType>?, _ target: UnsafeMutablePointer<GifByteType>?, _ count: Int32
) -> Int32 {
  guard let file, let target, count > 0, let client = file.pointee.UserData else { return 0 }
  return Int32(Unmanaged<GIFFrameReader.Bytes>.fromOpaque(client).takeUnretainedValue().read(target, Int(count)))
}
