// The walk over boxes: order, nesting, limits and damage.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct MP4BoxWalkerTests {
  private func box(_ type: String, _ content: [UInt8] = [], size: UInt64? = nil) -> [UInt8] {
    BigEndian.words(size ?? UInt64(content.count + 8)) + Array(type.utf8) + content
  }

  private func walk(_ bytes: [UInt8], limit: Int = 100) -> (types: [String], damage: MP4Damage?) {
    var walker = MP4BoxWalker(MemoryReader(bytes[...]), in: 0..<UInt64(bytes.count), limit: limit)
    var types: [String] = []
    while let box = walker.next() { types.append(box.type.description) }
    return (types, walker.damage)
  }

  @Test func boxesFollowEachOther() throws {
    let long = BigEndian.words(1) + Array("mdat".utf8) + BigEndian.words(0, 20) + [1, 2, 3, 4]
    let bytes = box("ftyp", [1, 2]) + long + box("moov") + box("free", [9, 9, 9], size: 0)
    var walker = MP4BoxWalker(MemoryReader(bytes[...]), in: 0..<UInt64(bytes.count), limit: 100)
    let heads = [walker.next(), walker.next(), walker.next(), walker.next(), walker.next()]
    #expect(heads.map { $0?.type } == ["ftyp", "mdat", "moov", "free", nil])
    #expect(heads[1]?.range == 10..<30 && heads[1]?.content == 26..<30)
    #expect(heads[3]?.isOpenEnded == true && heads[3]?.content.count == 3 && heads[3]?.isPadding == false)
    #expect(walker.damage == nil)
    // The same in a file.
    var inFile = MP4BoxWalker(ByteWindow(MemorySource(bytes)), in: 0..<UInt64(bytes.count), limit: 100)
    for head in heads { #expect(try inFile.next() == head) }
  }

  @Test func enteredBoxesAreWalkedInTheirPlace() throws {
    let inner = box("mvhd") + box("trak", box("tkhd"))
    let bytes = box("ftyp") + box("moov", inner) + box("mdat")
    var walker = MP4BoxWalker(MemoryReader(bytes[...]), in: 0..<UInt64(bytes.count), limit: 100)
    var found: [String] = []
    while let box = walker.next() {
      found.append("\(walker.depth)\(box.type)")
      if ["moov", "trak"].contains(box.type) { walker.enter(box) }
    }
    #expect(found == ["0ftyp", "0moov", "1mvhd", "1trak", "2tkhd", "0mdat"])
    // An entered box without a child is left at once; an empty range has no boxes.
    #expect(walk([]).types.isEmpty)
  }

  @Test func damageEndsTheWalk() {
    let good = box("ftyp", [1, 2, 3, 4])
    #expect(walk(good + box("mdat", [], size: 9)).damage == .cutShort(at: 12))
    #expect(walk(good + box("mdat", [], size: 7)).damage == .impossible(at: 12))
    #expect(walk(good + box("mdat", [], size: 1)).damage == .cutShort(at: 12))
    #expect(walk(good + box("mdat", BigEndian.words(0, 15), size: 1)).damage == .impossible(at: 12))
    #expect(walk(good + box("mdat", BigEndian.words(.max, .max), size: 1)).damage == .cutShort(at: 12))
    #expect(walk(good + box("a b ") + box("mdat"), limit: 2).damage == .tooMany(at: 20))
    // Less than a head is left: zeros at the end of a list.
    #expect(walk(good + [0, 0, 0, 0]).damage == nil && walk(good + [0, 0, 0, 0]).types == ["ftyp"])
    // A damaged walk stays where it ended.
    var walker = MP4BoxWalker(MemoryReader([0, 0, 0, 3, 1, 1, 1, 1]), in: 0..<8, limit: 9)
    #expect(walker.next() == nil && walker.next() == nil && walker.damage == .impossible(at: 0))
  }

  @Test func zerosAtTheEndArePadding() {
    let bytes = box("ftyp") + [UInt8](repeating: 0, count: 20)
    var walker = MP4BoxWalker(MemoryReader(bytes[...]), in: 0..<UInt64(bytes.count), limit: 100)
    #expect(walker.next()?.isPadding == false && walker.next()?.isPadding == true)
  }

  @Test func typesAreLatin1() {
    #expect(("©xyz" as MP4Type).code == 0xa978_797a && ("moov" as MP4Type).code == 0x6d6f_6f76)
    #expect(("éabc" as MP4Type).code == 0xe961_6263 && MP4Type(code: 0xa978_797a).description == "©xyz")
  }

  @Test func userDataThatIsNoBoxesStaysAsItIs() throws {
    let junk: [UInt8] = [0, 0, 0, 3, 9, 9, 9, 9, 9]
    let boxes = try MP4Box.boxes(in: box("moov", box("udta", junk))[...])
    #expect(boxes.first?["udta"]?.bytes == junk && boxes.first?["udta"]?.children == nil)
    #expect(throws: FormatError.damagedMovie) { try MP4Box.boxes(in: box("moov", box("trak", junk))[...]) }
  }
}
