// TIFF by libtiff.

import CTIFF
import CameraCore
import Foundation
import Localization
import PhotoEffects

/// libtiff on memory, behind Swift's errors.
enum TIFFCodec: StillCodec {
  static let isIsolated = true

  // MARK: Decoding

  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill {
    let file = try TIFFMemoryFile(reading: data)
    try file.findPicture()
    let size = PixelSize(
      width: Int(file.number(TIFFTAG_IMAGEWIDTH) ?? 0), height: Int(file.number(TIFFTAG_IMAGELENGTH) ?? 0))
    try StillLimits.check(size)
    // The pixels as they are stored: EXIF's orientation is applied later, as in every format.
    withVaList([Int32(ORIENTATION_TOPLEFT)]) { _ = TIFFVSetField(file.handle, UInt32(TIFFTAG_ORIENTATION), $0) }
    if let wide = WideTIFF(file, size) {
      return try wide.still()
    }
    var message = [CChar](repeating: 0, count: 1024)
    guard TIFFRGBAImageOK(file.handle, &message) != 0 else {
      throw StillCodecError(localized("libtiff reports “\(file.message ?? Self.text(message))”"))
    }
    return try DecodedStill.overWhite(size, opacity(of: file), colors: StillColors(profile: file.profile)) {
      (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
      // Words of opacity, blue, green and red from the highest byte down: red comes first in memory.
      let isRead = pixels.withMemoryRebound(to: UInt32.self, capacity: size.area) {
        TIFFReadRGBAImageOriented(
          file.handle, UInt32(size.width), UInt32(size.height), $0, ORIENTATION_TOPLEFT, 1) != 0
      }
      guard isRead else {
        throw file.message.map { StillCodecError(localized("libtiff reports “\($0)”")) } ?? .damaged
      }
    }
  }

  /// The opacity as libtiff's conversion leaves it: it multiplies colors by it, but not grays.
  private static func opacity(of file: TIFFMemoryFile) -> Opacity {
    guard let kind = file.firstExtraSample else { return .none }
    let isGray = [PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE].contains(Int32(file.number(TIFFTAG_PHOTOMETRIC) ?? 0))
    return isGray && Int32(kind) == EXTRASAMPLE_UNASSALPHA ? .straight : .premultiplied
  }

  static func colors(of data: Data) throws(StillCodecError) -> StillColors {
    let file = try TIFFMemoryFile(reading: data)
    try file.findPicture()
    return StillColors(profile: file.profile)
  }

  static func text(_ message: [CChar]) -> String {
    String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: Encoding

  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    try encode(image.samples(alpha), image.size, bits: 8, hasAlpha: alpha != nil, colors: colors)
  }

  /// - Parameter samples: Red, green and blue, and opacity where there is some, of 8 or 16 bits each in the machine's order.
  static func encode(
    _ samples: [UInt8], _ size: PixelSize, bits: Int, hasAlpha: Bool, colors: StillColors
  ) throws(StillCodecError) -> Data {
    let file = try TIFFMemoryFile(writing: size.area)
    let (width, height) = (size.width, size.height)
    let channels = hasAlpha ? 4 : 3
    let length = channels * width * bits / 8
    // Strips of some 64 KiB, as the specification recommends them for its times; more compresses better.
    let rows = max(1, min(height, (1 << 18) / max(1, length)))
    let fields: [(Int32, Int)] = [
      (TIFFTAG_IMAGEWIDTH, width), (TIFFTAG_IMAGELENGTH, height), (TIFFTAG_SAMPLESPERPIXEL, channels),
      (TIFFTAG_BITSPERSAMPLE, bits), (TIFFTAG_PHOTOMETRIC, Int(PHOTOMETRIC_RGB)),
      (TIFFTAG_PLANARCONFIG, Int(PLANARCONFIG_CONTIG)), (TIFFTAG_ORIENTATION, Int(ORIENTATION_TOPLEFT)),
      (TIFFTAG_COMPRESSION, Int(COMPRESSION_LZW)), (TIFFTAG_PREDICTOR, Int(PREDICTOR_HORIZONTAL)),
      (TIFFTAG_ROWSPERSTRIP, rows),
    ]
    for (tag, value) in fields { try file.set(tag, value) }
    if hasAlpha { try file.setAlpha() }
    if let profile = colors.profile {
      let isSet = profile.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return false }
        return withVaList([UInt32(bytes.count), OpaquePointer(start)]) {
          TIFFVSetField(file.handle, UInt32(TIFFTAG_ICCPROFILE), $0) != 0
        }
      }
      guard isSet else { throw file.failure }
    }
    var pixels = samples
    let isWritten = pixels.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return (0..<height).allSatisfy {
        TIFFWriteScanline(file.handle, start + $0 * length, UInt32($0), 0) >= 0
      }
    }
    guard isWritten, TIFFWriteDirectory(file.handle) != 0 else { throw file.failure }
    return file.finish()
  }
}

/// A TIFF file in memory.
final class TIFFMemoryFile {
  private final class Memory {
    var data: Data
    var offset: UInt64 = 0
    var message: String?

    init(_ data: Data) { self.data = data }
  }

  let handle: OpaquePointer
  private let memory: Memory
  private var isOpen = true
  /// libtiff's first complaint.
  var message: String? { memory.message }
  var failure: StillCodecError { failure(or: .noMemory) }
  func failure(or other: StillCodecError) -> StillCodecError {
    message.map { StillCodecError(localized("libtiff reports “\($0)”")) } ?? other
  }

  /// The most that libtiff allocates at once, in bytes.
  static let largestBlock: tmsize_t = 1 << 30

  convenience init(reading data: Data) throws(StillCodecError) { try self.init(data, "r") }

  /// - Parameter area: In pixels.
  convenience init(writing area: Int) throws(StillCodecError) {
    var data = Data()
    data.reserveCapacity(area)
    try self.init(data, "w")
  }

  private init(_ data: Data, _ mode: String) throws(StillCodecError) {
    let memory = Memory(data)
    guard let options = TIFFOpenOptionsAlloc() else { throw .noMemory }
    defer { TIFFOpenOptionsFree(options) }
    let client = Unmanaged.passUnretained(memory).toOpaque()
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, Self.largestBlock)
    TIFFOpenOptionsSetErrorHandlerExtR(options, tiffComplain, client)
    TIFFOpenOptionsSetWarningHandlerExtR(options, tiffIgnore, nil)
    let handle = TIFFClientOpenExt(
      "picture", mode, client, tiffRead, tiffWrite, tiffSeek, tiffClose, tiffSize, tiffMap, tiffUnmap, options)
    guard let handle else {
      throw memory.message.map { StillCodecError(localized("libtiff reports “\($0)”")) } ?? .noPicture
    }
    (self.handle, self.memory) = (handle, memory)
  }

  deinit { if isOpen { TIFFClose(handle) } }

  /// The whole file, after its directory was written.
  func finish() -> Data {
    TIFFClose(handle)
    isOpen = false
    return memory.data
  }

  /// Goes to the first page that isn't a reduced version of another one.
  func findPicture() throws(StillCodecError) {
    repeat {
      let kind = number(TIFFTAG_SUBFILETYPE) ?? 0
      if kind & UInt32(FILETYPE_REDUCEDIMAGE | FILETYPE_MASK) == 0 { return }
    } while TIFFReadDirectory(handle) != 0
    guard TIFFSetDirectory(handle, 0) != 0 else { throw .noPicture }
  }

  /// The value of a tag of 16 or 32 bits.
  func number(_ tag: Int32) -> UInt32? {
    var value: UInt32 = 0
    let isThere = withUnsafeMutablePointer(to: &value) { value in
      withVaList([value]) { TIFFVGetFieldDefaulted(handle, UInt32(tag), $0) != 0 }
    }
    // Short values are written into the first two bytes, whatever the byte order of the machine.
    guard isThere else { return nil }
    return Self.shortTags.contains(tag)
      ? withUnsafeBytes(of: &value) { UInt32($0.loadUnaligned(as: UInt16.self)) } : value
  }

  private static let shortTags: Set<Int32> = [
    TIFFTAG_SAMPLESPERPIXEL, TIFFTAG_BITSPERSAMPLE, TIFFTAG_PHOTOMETRIC, TIFFTAG_SAMPLEFORMAT, TIFFTAG_PLANARCONFIG,
    TIFFTAG_INKSET,
  ]

  /// The kind of the first sample behind those of the color, which may be opacity (`EXTRASAMPLE_…`); `nil` when there is none.
  var firstExtraSample: UInt16? {
    var (count, kinds): (UInt16, UnsafeMutablePointer<UInt16>?) = (0, nil)
    let isThere = withUnsafeMutablePointer(to: &count) { count in
      withUnsafeMutablePointer(to: &kinds) { kinds in
        withVaList([count, kinds]) { TIFFVGetFieldDefaulted(handle, UInt32(TIFFTAG_EXTRASAMPLES), $0) != 0 }
      }
    }
    return isThere && count > 0 ? kinds?.pointee : nil
  }

  var profile: Data? {
    var (count, bytes): (UInt32, UnsafeMutableRawPointer?) = (0, nil)
    let isThere = withUnsafeMutablePointer(to: &count) { count in
      withUnsafeMutablePointer(to: &bytes) { bytes in
        withVaList([count, bytes]) { TIFFVGetField(handle, UInt32(TIFFTAG_ICCPROFILE), $0) != 0 }
      }
    }
    guard isThere, let bytes, (1...StillColors.longestProfile).contains(Int(count)) else { return nil }
    return Data(bytes: bytes, count: Int(count))
  }

  func set(_ tag: Int32, _ value: Int) throws(StillCodecError) {
    guard withVaList([Int32(value)], { TIFFVSetField(handle, UInt32(tag), $0) != 0 }) else { throw failure }
  }

  /// Says that the last sample is opacity, by which the colors aren't multiplied.
  func setAlpha() throws(StillCodecError) {
    var kind = UInt16(EXTRASAMPLE_UNASSALPHA)
    let isSet = withUnsafeMutablePointer(to: &kind) { kind in
      withVaList([Int32(1), kind]) { TIFFVSetField(handle, UInt32(TIFFTAG_EXTRASAMPLES), $0) != 0 }
    }
    guard isSet else { throw failure }
  }

  // MARK: Calls by libtiff, on the thread that called it

  fileprivate static func note(_ client: UnsafeMutableRawPointer?, _ message: String) {
    guard let memory = memory(client), memory.message == nil else { return }
    memory.message = message
  }

  private static func memory(_ client: UnsafeMutableRawPointer?) -> Memory? {
    client.map { Unmanaged<Memory>.fromOpaque($0).takeUnretainedValue() }
  }

  fileprivate static func read(
    _ client: UnsafeMutableRawPointer?, _ buffer: UnsafeMutableRawPointer?, _ count: tmsize_t
  ) -> tmsize_t {
    guard let memory = memory(client), let buffer, count > 0, memory.offset < UInt64(memory.data.count) else {
      return 0
    }
    let start = memory.data.startIndex + Int(memory.offset)
    let length = min(Int(count), memory.data.endIndex - start)
    memory.data.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: length), from: start..<start + length)
    memory.offset += UInt64(length)
    return tmsize_t(length)
  }

  fileprivate static func write(
    _ client: UnsafeMutableRawPointer?, _ buffer: UnsafeMutableRawPointer?, _ count: tmsize_t
  ) -> tmsize_t {
    guard let memory = memory(client), let buffer, count > 0 else { return 0 }
    let (start, end) = (Int(memory.offset), Int(memory.offset) + Int(count))
    if memory.data.count < end { memory.data.append(Data(count: end - memory.data.count)) }
    memory.data.replaceSubrange(start..<end, with: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
    memory.offset += UInt64(count)
    return count
  }

  fileprivate static func seek(_ client: UnsafeMutableRawPointer?, _ offset: UInt64, _ origin: Int32) -> UInt64 {
    guard let memory = memory(client) else { return 0 }
    // Offsets from the current place or from the end may be negative; unsigned arithmetic wraps as C's does.
    switch origin {
    case SEEK_CUR: memory.offset &+= offset
    case SEEK_END: memory.offset = UInt64(memory.data.count) &+ offset
    default: memory.offset = offset
    }
    return memory.offset
  }

  fileprivate static func size(_ client: UnsafeMutableRawPointer?) -> UInt64 { UInt64(memory(client)?.data.count ?? 0) }
}

private func tiffRead(_ client: thandle_t?, _ buffer: UnsafeMutableRawPointer?, _ count: tmsize_t) -> tmsize_t {
  TIFFMemoryFile.read(client, buffer, count)
}

private func tiffWrite(_ client: thandle_t?, _ buffer: UnsafeMutableRawPointer?, _ count: tmsize_t) -> tmsize_t {
  TIFFMemoryFile.write(client, buffer, count)
}

private func tiffSeek(_ client: thandle_t?, _ offset: toff_t, _ origin: Int32) -> toff_t {
  TIFFMemoryFile.seek(client, offset, origin)
}

private func tiffClose(_ client: thandle_t?) -> Int32 { 0 }

private func tiffSize(_ client: thandle_t?) -> toff_t { TIFFMemoryFile.size(client) }

private func tiffMap(
  _ client: thandle_t?, _ base: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ size: UnsafeMutablePointer<toff_t>?
) -> Int32 { 0 }

private func tiffUnmap(_ client: thandle_t?, _ base: UnsafeMutableRawPointer?, _ size: toff_t) {}

private func tiffComplain(
  _ file: OpaquePointer?, _ client: UnsafeMutableRawPointer?, _ module: UnsafePointer<CChar>?,
  _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) -> Int32 {
  var text = [CChar](repeating: 0, count: 512)
  guard let format, let arguments else { return 1 }
  vsnprintf(&text, text.count, format, arguments)
  TIFFMemoryFile.note(client, TIFFCodec.text(text))
  return 1
}

private func tiffIgnore(
  _ file: OpaquePointer?, _ client: UnsafeMutableRawPointer?, _ module: UnsafePointer<CChar>?,
  _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) -> Int32 { 1 }
