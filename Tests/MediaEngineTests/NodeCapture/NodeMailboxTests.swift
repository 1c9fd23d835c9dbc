// What waits between a device's thread and the pipeline's.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct NodeMailboxTests {
  @Test("Where a stream can be picked up")
  func beginnings() {
    func begins(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(H264Stream.beginsAnew) }
    #expect(
      begins([0, 0, 0, 1, 0x67, 9]) && begins([0, 0, 1, 0x65]) && begins([0, 0, 1, 0x09, 0x10, 0, 0, 1, 0x27, 3]))
    #expect(
      !begins([0, 0, 1, 0x41, 5, 7]) && !begins([0, 0, 1]) && !begins([]) && !begins([0, 1, 0x65, 0, 0, 2, 0x65]))
  }

  @Test("A stream that is too fast begins anew where it can")
  func overload() {
    func item(_ kind: UInt8, _ number: UInt8, count: Int = 8) -> NodeMailbox.Item {
      let bytes = [0, 0, 1, kind, number] + [UInt8](repeating: 2, count: count)
      return NodeMailbox.Item(block: bytes.withUnsafeBytes { FrameBlock(copying: $0) }, samples: nil, time: .now)
    }
    func numbers(_ box: NodeMailbox) -> [UInt8] {
      var numbers: [UInt8] = []
      while let item = box.take() { numbers.append(item.block.bytes[4]) }
      return numbers
    }
    let box = NodeMailbox(isIndependent: false)
    for number in UInt8(0)..<30 { _ = box.put(item(0x41, number)) }
    #expect(numbers(box) == (0..<30).map { $0 })
    // The pipeline waits by now.
    #expect(box.put(item(0x41, 30))?.block.bytes[4] == 30)
    for number in UInt8(31)..<70 { #expect(box.put(item(0x41, number)) == nil) }
    _ = box.put(item(0x65, 70))
    _ = box.put(item(0x41, 71))
    #expect(numbers(box) == [70, 71])
    let large = NodeMailbox(isIndependent: false)
    for number in UInt8(0)..<3 { _ = large.put(item(0x41, number, count: 4 << 20)) }
    #expect(numbers(large).isEmpty)
  }
}
