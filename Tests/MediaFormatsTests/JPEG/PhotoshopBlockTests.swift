// Photoshop's block: previews go, everything else stays byte for byte.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct PhotoshopBlockTests {
  private func resource(_ id: Int, _ bytes: [UInt8], name: String = "") -> [UInt8] {
    let name = [UInt8(name.utf8.count)] + Array(name.utf8)
    return Array("8BIM".utf8) + [UInt8(id >> 8), UInt8(id & 0xff)] + name + (name.count % 2 == 1 ? [0] : [])
      + [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes + (bytes.count % 2 == 1 ? [0] : [])
  }

  @Test func previewsAreRemoved() {
    let iptc = resource(0x0404, [1, 2, 3])
    let path = resource(0x07d0, [4, 5], name: "a path")
    let previews = resource(0x0409, [6]) + resource(0x040c, [UInt8](repeating: 7, count: 700))
    #expect(PhotoshopBlock.withoutPreviews(iptc + previews + path) == iptc + path)
    #expect(PhotoshopBlock.withoutPreviews(iptc + path) == iptc + path)
    // The last padding byte may be missing.
    #expect(PhotoshopBlock.withoutPreviews(Array(iptc.dropLast())) == Array(iptc.dropLast()))
    #expect(PhotoshopBlock.withoutPreviews([]) == [])
  }

  @Test func damageEndsTheBlock() {
    let iptc = resource(0x0404, [1, 2, 3])
    #expect(PhotoshopBlock.withoutPreviews(iptc + Array("8BIMxx".utf8)) == iptc)
    #expect(PhotoshopBlock.withoutPreviews(iptc + Array("8BIM".utf8) + [4, 4, 0, 0, 255, 255, 255, 255, 1]) == iptc)
    var numbers = SeededNumbers.fresh()
    for _ in 0..<500 {
      var bytes = iptc + resource(0x040c, [9, 9, 9]) + iptc
      bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      #expect(PhotoshopBlock.withoutPreviews(bytes).count <= bytes.count)
    }
  }
}
