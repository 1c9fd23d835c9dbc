// The check that a JPEG defines the tables that its frame and scan headers refer to.

import CameraCore

/// Reads frame, scan and table headers without copying them, and refuses contradictory ones.
struct JPEGTableCheck {
  let bytes: UnsafeRawBufferPointer
  private(set) var size: PixelSize?
  /// Whether a scan refers to tables that the standard defines and the picture doesn't.
  private(set) var lacksStandardTables = false
  private var frameCode: UInt8 = 0
  private var componentCount = 0
  /// The size of an MCU of all components, in pixels.
  private var unitSize = PixelSize(width: 8, height: 8)
  /// The number of MCUs from one restart marker to the next; 0 for none.
  private var restartInterval = 0
  /// The number of scans so far, and whether the first has all components in full.
  private var scanCount = 0
  private var isFirstScanWhole = false
  /// A bit for each quantization table that is defined, and for each that a component refers to.
  private var quantizationDefined: UInt8 = 0
  private var quantizationWanted: UInt8 = 0
  /// Bits 0 to 3: DC tables; bits 4 to 7: AC tables.
  private var huffmanDefined: UInt8 = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// SOF: precision, height, width, then three bytes a component (ITU-T T.81, B.2.2).
  mutating func frame(_ payload: Range<Int>, code: UInt8) throws(JPEGStreamError) {
    guard JPEGMarker.isUsualFrameHeader(code) else { throw .unsupported(marker: code) }
    guard size == nil, payload.count >= 9 else { throw .damaged(offset: payload.lowerBound) }
    let start = payload.lowerBound
    guard let height = bytes.bigEndian16(at: start + 1), let width = bytes.bigEndian16(at: start + 3) else {
      throw .cutShort
    }
    let components = Int(bytes[start + 5])
    guard (1...4).contains(components), payload.count == 6 + 3 * components, width > 0 else {
      throw .damaged(offset: start)
    }
    // The height may come after the first scan (DNL); no encoder in use writes such pictures.
    guard height > 0 else { throw .unsupported(marker: code) }
    for index in 0..<components {
      let sampling = bytes[start + 7 + 3 * index]
      let table = bytes[start + 8 + 3 * index]
      guard (1...4).contains(sampling >> 4), (1...4).contains(sampling & 15), table < 4 else {
        throw .damaged(offset: start + 7 + 3 * index)
      }
      quantizationWanted |= 1 << table
      unitSize.width = max(unitSize.width, 8 * Int(sampling >> 4))
      unitSize.height = max(unitSize.height, 8 * Int(sampling & 15))
    }
    componentCount = components
    size = PixelSize(width: width, height: height)
    frameCode = code
  }

  /// DQT: one or more of (precision and number, 64 values of one or two bytes).
  mutating func quantization(_ payload: Range<Int>) throws(JPEGStreamError) {
    var offset = payload.lowerBound
    while offset < payload.upperBound {
      let head = bytes[offset]
      guard head >> 4 <= 1, head & 15 < 4 else { throw .damaged(offset: offset) }
      quantizationDefined |= 1 << (head & 15)
      offset += 1 + (head >> 4 == 0 ? 64 : 128)
    }
    guard offset == payload.upperBound else { throw .damaged(offset: payload.lowerBound) }
  }

  /// DHT: one or more of (class and number, 16 counts, as many values).
  mutating func huffman(_ payload: Range<Int>) throws(JPEGStreamError) {
    var offset = payload.lowerBound
    while offset < payload.upperBound {
      let head = bytes[offset]
      guard head >> 4 <= 1, head & 15 < 4, offset + 17 <= payload.upperBound else { throw .damaged(offset: offset) }
      var values = 0
      for index in 1...16 { values += Int(bytes[offset + index]) }
      guard values <= 256 else { throw .damaged(offset: offset) }
      huffmanDefined |= 1 << ((head >> 4) * 4 + (head & 15))
      offset += 17 + values
    }
    guard offset == payload.upperBound else { throw .damaged(offset: payload.lowerBound) }
  }

  /// SOS: the components of the scan with the numbers of their tables, then the spectral selection.
  mutating func scan(_ payload: Range<Int>) throws(JPEGStreamError) {
    guard size != nil, let first = payload.first else { throw .damaged(offset: payload.lowerBound) }
    let components = Int(bytes[first])
    guard (1...4).contains(components), payload.count == 4 + 2 * components else { throw .damaged(offset: first) }
    guard quantizationWanted & ~quantizationDefined == 0 else { throw .noQuantizationTable }
    scanCount += 1
    if scanCount == 1 { isFirstScanWhole = components == componentCount && [0xc0, 0xc1, 0xc9].contains(frameCode) }
    // Arithmetic coding has no Huffman tables, and a progressive picture no standard ones.
    guard frameCode == 0xc0 || frameCode == 0xc1 else { return }
    var wanted: UInt8 = 0
    for index in 0..<components {
      let numbers = bytes[first + 2 + 2 * index]
      guard numbers >> 4 < 4, numbers & 15 < 4 else { throw .damaged(offset: first + 2 + 2 * index) }
      wanted |= 1 << (numbers >> 4) | 1 << (4 + (numbers & 15))
    }
    let missing = wanted & ~huffmanDefined
    guard missing & 0b1100_1100 == 0 else { throw .noHuffmanTable }
    if missing != 0 { lacksStandardTables = true }
  }

  /// DRI (ITU-T T.81, B.2.4.4).
  mutating func restarts(_ payload: Range<Int>) throws(JPEGStreamError) {
    guard payload.count == 2, let interval = bytes.bigEndian16(at: payload.lowerBound) else {
      throw .damaged(offset: payload.lowerBound)
    }
    restartInterval = interval
  }

  /// Whether the picture is one scan of all components, so that it is complete when that scan is.
  var isOneScan: Bool { scanCount == 1 && isFirstScanWhole }

  /// The restart markers that the scan has when nothing of it is missing; 0 where they can't tell.
  var expectedRestartCount: Int {
    guard isOneScan, restartInterval > 0, let size else { return 0 }
    // A picture of one component counts single blocks, whatever its sampling factors are.
    let unit = componentCount == 1 ? PixelSize(width: 8, height: 8) : unitSize
    let units =
      ((size.width + unit.width - 1) / unit.width) * ((size.height + unit.height - 1) / unit.height)
    return (units - 1) / restartInterval
  }
}
