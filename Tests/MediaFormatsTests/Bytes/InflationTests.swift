// Decompression of zlib's format.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct InflationTests {
  /// Numbers in hexadecimal digits, a line each, and a part that repeats.
  private static let text =
    (0..<60).map { String($0 * $0 * 7919 % 65_521, radix: 16) + "\n" }.joined()
    + String(repeating: "abc", count: 600)

  /// The text as zlib compresses it, with codes of its own.
  private static let dynamic = """
    eNrtjsmNRTEIBO8djRc2h2Mw5B/CZ+KYJ9UFUerugZlZUPfAFBX0VWAj8HmGjHHhsQ7iLmljDpyKg1YLErXhgxl7XkKNWMgXD8uC\
    cafFX9IAxVvQov7W6YAXDjtJ8P0c070QUxcuz4WQVhaXI/ZmnOSAq0wkb9w9CcrdY0KJR27oTYXlRGhfoYcM9abC8/W8lIfyZKjS\
    xR7W8/QmOO5DlF3YYIJkBY7bAldvz604JAI37VqPj4+Pj4+Pf8sPP071EA==
    """

  /// The same with fixed codes.
  private static let fixed = """
    eAEz4DJMTU3jMk9KSuYyNDM34wLy0rhMLUy4TC1TLLhSkw0SuZKSjSy5khONzIAqDA24LNOSLbmAStO4zJLTjLmSDExNuYwNE024\
    0gySjbhSU5JTuIwskk25Eg0tkkEmGXCZJKcYcZmnmQBl0yyBBqQkJ3FZWKaacCUZpyRxGSYlpXElG5obcSWaGhpxJZsBlRiZpiVx\
    JRsbm3JZppomcyWZmxlypZoacyUaG5pwmZsC7bEwM0nlSjFJsuACuimNyyjJxIQLqN6cy9zSxIIrLcXQnCspNQXovFSzFK60pFRT\
    LnNzk0QuYwMLoPPME1O5TJMTU7iS0ywSuSwMTE24zFLTkrkskyyMuEzTgG5PNTbnsjQxM+NKsjAHWpuUPIpG0SgaRaNoFI1YBAA/\
    TvUQ
    """

  @Test(arguments: [dynamic, fixed]) func aTextIsReadInBothKindsOfCodes(base64: String) throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: base64)))
    let content = try #require(Inflation.content(of: bytes[...], limit: 1 << 16))
    #expect(String(decoding: content, as: UTF8.self) == Self.text)
    // One byte less than it has.
    #expect(Inflation.content(of: bytes[...], limit: content.count - 1) == nil)
    // Behind the blocks is a checksum of four bytes.
    for count in 0..<bytes.count - 4 { #expect(Inflation.content(of: bytes[..<count], limit: 1 << 16) == nil) }
    #expect(Inflation.content(of: bytes.dropLast(4), limit: 1 << 16) != nil)
  }

  @Test func storedBlocksAreRead() {
    for count in [0, 1, 0xffff, 0x10000, 200_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
      #expect(Inflation.content(of: PNGFile.stored(bytes)[...], limit: count) == bytes)
    }
  }

  @Test func damageEndsInNothing() throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: Self.dynamic)))
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        // Whatever it gives, it is within the limit.
        #expect((Inflation.content(of: damaged[...], limit: 5000) ?? []).count <= 5000)
      }
    }
    // Another method, and a dictionary.
    #expect(Inflation.content(of: [0x77, 0x85, 3, 0], limit: 9) == nil)
    #expect(Inflation.content(of: [0x78, 0xbb, 3, 0], limit: 9) == nil)
    // A distance behind the beginning: a fixed block with a copy of three bytes in front.
    #expect(Inflation.content(of: [0x78, 0x9c, 0x03, 0x02, 0x00], limit: 9) == nil)
  }
}
