// Streams that have ended are forgotten, also where nothing is sent anymore.

import CameraCore
import Testing

@Suite(.timeLimit(.minutes(30))) struct StreamListenersTests {
  @Test func streamsThatHaveEndedAreForgottenWhenOthersAreAdded() async {
    var listeners = StreamListeners<Int>()
    let (kept, sink) = AsyncStream.makeStream(of: Int.self)
    listeners.add(sink)
    for _ in 0..<10 {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      listeners.add(continuation)
      let task = Task { for await _ in stream {} }
      task.cancel()
      await task.value
    }
    #expect(listeners.count == 2)
    listeners.send(7)
    #expect(listeners.count == 1)
    listeners.finish()
    var heard: [Int] = []
    for await number in kept { heard.append(number) }
    #expect(heard == [7] && listeners.count == 0)
  }
}
