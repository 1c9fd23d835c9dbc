// Matroska and WebM files: their facts, live recordings, and damaged ones.

import CameraCore
import TestSupport
import Testing

@testable import MediaFormats

@Suite("Matroska files")
struct MatroskaHeadTests {
  private typealias Made = HandMadeMatroska

  private static let picture = Made.tracks(Made.picture(width: 320, height: 240), Made.sound)
  private static let information = Made.element(
    Made.information,
    Made.number(0x2ad7b1, 1_000_000) + Made.float(0x4489, 2500) + Made.number(0x4461, 1_000_000_000))
  private static let frames = Made.element(Made.cluster, Made.frames(from: 0, at: [0, 40, 80]))

  private static func file(_ parts: [UInt8]...) -> [UInt8] {
    Made.header() + Made.element(Made.segment, parts.flatMap(\.self))
  }

  private func head(_ bytes: [UInt8]) throws -> MatroskaHead { try #require(try MatroskaHead(MemorySource(bytes))) }

  @Test("A finished file tells its duration, size, date, place and camera")
  func facts() throws {
    let tags = Made.tag("LOCATION", "+48.8577+002.2950/") + Made.tag("COM.ANDROID.MODEL", "Pixel 8")
    let head = try head(Self.file(Self.information, Self.picture, Self.frames, tags))
    #expect(head.duration == 2.5)
    #expect(head.size == PixelSize(width: 320, height: 240))
    #expect(head.created == 978_307_201)
    #expect(head.position == "+48.8577+002.2950/")
    #expect(head.model == "Pixel 8")
    #expect(head.hasSound && head.hasPicture && !head.isWebM)
    #expect(head.walk == .complete)
    #expect(head.mediaRange?.count == Made.frames(from: 0, at: [0, 40, 80]).count)
  }

  @Test(
    "A turned picture has its upright size",
    arguments: [(-90.0, 1, 240), (90, 3, 240), (180, 2, 320), (0, 0, 320), (45, 0, 320)])
  func turned(roll: Double, turns: Int, width: Int) throws {
    let head = try head(Self.file(Made.tracks(Made.picture(width: 320, height: 240, roll: roll)), Self.frames))
    #expect(head.quarterTurns == turns)
    #expect(head.size?.width == width)
  }

  @Test("A live recording without sizes and duration lasts to its last frame")
  func live() throws {
    let clusters =
      Made.openEnded(Made.cluster, Made.frames(from: 0, at: [0, 40]))
      + Made.openEnded(Made.cluster, Made.frames(from: 1000, at: [0, 90]))
    let tags = Made.tag("LOCATION", "+01+002/")
    let bytes = Made.header("webm") + Made.openEnded(Made.segment, Self.picture + clusters + tags)
    let head = try head(bytes)
    #expect(head.isWebM)
    #expect(head.duration == 1.09)
    #expect(head.position == "+01+002/")
    #expect(head.walk == .complete)
    // The last frame is cut off.
    #expect(try self.head(bytes.dropLast(tags.count + 1)).walk == .cutShort)
  }

  @Test("A file is complete only as a whole", arguments: [1, 10, 30])
  func cut(missing: Int) throws {
    let whole = Self.file(Self.information, Self.picture, Self.frames)
    let head = try head(Array(whole.dropLast(missing)))
    #expect(head.walk == .cutShort)
    #expect(head.size == PixelSize(width: 320, height: 240))
    #expect(head.mediaRange != nil)
  }

  @Test("Sizes that can't be, elements in themselves and endless ones end the reading")
  func hostile() throws {
    let huge: [UInt8] = [0x1f, 0x43, 0xb6, 0x75, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]
    #expect(try head(Self.file(Self.picture, huge)).walk == .cutShort)
    var nested = Made.number(0x7675, 0)
    for _ in 0..<200 { nested = Made.element(0x7670, nested) }
    #expect(try head(Self.file(Made.tracks(Made.element(0xae, nested)), Self.frames)).size == nil)
    let open = try head(Self.file(Self.picture, Self.frames, Made.openEnded(0x1254_c367, [])))
    #expect(open.walk != .complete)
    #expect(try head(Self.file(Self.picture, Self.frames, [0, 0, 0, 0])).walk != .complete)
    #expect(try MatroskaHead(MemorySource(Made.header("matroshka") + Made.element(Made.segment, []))) == nil)
    #expect(try MatroskaHead(MemorySource(Made.header())) == nil)
  }

  @Test("No cut of a file traps, nor any byte of it changed")
  func everyByte() throws {
    let whole = Self.file(Self.information, Self.picture, Self.frames, Made.tag("MAKE", "A"))
    for end in whole.indices {
      _ = try MatroskaHead(MemorySource(whole[..<end]))
      for value in [UInt8(0), 0x01, 0x7f, 0xff] {
        var changed = whole
        changed[end] = value
        _ = try MatroskaHead(MemorySource(changed))
      }
    }
  }
}
