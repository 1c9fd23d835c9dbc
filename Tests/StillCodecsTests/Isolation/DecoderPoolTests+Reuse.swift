// Which decoder processes are asked again.

import CameraCore
import Foundation
import Testing

@testable import StillCodecs

extension DecoderPoolTests {
  @Test("A process that has refused a file gets no other one")
  func refused() throws {
    let pool = DecoderPool(program: DecoderProgram.path)
    let data = try StillCodecs.encode(StillCodecsTests.picture(48, 32), as: .webp)
    _ = try pool.decode(data, as: .webp, needed: nil)
    let sound = pool.idleNumbers
    #expect(sound.count == 1)
    // A sound one is.
    _ = try pool.decode(data, as: .webp, needed: nil)
    #expect(pool.idleNumbers == sound)
    #expect(throws: StillCodecError.self) { try pool.decode(data.prefix(40), as: .webp, needed: nil) }
    #expect(pool.idleNumbers.isEmpty)
    for number in sound { #expect(kill(number, 0) != 0) }
  }

  @Test("What is written to a file is decoded by a process that has seen no other file")
  func kept() throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString).log")
    let script = try script("echo $$ >>'\(log.path)'\nexec '\(try #require(DecoderProgram.path))'")
    defer { for url in [script, log] { try? FileManager.default.removeItem(at: url) } }
    func startCount() throws -> Int { try String(contentsOf: log, encoding: .utf8).count { $0 == "\n" } }
    let pool = DecoderPool(program: script.path)
    let data = try StillCodecs.encode(StillCodecsTests.picture(48, 32), as: .webp)
    for _ in 0..<2 { _ = try pool.decode(data, as: .webp, needed: nil) }
    let waiting = pool.idleNumbers
    #expect(waiting.count == 1)
    #expect(try startCount() == 1)
    for (index, decode)
      in ([
        { _ = try pool.decode(data, as: .webp, needed: nil, isKept: true) },
        { _ = try pool.decodeDeep(data, as: .webp, isKept: true) },
        { _ = try pool.colors(of: data, as: .webp, isKept: true) },
      ] as [() throws -> Void]).enumerated()
    {
      try decode()
      // By a new one, which has ended.
      #expect(try startCount() == index + 2)
      #expect(pool.idleNumbers == waiting)
    }
  }
}
