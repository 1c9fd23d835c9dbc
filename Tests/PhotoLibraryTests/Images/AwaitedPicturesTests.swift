// Work that gives way to the pictures that a person waits for.

import CameraCore
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct AwaitedPicturesTests {
  @Test func nothingIsWaitedForWithoutThem() {
    AwaitedPictures().waitForNone(atMost: DispatchTimeInterval.never)
  }

  @Test func theLastOneLetsGo() async {
    let pictures = AwaitedPictures()
    let order = Mutex<[String]>([])
    pictures.begin()
    pictures.begin()
    let waiter = Task {
      await Blocking.run {
        pictures.waitForNone(atMost: DispatchTimeInterval.never)
        order.withLock { $0.append("others") }
      }
    }
    while pictures.waiterCount == 0 { await Task.yield() }
    pictures.end()
    #expect(pictures.waiterCount == 1)
    order.withLock { $0.append("seen") }
    pictures.end()
    await waiter.value
    #expect(order.withLock { $0 } == ["seen", "others"])
  }

  @Test func theyAreNotWaitedForWithoutEnd() {
    let pictures = AwaitedPictures()
    pictures.begin()
    pictures.waitForNone(atMost: .milliseconds(1))
    #expect(pictures.waiterCount == 0)
    pictures.end()
  }

  @Test(arguments: [ImageRequestOptions.Priority.visible, .ahead])
  func requestsForWhatIsSeenCount(priority: ImageRequestOptions.Priority) async throws {
    let pictures = AwaitedPictures()
    let queue = ImageQueue(limit: 1, awaited: pictures)
    let (gate, key) = (OneShot<Void, Never>(), ImageQueue.Key.single(UUID()))
    let image = DecodedImage.plain(PixelSize(width: 2, height: 2))
    let request = { (priority: ImageRequestOptions.Priority) in
      Task {
        try await queue.run(key, priority: priority) { _, _ in
          await gate.wait()
          return ImageQueue.Outcome(image: image)
        }
      }
    }
    let first = request(priority)
    while queue.waiterCount(key) < 1 { await Task.yield() }
    #expect(pictures.count == (priority == .visible ? 1 : 0))
    // The same picture is seen now, and no longer.
    let second = request(.visible)
    while queue.waiterCount(key) < 2 { await Task.yield() }
    #expect(pictures.count == 1)
    second.cancel()
    while queue.waiterCount(key) > 1 { await Task.yield() }
    #expect(pictures.count == 1)
    first.cancel()
    while queue.waiterCount(key) > 0 { await Task.yield() }
    #expect(pictures.count == 0)
    gate.decide(.success(()))
    await queue.becomesIdle()
    #expect(pictures.count == 0)
  }
}
