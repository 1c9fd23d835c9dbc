// AVI files: their facts, and damaged ones.

import CameraCore
import TestSupport
import Testing

@testable import MediaFormats

@Suite("AVI files")
struct AVIHeadTests {
  private typealias Made = HandMadeAVI

  private static let frames = Made.list("movi", Made.chunk("00dc", [1, 2, 3]))

  private func head(_ bytes: [UInt8]) throws -> AVIHead { try #require(try AVIHead(MemorySource(bytes))) }

  @Test("A file tells its duration, size and date")
  func facts() throws {
    let date = Made.chunk("IDIT", Array("SUN JUN 15 10:20:30 2003\n\0".utf8))
    let head = try head(Made.file(Made.header(width: 320, height: -240, frames: 25, more: date), Self.frames))
    #expect(head.duration == 2.5)
    #expect(head.size == PixelSize(width: 320, height: 240))
    #expect(head.created == "2003:06:15 10:20:30")
    #expect(head.hasPicture && !head.hasSound)
    #expect(head.walk == .complete)
    #expect(head.mediaRange?.count == Made.chunk("00dc", [1, 2, 3]).count)
  }

  @Test("A file beyond a gigabyte counts the frames of all of its parts")
  func openDML() throws {
    let total = Made.list("odml", Made.chunk("dmlh", Made.words(100)))
    let more = Made.list("AVIX", Self.frames, as: "RIFF")
    let head = try head(Made.file(Made.header(width: 8, height: 8, frames: 25, more: total), Self.frames) + more)
    #expect(head.duration == 10)
    #expect(head.walk == .complete)
  }

  @Test(
    "Dates in the forms of cameras",
    arguments: [
      ("Mon Mar  3 09:44:56 2008", "2008:03:03 09:44:56"), ("2005:08:17 11:42:43", "2005:08:17 11:42:43"),
      ("2003/03/10 15:04:43", "2003:03:10 15:04:43"), ("2019-03-04", nil), ("2019", nil), ("", nil),
      ("Mon Foo  3 09:44:56 2008", nil), ("99999:1:1 1:1:1", nil),
    ])
  func dates(text: String, date: String?) { #expect(AVIHead.date(text) == date) }

  @Test("A file is complete only as a whole", arguments: [1, 5, 20])
  func cut(missing: Int) throws {
    let whole = Made.file(Made.header(width: 8, height: 8, frames: 2), Self.frames)
    #expect(try head(Array(whole.dropLast(missing))).walk == .cutShort)
  }

  @Test("No cut of a file traps, nor any byte of it changed")
  func everyByte() throws {
    let whole = Made.file(Made.header(width: 8, height: 8, frames: 2), Made.list("INFO", []), Self.frames)
    for end in whole.indices {
      _ = try AVIHead(MemorySource(whole[..<end]))
      for value in [UInt8(0), 0x01, 0x7f, 0xff] {
        var changed = whole
        changed[end] = value
        _ = try AVIHead(MemorySource(changed))
      }
    }
  }
}
