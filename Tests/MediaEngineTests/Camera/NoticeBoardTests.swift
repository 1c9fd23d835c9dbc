// The board of the engine's notices: order, the state at the beginning, and listeners that leave while something is posted.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct NoticeBoardTests {
  /// A canceled task holds its own lock while it ends its stream, and a notice needs that lock to wake the task.
  @Test func listenersLeaveWhileNoticesArePosted() async {
    let board = NoticeBoard()
    let isOver = Atomic(false)
    let poster = Thread {
      var isOn = false
      while !isOver.load(ordering: .relaxed) {
        isOn.toggle()
        board.post(.sound(isOn ? .off : .awaited))
      }
    }
    poster.start()
    for _ in 0..<20_000 {
      let listener = Task { for await _ in board.listen() {} }
      await Task.yield()
      listener.cancel()
      await listener.value
    }
    isOver.store(true, ordering: .relaxed)
  }
}
