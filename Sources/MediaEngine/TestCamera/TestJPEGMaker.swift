// The test camera's Motion JPEG, joined from strips that are encoded once.

import CTurboJPEG
import CameraCore
import Foundation
import MediaFormats

/// Makes Motion JPEG frames of strips of eight rows.
///
/// Each strip is a restart interval: it begins at a whole byte and depends on no other (ITU-T T.81, B.2.4.4 and E.1.4),
/// so that the picture is a header, the strips, and restart markers between them. A strip is encoded as a JPEG of its
/// own, of which only the scan data are kept: those that stand still once, those in which something moves once for each
/// frame of the period, those with the frame number for each frame.
final class TestJPEGMaker {
  /// Rows of a strip: one row of blocks, 4:2:2 having no more.
  private static let stripHeight = 8
  /// Gives the sizes of webcam frames: some 90 KB at 720p.
  private static let quality = 85

  /// Scan data of the strips of one frame, or of a background.
  private struct Strips {
    var bytes: [UInt8] = []
    /// By strip; empty where it isn't here.
    var ranges: [Range<Int>]
  }

  private let size: PixelSize
  private let placeCount: Int
  private let stripCount: Int
  /// The strips of the frame number, at the bottom; all alike.
  private let barStrips: Int
  private let encoder: tjhandle
  private var output: UnsafeMutableRawBufferPointer
  /// Everything before the first strip; made with the first strip.
  private var header: [UInt8] = []
  /// The length of TurboJPEG's output before a strip's scan data.
  private var stripHeaderCount = 0

  /// Needed until every frame of the period has been made.
  private var scene: TestScene?
  private var canvas: TestCanvas?
  private let bar: TestCanvas
  private var still: [Bool: Strips] = [:]
  private var moving: [Int: Strips] = [:]

  /// - Parameters:
  ///   - size: The width a multiple of 16, the height of 8.
  ///   - placeCount: The frames of the scene's period.
  init(size: PixelSize, placeCount: Int) throws {
    self.size = size
    self.placeCount = placeCount
    stripCount = size.height / Self.stripHeight
    barStrips = FrameNumberMark.height(inPictureOf: size.height) / Self.stripHeight
    guard let handle = tjInitCompress() else { throw JPEGCodecError(handle: nil) }
    encoder = handle
    let room = tjBufSize(Int32(size.width), Int32(Self.stripHeight), Int32(TJSAMP_422.rawValue))
    output = .allocate(byteCount: Int(room), alignment: 64)
    bar = TestCanvas(size: PixelSize(width: size.width, height: Self.stripHeight))
    bar.memory.update(repeating: 128)
  }

  deinit {
    tjDestroy(encoder)
    output.deallocate()
  }

  /// The bytes that are kept for the period's frames.
  var keptByteCount: Int {
    (Array(still.values) + Array(moving.values)).reduce(0) { $0 + $1.bytes.capacity }
  }

  func makeFrame(_ moment: TestMoment) throws -> FrameBlock {
    let own = try strips(of: moment)
    // Last, since the next strip takes its memory.
    let number = try encodeBar(moment.number)
    guard let shared = still[moment.isFlash] else { throw JPEGCodecError(message: "the test scene has no background") }
    let drawn = stripCount - barStrips
    // A restart marker between each two strips, and EOI.
    var count = header.count + 2 * stripCount + barStrips * number.count
    for strip in 0..<drawn { count += own.ranges[strip].isEmpty ? shared.ranges[strip].count : own.ranges[strip].count }
    return own.bytes.withUnsafeBytes { ownBytes in
      shared.bytes.withUnsafeBytes { sharedBytes in
        FrameBlock(count: count) { memory in
          var written = 0
          func append(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: memory[written...]).copyMemory(from: bytes)
            written += bytes.count
          }
          header.withUnsafeBytes { append($0) }
          for strip in 0..<stripCount {
            if strip >= drawn {
              append(number)
            } else if own.ranges[strip].isEmpty {
              append(UnsafeRawBufferPointer(rebasing: sharedBytes[shared.ranges[strip]]))
            } else {
              append(UnsafeRawBufferPointer(rebasing: ownBytes[own.ranges[strip]]))
            }
            memory[written] = 0xff
            memory[written + 1] = strip == stripCount - 1 ? JPEGMarker.endOfImage : 0xd0 + UInt8(strip & 7)
            written += 2
          }
        }
      }
    }
  }

  /// The strips of a moment in which something moves; made when first asked for.
  private func strips(of moment: TestMoment) throws -> Strips {
    if let known = moving[moment.place] { return known }
    let scene = self.scene ?? TestScene(size: size, range: .full)
    let canvas = self.canvas ?? TestCanvas(size: size)
    (self.scene, self.canvas) = (scene, canvas)
    let background = scene.background(isFlash: moment.isFlash)
    let drawn = stripCount - barStrips
    if still[moment.isFlash] == nil {
      still[moment.isFlash] = try encode(Array(repeating: true, count: drawn), of: background)
    }
    let boxes = scene.movingBoxes(phase: moment.phase, on: canvas)
    var isMoving = Array(repeating: false, count: drawn)
    for box in boxes where !box.rows.isEmpty {
      for strip in box.rows.lowerBound / Self.stripHeight...(box.rows.upperBound - 1) / Self.stripHeight {
        isMoving[strip] = true
      }
    }
    // Strips are encoded whole, so what stands still in them has to be there as well.
    for strip in 0..<drawn where isMoving[strip] {
      let rows = strip * Self.stripHeight..<(strip + 1) * Self.stripHeight
      canvas.copy(background, in: PixelBox(columns: 0..<size.width, rows: rows))
    }
    scene.drawMoving(phase: moment.phase, isFlash: moment.isFlash, on: canvas)
    let made = try encode(isMoving, of: canvas)
    moving[moment.place] = made
    if moving.count == placeCount { (self.scene, self.canvas) = (nil, nil) }
    return made
  }

  private func encode(_ isWanted: [Bool], of canvas: TestCanvas) throws -> Strips {
    var strips = Strips(ranges: Array(repeating: 0..<0, count: stripCount))
    for strip in isWanted.indices where isWanted[strip] {
      let start = strips.bytes.count
      strips.bytes.append(contentsOf: try encodeStrip(strip * Self.stripHeight, of: canvas))
      strips.ranges[strip] = start..<strips.bytes.count
    }
    // Appending left room to spare, which would be kept as long as the frame.
    strips.bytes = strips.bytes.withUnsafeBytes { Array($0) }
    return strips
  }

  private func encodeBar(_ number: UInt32) throws -> UnsafeRawBufferPointer {
    for row in 0..<Self.stripHeight {
      FrameNumberMark.write(
        number, to: UnsafeMutableBufferPointer(start: bar.luma + row * size.width, count: size.width))
    }
    return try encodeStrip(0, of: bar)
  }

  /// The scan data of eight rows, valid until the next strip.
  private func encodeStrip(_ row: Int, of canvas: TestCanvas) throws -> UnsafeRawBufferPointer {
    let half = size.width / 2
    var planes: [UnsafePointer<UInt8>?] = [
      UnsafePointer(canvas.luma + row * size.width), UnsafePointer(canvas.blue + row * half),
      UnsafePointer(canvas.red + row * half),
    ]
    var strides = [Int32(size.width), Int32(half), Int32(half)]
    var target = output.assumingMemoryBound(to: UInt8.self).baseAddress
    var count = UInt(output.count)
    let status = tjCompressFromYUVPlanes(
      encoder, &planes, Int32(size.width), &strides, Int32(Self.stripHeight), Int32(TJSAMP_422.rawValue), &target,
      &count, Int32(Self.quality), TJFLAG_NOREALLOC)
    guard status == 0 else { throw JPEGCodecError(handle: encoder) }
    let jpeg = UnsafeRawBufferPointer(start: output.baseAddress, count: Int(count))
    if header.isEmpty { try makeHeader(Data(jpeg)) }
    return UnsafeRawBufferPointer(rebasing: jpeg[stripHeaderCount..<jpeg.count - 2])
  }

  /// The header of all frames, from that of a strip: quantization tables, frame header with the true height, restart
  /// interval, scan header; no Huffman tables.
  private func makeHeader(_ strip: Data) throws {
    let segments = try JPEGSegments(parsing: strip)
    func bytes(_ marker: UInt8) -> [UInt8] {
      segments.segments.filter { $0.marker == marker }.flatMap { strip[$0.range] }
    }
    var frame = bytes(0xc0)
    frame[5] = UInt8(size.height >> 8)
    frame[6] = UInt8(size.height & 255)
    let interval = size.width / 16
    let scanHeaderCount = 2 + Int(strip[segments.scan.lowerBound + 2]) << 8 + Int(strip[segments.scan.lowerBound + 3])
    let scanHeader = strip[segments.scan.prefix(scanHeaderCount)]
    stripHeaderCount = segments.scan.lowerBound + scanHeaderCount
    header =
      [0xff, JPEGMarker.startOfImage, 0xff, JPEGMarker.app0, 0, 16] + Array("AVI1".utf8)
      + [UInt8](repeating: 0, count: 10)
      + bytes(JPEGMarker.quantizationTables) + frame
      + [0xff, JPEGMarker.restartInterval, 0, 4, UInt8(interval >> 8), UInt8(interval & 255)] + scanHeader
  }
}
