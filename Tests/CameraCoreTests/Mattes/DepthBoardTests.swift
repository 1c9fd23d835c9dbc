// The board of a depth camera's frames.

import Foundation
import Synchronization
import Testing

@testable import CameraCore

@Suite(.timeLimit(.minutes(30))) struct DepthBoardTests {
  private final class Log: Sendable {
    private let noted = Mutex<[String]>([])
    var texts: [String] { noted.withLock { $0 } }
    func note(_ text: String) { noted.withLock { $0.append(text) } }
  }

  private static func frame(_ milliseconds: Int64) -> DepthFrame {
    DepthFrame(
      time: time(milliseconds), size: PixelSize(width: 2, height: 1),
      block: FrameBlock(count: 4) { $0.initializeMemory(as: UInt8.self, repeating: 1) })
  }

  private static func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("A picture gets the distances of its time, or none")
  func times() {
    let board = DepthBoard()
    func found(_ milliseconds: Int64) -> Int64? {
      board.frame(near: Self.time(milliseconds)).map { $0.time.nanoseconds / 1_000_000 }
    }
    #expect(found(0) == nil)
    let reader = board.setReader { _ in }
    for at: Int64 in [1000, 1033, 1066, 1100, 1133] { board.put(Self.frame(at), from: reader) }
    #expect([1050, 1101, 1263].map { found($0) } == [1066, 1100, 1133])
    #expect(found(1264) == nil)
    // The first one is forgotten.
    #expect(found(1000) == 1033)
    board.empty(by: reader - 1)
    #expect(found(1100) == 1100)
    board.empty(by: reader)
    #expect(found(1100) == nil)
  }

  @Test("The reader works while somebody follows, and another reader takes its place")
  func readers() {
    let board = DepthBoard()
    let log = Log()
    board.follow()
    let first = board.setReader { log.note("first \($0)") }
    board.follow()
    board.unfollow()
    board.unfollow()
    #expect(!board.isFollowed)
    board.put(Self.frame(5), from: first)
    let second = board.setReader { log.note("second \($0)") }
    #expect(board.frame(near: Self.time(5)) == nil, "Those of another camera.")
    board.put(Self.frame(5), from: first)
    #expect(board.frame(near: Self.time(5)) == nil, "Of a thread that is late.")
    board.put(Self.frame(6), from: second)
    board.removeReader(first)
    #expect(board.frame(near: Self.time(6)) != nil)
    board.follow()
    board.removeReader(second)
    board.unfollow()
    #expect(log.texts == ["first true", "first false", "second false", "second true"])
  }
}
