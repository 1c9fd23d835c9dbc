// TIFF pictures that libtiff's own conversion doesn't take, or not as they are meant: samples of 32 and 64 bits,
// floating-point numbers, inks.

import CTIFF
import CameraCore
import Foundation

/// A gray or RGB picture with samples of more than 16 bits, or of floating-point numbers, which are light from 0 to 1; or
/// one in printing colors, which libtiff would convert without the profile of its inks.
///
/// Source: TIFF, revision 6.0, pages 80 and 119; Adobe Photoshop TIFF Technical Note 3.
struct WideTIFF {
  private enum Sample {
    case unsigned8, unsigned16, unsigned32, signed32, unsigned64, signed64, half, single, double

    init?(bits: UInt32, format: UInt32, isInks: Bool) {
      switch (bits, Int32(format)) {
      case (8, SAMPLEFORMAT_UINT), (8, SAMPLEFORMAT_VOID):
        guard isInks else { return nil }
        self = .unsigned8
      case (16, SAMPLEFORMAT_UINT), (16, SAMPLEFORMAT_VOID):
        guard isInks else { return nil }
        self = .unsigned16
      case (16, SAMPLEFORMAT_IEEEFP): self = .half
      case (32, SAMPLEFORMAT_IEEEFP): self = .single
      case (64, SAMPLEFORMAT_IEEEFP): self = .double
      case (32, SAMPLEFORMAT_INT): self = .signed32
      case (64, SAMPLEFORMAT_INT): self = .signed64
      case (32, SAMPLEFORMAT_UINT), (32, SAMPLEFORMAT_VOID): self = .unsigned32
      case (64, SAMPLEFORMAT_UINT), (64, SAMPLEFORMAT_VOID): self = .unsigned64
      default: return nil
      }
    }

    var byteCount: Int {
      switch self {
      case .unsigned8: 1
      case .half, .unsigned16: 2
      case .unsigned32, .signed32, .single: 4
      case .unsigned64, .signed64, .double: 8
      }
    }

    /// In eight bits; what is below 0 or above 1 is cut off, and what isn't a number is 0.
    func byte(_ bytes: UnsafeRawPointer) -> UInt8 {
      switch self {
      case .unsigned8: bytes.load(as: UInt8.self)
      case .unsigned16: UInt8((Int(bytes.loadUnaligned(as: UInt16.self)) + 128) / 257)
      case .unsigned32: UInt8(bytes.loadUnaligned(as: UInt32.self) >> 24)
      case .signed32: UInt8(max(0, bytes.loadUnaligned(as: Int32.self)) >> 23)
      case .unsigned64: UInt8(bytes.loadUnaligned(as: UInt64.self) >> 56)
      case .signed64: UInt8(max(0, bytes.loadUnaligned(as: Int64.self)) >> 55)
      case .half: Self.byte(Self.single(bytes.loadUnaligned(as: UInt16.self)))
      case .single: Self.byte(bytes.loadUnaligned(as: Float.self))
      case .double: Self.byte(Float(bytes.loadUnaligned(as: Double.self)))
      }
    }

    private static func byte(_ value: Float) -> UInt8 { value > 0 ? UInt8(min(1, value) * 255 + 0.5) : 0 }

    /// A number of 16 bits (IEEE 754, binary16), of which there is no type on every processor.
    private static func single(_ bits: UInt16) -> Float {
      let (exponent, fraction) = (Int(bits >> 10 & 31), Float(bits & 1023) / 1024)
      let size: Float =
        switch exponent {
        case 0: fraction * 0x1p-14
        case 31: fraction == 0 ? .infinity : .nan
        default: (1 + fraction) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
        }
      return bits & 0x8000 == 0 ? size : -size
    }
  }

  private let file: TIFFMemoryFile
  private let size: PixelSize
  private let sample: Sample
  /// In a pixel, and of these in the color: 1, 3, or 4 inks.
  private let (samples, colors): (Int, Int)
  private let isInverted: Bool
  /// Whether each sample has pieces of its own.
  private let isPlanar: Bool
  private let opacity: Opacity

  /// - Returns: `nil` for a picture that libtiff converts, or that nobody does.
  init?(_ file: TIFFMemoryFile, _ size: PixelSize) {
    guard let photometric = file.number(TIFFTAG_PHOTOMETRIC) else { return nil }
    switch Int32(photometric) {
    case PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE: colors = 1
    case PHOTOMETRIC_RGB: colors = 3
    case PHOTOMETRIC_SEPARATED where Int32(file.number(TIFFTAG_INKSET) ?? 1) == INKSET_CMYK: colors = 4
    default: return nil
    }
    guard
      let sample = Sample(
        bits: file.number(TIFFTAG_BITSPERSAMPLE) ?? 0, format: file.number(TIFFTAG_SAMPLEFORMAT) ?? 0,
        isInks: colors == 4)
    else { return nil }
    (self.file, self.size, self.sample) = (file, size, sample)
    samples = Int(file.number(TIFFTAG_SAMPLESPERPIXEL) ?? 0)
    guard samples >= colors else { return nil }
    isInverted = Int32(photometric) == PHOTOMETRIC_MINISWHITE
    isPlanar = Int32(file.number(TIFFTAG_PLANARCONFIG) ?? 0) == PLANARCONFIG_SEPARATE
    opacity =
      switch samples > colors && colors < 4 ? file.firstExtraSample.map(Int32.init) : nil {
      case EXTRASAMPLE_ASSOCALPHA: .premultiplied
      case EXTRASAMPLE_UNASSALPHA: .straight
      default: .none
      }
  }

  /// The picture as it is stored; of inks in sRGB.
  func still() throws(StillCodecError) -> DecodedStill {
    let profile = StillColors(profile: file.profile)
    guard colors == 4 else {
      return try DecodedStill.overWhite(size, opacity, colors: profile) {
        (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in try read(into: pixels)
      }
    }
    guard let inks = calloc(size.area, 4) else { throw .noMemory }
    defer { free(inks) }
    try read(into: inks.assumingMemoryBound(to: UInt8.self))
    let image = InkPicture.image(
      inks: UnsafeRawBufferPointer(start: inks, count: size.area * 4), size: size, isInverted: false,
      profile: file.profile)
    return DecodedStill(image: image, colors: profile)
  }

  /// - Parameter pixels: Four bytes each.
  private func read(into pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) {
    let piece = pieceSize
    // Of a row of a piece; no product here is too large for an integer.
    let rowLength = piece.width * (isPlanar ? 1 : samples) * sample.byteCount
    let stated = Int(isTiled ? TIFFTileSize(file.handle) : TIFFStripSize(file.handle))
    guard piece.width > 0, piece.height > 0, rowLength <= TIFFMemoryFile.largestBlock, stated > 0,
      stated <= TIFFMemoryFile.largestBlock, rowLength * piece.height <= stated
    else { throw .damaged }
    guard let memory = malloc(stated) else { throw .noMemory }
    defer { free(memory) }
    var index: UInt32 = 0
    // Of the colors and the opacity; what is behind them isn't shown.
    for plane in 0..<(isPlanar ? min(samples, colors + 1) : 1) {
      for y in stride(from: 0, to: size.height, by: piece.height) {
        for x in stride(from: 0, to: size.width, by: piece.width) {
          let rows = min(piece.height, size.height - y)
          let needed = isTiled ? rowLength * piece.height : rowLength * rows
          let count =
            isTiled
            ? TIFFReadEncodedTile(file.handle, index, memory, tmsize_t(stated))
            : TIFFReadEncodedStrip(file.handle, index, memory, tmsize_t(stated))
          guard count >= needed else { throw file.failure(or: .damaged) }
          index += 1
          for row in 0..<rows {
            let target = pixels + ((y + row) * size.width + x) * 4
            put(memory + row * rowLength, count: min(piece.width, size.width - x), plane, into: target)
          }
        }
      }
    }
  }

  private var isTiled: Bool { TIFFIsTiled(file.handle) != 0 }

  /// Of a tile or strip.
  private var pieceSize: PixelSize {
    isTiled
      ? PixelSize(
        width: Int(file.number(TIFFTAG_TILEWIDTH) ?? 0), height: Int(file.number(TIFFTAG_TILELENGTH) ?? 0))
      : PixelSize(width: size.width, height: min(size.height, Int(file.number(TIFFTAG_ROWSPERSTRIP) ?? .max)))
  }

  /// Converts a row.
  ///
  /// - Parameter plane: The number of its samples where each has pieces of its own.
  private func put(
    _ source: UnsafeMutableRawPointer, count: Int, _ plane: Int, into target: UnsafeMutablePointer<UInt8>
  ) {
    let step = (isPlanar ? 1 : samples) * sample.byteCount
    let flip: UInt8 = isInverted ? 255 : 0
    for index in 0..<count {
      let (pixel, from) = (target + index * 4, source + index * step)
      for number in isPlanar ? plane...plane : 0...min(samples - 1, colors) {
        let value = sample.byte(from + (isPlanar ? 0 : number * sample.byteCount))
        if number == colors {
          if colors < 4 { pixel[3] = value }
        } else if number < colors {
          if colors > 1 {
            pixel[number] = value
          } else {
            (pixel[0], pixel[1], pixel[2]) = (value ^ flip, value ^ flip, value ^ flip)
          }
        }
      }
    }
  }
}
