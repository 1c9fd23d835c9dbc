// Raw pictures as DNG files.

import CameraCore
import Foundation
import Localization

/// Writes a sensor's frame as a DNG, uncompressed: the samples are stored as the camera sent them.
///
/// The first directory is the preview's, as TIFF/EP and DNG recommend, with the raw picture in a directory below it.
/// Samples of more than 8 bits have two bytes each, and the white level tells their bits. Of webcams no color profile is
/// known: the colors are taken for sRGB's primaries under D65 (`colorMatrix`), as the interpolated picture beside the DNG
/// has them, so that a raw developer begins with the same colors.
///
/// Samples that the driver says are encoded by sRGB's curve get a linearization table, by which developers decode them.
/// Those of 14 and 16 bits are decoded here, to 16 bits: older developers (dcraw 9.28) cut tables off at 4096 entries, and
/// would show white. In the shadows, where the curve is steepest, 16 bits of light are still finer than 12 bits encoded.
///
/// Source: Adobe, Digital Negative Specification 1.4.0.0.
public struct DNGFile: Sendable {
  /// XYZ to linear sRGB under D65 (IEC 61966-2-1), row by row: DNG's `ColorMatrix1`.
  public static let colorMatrix = [
    3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570,
  ]

  /// The longest table that older developers (dcraw) read.
  private static let linearizedBits = 12

  /// The properties of a raw picture that its samples don't tell.
  public struct Description: Sendable {
    /// 32 hexadecimal digits: the id of the picture beside it.
    public var id: String
    public var cameraMake: String?
    public var cameraName: String?
    public var software: String
    /// Local time in EXIF's form, `2026:11:21 07:31:06`.
    public var date: String
    /// The digits behind the decimal point of the second.
    public var subseconds: String
    /// The offset from UTC, `+01:00`.
    public var utcOffset: String
    /// As in EXIF, 1 to 8; 1 is upright.
    public var orientation: Int
    /// A small JPEG with 4:2:0 chroma; `nil` for none.
    public var preview: Data?

    public init(
      id: String, cameraMake: String? = nil, cameraName: String? = nil, software: String, date: String,
      subseconds: String, utcOffset: String, orientation: Int = 1, preview: Data? = nil
    ) {
      (self.id, self.cameraMake, self.cameraName, self.software) = (id, cameraMake, cameraName, software)
      (self.date, self.subseconds, self.utcOffset) = (date, subseconds, utcOffset)
      (self.orientation, self.preview) = (orientation, preview)
    }
  }

  private let frame: BayerFrame
  private let description: Description
  private let preview: (data: Data, size: PixelSize)?

  /// - Throws: `FormatError.refused` when the preview isn't a JPEG, or the frame is too large for the format.
  public init(_ frame: BayerFrame, _ description: Description) throws(FormatError) {
    let bytes = frame.size.area * frame.layout.bytesPerSample
    guard frame.size.width < 1 << 16, frame.size.height < 1 << 16, bytes < 1 << 31 else {
      throw .refused(reason: localized("\(frame.size.localized) pixels are too many for a DNG file"))
    }
    (self.frame, self.description) = (frame, description)
    guard let data = description.preview else {
      preview = nil
      return
    }
    do throws(JPEGStreamError) {
      preview = (data, try JPEGSegments(parsing: data).size)
    } catch {
      throw .refused(reason: localized("the preview is damaged: \(error.description)"))
    }
  }

  /// The file.
  public var data: Data {
    var raw = rawDirectory
    var first = preview == nil ? raw : previewDirectory
    describe(&first)
    let exif = exifDirectory
    // Every directory has its final length now: only numbers that are stored in entries change.
    let head = 8
    let rawAt = head + first.byteCount
    let exifAt = rawAt + (preview == nil ? 0 : raw.byteCount)
    let previewAt = exifAt + exif.byteCount
    let samplesAt = TIFFDirectory.even(previewAt + (preview?.data.count ?? 0))
    first.set(Tag.exif, long: exifAt)
    if preview == nil {
      first.set(Tag.stripOffsets, long: samplesAt)
    } else {
      first.set(Tag.stripOffsets, long: previewAt)
      first.set(Tag.subdirectories, long: rawAt)
      raw.set(Tag.stripOffsets, long: samplesAt)
    }
    var file: [UInt8] = [UInt8(ascii: "I"), UInt8(ascii: "I"), 42, 0, UInt8(head), 0, 0, 0]
    file += first.bytes(at: head)
    if preview != nil { file += raw.bytes(at: rawAt) }
    file += exif.bytes(at: exifAt)
    if let preview { file += preview.data }
    file += BigEndian.zeros(samplesAt - file.count)
    return Data(file + (isDecoded ? Self.decoded(frame.samples, bits: frame.layout.bits) : frame.samples))
  }

  /// The preview as a TIFF picture with JPEG compression.
  private var previewDirectory: TIFFDirectory {
    var directory = TIFFDirectory()
    let (count, size) = (preview?.data.count ?? 0, preview?.size ?? frame.size)
    directory.set(Tag.subfileType, long: 1)
    directory.set(Tag.width, long: size.width)
    directory.set(Tag.height, long: size.height)
    directory.set(Tag.bitsPerSample, shorts: [8, 8, 8])
    directory.set(Tag.compression, shorts: [7])
    directory.set(Tag.photometric, shorts: [6])
    directory.set(Tag.stripOffsets, long: 0)
    directory.set(Tag.samplesPerPixel, shorts: [3])
    directory.set(Tag.rowsPerStrip, long: size.height)
    directory.set(Tag.stripByteCounts, long: count)
    directory.set(Tag.planarConfiguration, shorts: [1])
    directory.set(Tag.subdirectories, long: 0)
    directory.set(Tag.chromaSubsampling, shorts: [2, 2])
    directory.set(Tag.chromaPositioning, shorts: [1])
    directory.set(Tag.referenceBlackWhite, rationals: [(0, 1), (255, 1), (128, 1), (255, 1), (128, 1), (255, 1)])
    return directory
  }

  private var rawDirectory: TIFFDirectory {
    var directory = TIFFDirectory()
    let (layout, size) = (frame.layout, frame.size)
    directory.set(Tag.subfileType, long: 0)
    directory.set(Tag.width, long: size.width)
    directory.set(Tag.height, long: size.height)
    directory.set(Tag.bitsPerSample, shorts: [UInt16(8 * layout.bytesPerSample)])
    directory.set(Tag.compression, shorts: [1])
    directory.set(Tag.photometric, shorts: [32_803])
    directory.set(Tag.stripOffsets, long: 0)
    directory.set(Tag.samplesPerPixel, shorts: [1])
    directory.set(Tag.rowsPerStrip, long: size.height)
    directory.set(Tag.stripByteCounts, long: size.area * layout.bytesPerSample)
    directory.set(Tag.planarConfiguration, shorts: [1])
    directory.set(Tag.patternSize, shorts: [2, 2])
    directory.set(Tag.pattern, bytes: layout.pattern.colors)
    directory.set(Tag.blackLevel, shorts: [0])
    if frame.transfer == .sRGB, !isDecoded {
      directory.set(Tag.linearizationTable, shorts: Self.linearization(bits: layout.bits))
    }
    directory.set(Tag.whiteLevel, long: frame.transfer == .sRGB ? Int(UInt16.max) : 1 << layout.bits - 1)
    return directory
  }

  /// Whether the samples are in proportion to the light although the camera's aren't.
  private var isDecoded: Bool { frame.transfer == .sRGB && frame.layout.bits > Self.linearizedBits }

  /// Samples of two bytes without sRGB's curve, 65535 for white.
  private static func decoded(_ samples: [UInt8], bits: Int) -> [UInt8] {
    let table = linearization(bits: bits)
    return [UInt8](unsafeUninitializedCapacity: samples.count) { target, count in
      for index in stride(from: 0, to: samples.count - 1, by: 2) {
        let light = table[min(Int(samples[index]) | Int(samples[index + 1]) << 8, table.count - 1)]
        (target[index], target[index + 1]) = (UInt8(light & 255), UInt8(light >> 8))
      }
      count = samples.count
    }
  }

  /// The tags that belong into the first directory, whichever it is.
  private func describe(_ directory: inout TIFFDirectory) {
    let camera = description.cameraName ?? "Camera"
    if let make = description.cameraMake { directory.set(Tag.make, text: make) }
    directory.set(Tag.model, text: camera)
    directory.set(
      Tag.orientation, shorts: [UInt16((1...8).contains(description.orientation) ? description.orientation : 1)])
    directory.set(Tag.software, text: description.software)
    directory.set(Tag.date, text: description.date)
    directory.set(Tag.exif, long: 0)
    directory.set(Tag.dngVersion, bytes: [1, 4, 0, 0])
    directory.set(Tag.dngBackwardVersion, bytes: [1, 1, 0, 0])
    directory.set(Tag.uniqueCameraModel, text: camera)
    directory.set(Tag.colorMatrix1, signedRationals: Self.colorMatrix)
    directory.set(Tag.asShotNeutral, rationals: [(1, 1), (1, 1), (1, 1)])
    // D65, as EXIF numbers light sources.
    directory.set(Tag.calibrationIlluminant1, shorts: [21])
    if let id = Self.bytes(ofHexadecimal: description.id) { directory.set(Tag.rawDataUniqueID, bytes: id) }
  }

  private var exifDirectory: TIFFDirectory {
    var directory = TIFFDirectory()
    directory.set(0x9000, bytes: Array("0232".utf8), type: 7)
    for tag: UInt16 in [0x9003, 0x9004] { directory.set(tag, text: description.date) }
    for tag: UInt16 in [0x9010, 0x9011, 0x9012] { directory.set(tag, text: description.utcOffset) }
    for tag: UInt16 in [0x9290, 0x9291, 0x9292] { directory.set(tag, text: description.subseconds) }
    directory.set(0xa420, text: description.id)
    return directory
  }

  /// The light of each encoded value, 65535 for white: sRGB's curve (IEC 61966-2-1).
  static func linearization(bits: Int) -> [UInt16] {
    let largest = Double(1 << bits - 1)
    return (0..<1 << bits).map { code in
      let value = Double(code) / largest
      let light = value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      return UInt16((light * 65_535).rounded())
    }
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == 32, text.count == 32 else { return nil }
    return stride(from: 0, to: 32, by: 2).map { UInt8(16 * digits[$0] + digits[$0 + 1]) }
  }

  /// TIFF 6.0, TIFF/EP (ISO 12234-2) and DNG.
  enum Tag {
    static let subfileType: UInt16 = 254
    static let width: UInt16 = 256
    static let height: UInt16 = 257
    static let bitsPerSample: UInt16 = 258
    static let compression: UInt16 = 259
    static let photometric: UInt16 = 262
    static let make: UInt16 = 271
    static let model: UInt16 = 272
    static let stripOffsets: UInt16 = 273
    static let orientation: UInt16 = 274
    static let samplesPerPixel: UInt16 = 277
    static let rowsPerStrip: UInt16 = 278
    static let stripByteCounts: UInt16 = 279
    static let planarConfiguration: UInt16 = 284
    static let software: UInt16 = 305
    static let date: UInt16 = 306
    static let subdirectories: UInt16 = 330
    static let chromaSubsampling: UInt16 = 530
    static let chromaPositioning: UInt16 = 531
    static let referenceBlackWhite: UInt16 = 532
    static let patternSize: UInt16 = 33_421
    static let pattern: UInt16 = 33_422
    static let exif: UInt16 = 34_665
    static let dngVersion: UInt16 = 50_706
    static let dngBackwardVersion: UInt16 = 50_707
    static let uniqueCameraModel: UInt16 = 50_708
    static let linearizationTable: UInt16 = 50_712
    static let blackLevel: UInt16 = 50_714
    static let whiteLevel: UInt16 = 50_717
    static let colorMatrix1: UInt16 = 50_721
    static let asShotNeutral: UInt16 = 50_728
    static let calibrationIlluminant1: UInt16 = 50_778
    static let rawDataUniqueID: UInt16 = 50_781
  }
}
