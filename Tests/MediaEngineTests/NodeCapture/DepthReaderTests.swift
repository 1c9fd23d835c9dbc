// A simulated depth camera beside a camera.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct DepthReaderTests {
  private static let size = PixelSize(width: 8, height: 4)

  private func node(
    stride: Int = 0, pixelFormat: UInt32 = DepthReader.pixelFormat, fault: SimulatedNode.Fault = .none
  ) -> SimulatedNode {
    let row = stride == 0 ? 2 * Self.size.width : stride
    let format = NodeFormat(
      pixelFormat: pixelFormat, size: Self.size, stride: stride, byteCount: row * Self.size.height)
    return SimulatedNode([format: FrameRate(30)], fault: fault) { _ in
      (0..<row * Self.size.height).map { index -> UInt8 in
        let (x, y) = (index % row / 2, index / row)
        if x >= Self.size.width { return 0xee }
        return index % 2 == 0 ? UInt8(10 * y + x) : 2
      }
    }
  }

  private func reader(_ node: SimulatedNode, _ board: DepthBoard, hasDepth: Bool = true) -> DepthReader {
    // A device is read once at a time.
    let path = "/dev/video-\(UUID().uuidString)"
    return DepthReader(
      beside: path, board: board,
      search: { $0 == path && hasDepth ? .init(path: "/dev/video0", size: Self.size) : nil },
      open: node.opening)
  }

  private func frame(of board: DepthBoard) async -> DepthFrame {
    while true {
      if let frame = board.frame(near: .now) { return frame }
      await Task.yield()
    }
  }

  private func wait(for node: SimulatedNode, _ events: [String]) async {
    while node.events != events { await Task.yield() }
  }

  @Test("It is read while somebody wants distances, row by row", arguments: [0, 16, 24])
  func reading(stride: Int) async {
    let (node, board) = (node(stride: stride), DepthBoard())
    let reader = reader(node, board)
    reader.start()
    #expect(node.events == [])
    board.follow()
    let frame = await frame(of: board)
    #expect(frame.size == Self.size)
    var (distances, expected): ([UInt16], [UInt16]) = ([], [])
    frame.block.withUnsafeBytes { bytes in
      for index in 0..<Self.size.area {
        distances.append(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)))
        let (x, y) = (index % Self.size.width, index / Self.size.width)
        expected.append(UInt16(0x200 + 10 * y + x))
      }
    }
    #expect(distances == expected)
    board.unfollow()
    await wait(for: node, ["open", "start", "close"])
    // It rests, and comes again.
    board.follow()
    _ = await self.frame(of: board)
    reader.stop()
    await wait(for: node, ["open", "start", "close", "open", "start", "close"])
    #expect(board.frame(near: .now) == nil)
    board.unfollow()
    board.follow()
    #expect(node.events.count == 6)
  }

  @Test("One that fails, or sends something else, is left alone")
  func failures() async {
    let nodes = [
      node(fault: .refuses(NodeFailure(step: .opening, number: EBUSY))),
      node(fault: .refuses(NodeFailure(step: .setting, number: EINVAL))), node(pixelFormat: NodeMode.code("YUYV")),
      node(fault: .vanishes(after: 2)),
    ]
    for node in nodes {
      let board = DepthBoard()
      let reader = reader(node, board)
      reader.start()
      board.follow()
      while !reader.hasEnded { await Task.yield() }
      board.unfollow()
      let events = node.events
      board.follow()
      #expect(reader.hasEnded && node.events == events && board.frame(near: .now) == nil)
      reader.stop()
    }
  }

  @Test("Damaged frames and cut ones aren’t taken", arguments: [SimulatedNode.Fault.cutsShort, .damages])
  func badFrames(_ fault: SimulatedNode.Fault) async {
    let (node, board) = (node(fault: fault), DepthBoard())
    let reader = reader(node, board)
    reader.start()
    board.follow()
    // The second and every other one is bad; the good ones are taken, and none is what a cut one would be.
    var times: Set<MonotonicTime> = []
    while times.count < 3 {
      let frame = await frame(of: board)
      times.insert(frame.time)
      #expect(frame.block.withUnsafeBytes { $0[2 * Self.size.area - 1] } == 2)
    }
    reader.stop()
    await wait(for: node, ["open", "start", "close"])
  }

  @Test("A camera without a depth camera has none")
  func none() async {
    let (node, board) = (node(), DepthBoard())
    let reader = reader(node, board, hasDepth: false)
    reader.start()
    board.follow()
    while !reader.hasEnded { await Task.yield() }
    #expect(node.events == [])
    reader.stop()
  }

  @Test("It is a further node of the same device, in the size that is nearest to what is wanted")
  func search() {
    func identity(_ number: Int, _ device: String?) -> NodeIdentity {
      NodeIdentity(path: "/dev/video\(number)", device: device)
    }
    let identities = [
      identity(0, "/sys/a"), identity(1, "/sys/a"), identity(2, "/sys/b"), identity(4, "/sys/a"), identity(5, nil),
    ]
    let sizes = ["1280x720", "640x480", "256x144"].compactMap { PixelSize($0) }
    func found(_ camera: Int, _ depth: Set<Int>) -> DepthReader.Node? {
      DepthReader.node(beside: "/dev/video\(camera)", among: identities) { path in
        depth.contains { path == "/dev/video\($0)" } ? sizes : []
      }
    }
    let size = PixelSize(width: 640, height: 480)
    #expect(found(4, [0]) == .init(path: "/dev/video0", size: size))
    #expect(found(4, [2]) == nil)
    #expect(found(4, [4]) == nil)
    #expect(found(5, [0, 5]) == nil)
    #expect(found(9, [0]) == nil)
    #expect(found(0, [1]) == .init(path: "/dev/video1", size: size))
    #expect(DepthReader.node(beside: "/dev/no-such-camera") == nil)
  }
}
