// The walk over the elements of a Matroska file.

/// An element of EBML (RFC 8794): an identifier, a size and a content.
struct EBMLElement: Hashable, Sendable {
  /// With its length marker, as the specifications print it.
  var id: UInt32
  /// With its head. That of an element without a size reaches to the end of what holds it.
  var range: Range<UInt64>
  /// Without its head.
  var content: Range<UInt64>
  /// Whether it doesn't tell its size: live streams don't know it when they begin.
  var isOpenEnded: Bool
}

/// Walks the elements that follow each other in a range of a file.
///
/// Untrusted input: every size is checked against the range, the number of elements is limited, and every step moves
/// forward by at least two bytes.
struct EBMLWalker {
  /// The reason why a walk ended before the end.
  enum Damage: Hashable, Sendable {
    /// The element is longer than what holds it. Its ranges end there.
    case cutShort(EBMLElement)
    /// No element begins at this offset.
    case impossible(at: UInt64)
    /// There are more elements than the limit.
    case tooMany(at: UInt64)
  }

  /// The reader, also for the contents of elements.
  var bytes: ByteWindow
  /// The reason why the walk ended; `nil` at the end of the range.
  private(set) var damage: Damage?
  /// Where the next element begins.
  private(set) var offset: UInt64
  private let end: UInt64
  /// The elements that may still be read.
  private(set) var elementsLeft: Int

  /// - Parameter limit: The most elements that are read.
  init(_ bytes: ByteWindow, in range: Range<UInt64>, limit: Int) {
    self.bytes = bytes
    (offset, end, elementsLeft) = (range.lowerBound, range.upperBound, limit)
  }

  /// The next element; `nil` at the end.
  ///
  /// - Throws: `FormatError.read`.
  mutating func next() throws(FormatError) -> EBMLElement? {
    guard damage == nil, offset < end else { return nil }
    guard elementsLeft > 0 else { return stop(.tooMany(at: offset)) }
    elementsLeft -= 1
    guard let first = try bytes.byte(at: offset), first >= 0x10 else { return stop(.impossible(at: offset)) }
    let idLength = UInt64(first.leadingZeroBitCount) + 1
    guard let id = try bytes.number(at: offset, bytes: Int(idLength)) else {
      return stop(.cutShort(cut(id: UInt32(first))))
    }
    guard let size = try Self.variableNumber(at: offset + idLength, &bytes) else {
      let isEnd = try bytes.byte(at: offset + idLength).map { $0 != 0 } ?? true
      return stop(isEnd ? .cutShort(cut(id: UInt32(id))) : .impossible(at: offset))
    }
    let start = offset + idLength + size.length
    guard start <= end else { return stop(.cutShort(cut(id: UInt32(id)))) }
    let isOpenEnded = size.value == nil
    let length = size.value ?? end - start
    guard length <= end - start else {
      let element = EBMLElement(id: UInt32(id), range: offset..<end, content: start..<end, isOpenEnded: false)
      return stop(.cutShort(element))
    }
    let element = EBMLElement(
      id: UInt32(id), range: offset..<start + length, content: start..<start + length, isOpenEnded: isOpenEnded)
    offset = start + length
    return element
  }

  /// Goes on at an offset, as behind an element without a size whose end was found.
  mutating func move(to offset: UInt64) { self.offset = min(offset, end) }

  /// Lowers the number of elements that may still be read.
  mutating func spend(_ count: Int) { elementsLeft -= min(max(0, count), elementsLeft) }

  private func cut(id: UInt32) -> EBMLElement {
    EBMLElement(id: id, range: offset..<end, content: end..<end, isOpenEnded: false)
  }

  private mutating func stop(_ damage: Damage) -> EBMLElement? {
    self.damage = damage
    return nil
  }

  /// A number of variable length (RFC 8794, 4): as many zero bits as further bytes, a one, and the number.
  ///
  /// - Returns: The number, which is `nil` when all of its bits are set, and the bytes that it takes; `nil` where there
  ///   is none.
  static func variableNumber(
    at offset: UInt64, _ bytes: inout ByteWindow
  ) throws(FormatError) -> (value: UInt64?, length: UInt64)? {
    guard let first = try bytes.byte(at: offset), first > 0 else { return nil }
    let length = first.leadingZeroBitCount + 1
    guard let whole = try bytes.number(at: offset, bytes: length) else { return nil }
    let mask = (UInt64(1) << UInt64(7 * length)) - 1
    return (whole & mask == mask ? nil : whole & mask, UInt64(length))
  }

  // MARK: Contents

  /// An unsigned number (RFC 8794, 7.2); `nil` when it is longer than 64 bits.
  mutating func number(_ element: EBMLElement) throws(FormatError) -> UInt64? {
    guard element.content.count <= 8 else { return nil }
    return element.content.isEmpty ? 0 : try bytes.number(at: element.content.lowerBound, bytes: element.content.count)
  }

  /// A floating-point number (RFC 8794, 7.3); `nil` when it is none, or not finite.
  mutating func float(_ element: EBMLElement) throws(FormatError) -> Double? {
    let value: Double
    switch element.content.count {
    case 0: value = 0
    case 4:
      guard let bits = try number(element) else { return nil }
      value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 8:
      guard let bits = try number(element) else { return nil }
      value = Double(bitPattern: bits)
    default: return nil
    }
    return value.isFinite ? value : nil
  }

  /// A text up to its first zero; `nil` when it is longer than the limit, in bytes.
  mutating func text(_ element: EBMLElement, atMost limit: Int = 1024) throws(FormatError) -> String? {
    guard element.content.count <= limit else { return nil }
    let found = try bytes.bytes(at: element.content.lowerBound, count: element.content.count)
    return String(decoding: found.prefix { $0 != 0 }, as: UTF8.self)
  }
}
