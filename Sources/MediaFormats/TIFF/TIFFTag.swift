// The tags of TIFF directories by their use.

/// Tags of TIFF 6.0, its supplements, and EXIF.
///
/// Source: TIFF 6.0, appendix A; TIFF Technical Notes 1 to 3; Exif 3.0 (CIPA DC-008), 4.6; TIFF/EP (ISO 12234-2).
enum TIFFTag {
  static let subfileType: UInt16 = 254
  static let oldSubfileType: UInt16 = 255
  static let width: UInt16 = 256
  static let height: UInt16 = 257
  static let bitsPerSample: UInt16 = 258
  static let compression: UInt16 = 259
  static let photometric: UInt16 = 262
  static let stripOffsets: UInt16 = 273
  static let samplesPerPixel: UInt16 = 277
  static let rowsPerStrip: UInt16 = 278
  static let stripByteCounts: UInt16 = 279
  static let tileOffsets: UInt16 = 324
  static let tileByteCounts: UInt16 = 325
  static let subdirectories: UInt16 = 330
  static let jpegTables: UInt16 = 347
  static let jpegOffset: UInt16 = 513
  static let jpegByteCount: UInt16 = 514
  static let xmp: UInt16 = 700
  /// IPTC's records.
  static let iptc: UInt16 = 33_723
  /// Photoshop's resources, which may have them as well.
  static let photoshop: UInt16 = 34_377
  static let profile: UInt16 = 34_675
  static let exif: UInt16 = 34_665
  static let positions: UInt16 = 34_853
  static let interoperability: UInt16 = 40_965
  static let dngVersion: UInt16 = 50_706

  /// The types that programs give to blocks of bytes: BYTE, ASCII, SBYTE and UNDEFINED.
  static let blockTypes: Set<UInt16> = [1, 2, 6, 7]

  /// Blocks in which a place may be, besides EXIF's directories.
  static let described: Set<UInt16> = [xmp, iptc, photoshop]

  /// Whether a directory of its own belongs to EXIF: the camera's settings, or positions.
  static func isExifPointer(_ tag: UInt16) -> Bool { tag == exif || tag == positions }

  /// Tags of the first directory that describe the picture and belong to EXIF's block.
  static let descriptive: Set<UInt16> = [
    // Document name, description, make, model, orientation, resolutions, page name, resolution unit.
    269, 270, 271, 272, 274, 282, 283, 285, 296,
    // Software, date, artist, host computer, rating and its percentage, copyright.
    305, 306, 315, 316, 0x4746, 0x4749, 33_432,
    // TIFF/EP has these in the first directory: exposure time, aperture, program, sensitivity, time zone, self timer.
    33_434, 33_437, 34_850, 34_855, 34_858, 34_859,
    // Date of the exposure, from shutter speed to focal length, number, history and subject.
    36_867, 37_377, 37_378, 37_379, 37_380, 37_381, 37_382, 37_383, 37_384, 37_385, 37_386, 37_393, 37_395, 37_396,
    // Windows' title, comment, author, keywords and subject.
    40_091, 40_092, 40_093, 40_094, 40_095,
  ]

  /// Tags without which pixels can't be decoded or have other colors, and that hold no texts. Subdirectories are not
  /// among them, and neither is what the oldest form of JPEG compression needs, which has offsets of its own.
  static let structural: Set<UInt16> = [
    // From the kind of subfile to the order of bits.
    254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266,
    // Strips, samples, value range, planes, gray curve, fax options, page number, transfer function.
    273, 277, 278, 279, 280, 281, 284, 290, 291, 292, 293, 297, 301,
    // Predictor, white point, primaries, color map, halftone hints, tiles, faxes' bad lines.
    317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328,
    // Inks, dot range, extra samples, their format and range, transfer range, indexed, tables, decoding, default color.
    332, 334, 336, 338, 339, 340, 341, 342, 346, 347, 433, 434, 435,
    // YCbCr: coefficients, subsampling, positions, reference black and white; rows of strips.
    529, 530, 531, 532, 559,
    // SGI's forms of extra samples, sample format and depth; colors by CIELog; LERC's parameters.
    32_995, 32_996, 32_997, 32_998, 34_675, 37_439, 50_674,
  ]
}
