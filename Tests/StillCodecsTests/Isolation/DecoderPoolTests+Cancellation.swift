// Requests that nobody wants any more end the work of their decoders.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import StillCodecs

extension DecoderPoolTests {
  /// Waits until a decoder has been started, as it tells in a file.
  ///
  /// - Returns: Its number.
  private func number(in log: URL) async throws -> pid_t {
    while true {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      if text.hasSuffix("\n") { return try #require(pid_t(text.dropLast())) }
      await Task.yield()
    }
  }

  @Test("A canceled request ends its decoder, and gives up its place among large pictures", .timeLimit(.minutes(30)))
  func cancelled() async throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString).log")
    let script = try script("echo $$ >'\(log.path)'\nexec sleep 100000")
    defer { for url in [script, log] { try? FileManager.default.removeItem(at: url) } }
    let pool = DecoderPool(program: script.path)
    // Of what has no head that can be read, the size isn't known: it may be large.
    @Sendable func ask(_ isCancelled: CancellationFlag) async -> StillCodecError? {
      do throws(StillCodecError) {
        _ = try await Blocking.run { () throws(StillCodecError) in
          try pool.decode(Data("picture".utf8), as: .webp, needed: nil, unless: isCancelled)
        }
        return nil
      } catch {
        return error
      }
    }
    let (decoding, waiting) = (CancellationFlag(), CancellationFlag())
    async let first = ask(decoding)
    let number = try await number(in: log)
    async let second = ask(waiting)
    waiting.set()
    #expect(await second?.isCancellation == true)
    // No other one was started meanwhile, and this one works on.
    #expect(try String(contentsOf: log, encoding: .utf8) == "\(number)\n")
    #expect(kill(number, 0) == 0)
    decoding.set()
    #expect(await first?.isCancellation == true)
    #expect(kill(number, 0) != 0)
    #expect(pool.idleNumbers.isEmpty)
    // The place is free.
    let refusal = #expect(throws: StillCodecError.self) {
      try DecoderPool(program: DecoderProgram.path).decode(Data("picture".utf8), as: .webp, needed: nil)
    }
    #expect(refusal?.isCancellation == false)
  }

  @Test("A canceled request ends the decoder of an animation’s next frame, too")
  func cancelledFrame() throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString).log")
    let script = try script("echo $$ >>'\(log.path)'\nexec '\(try #require(DecoderProgram.path))'")
    defer { for url in [script, log] { try? FileManager.default.removeItem(at: url) } }
    let gif = HandMadeGIF(width: 3, height: 2, frames: [10, 20, 30].map { .init(width: 3, height: 2, color: $0) }).data
    let pool = DecoderPool(program: script.path)
    let flag = CancellationFlag()
    let reader = try #require(try pool.frames(of: gif, as: .gif, needed: nil, unless: flag))
    let number = try #require(pid_t(String(contentsOf: log, encoding: .utf8).dropLast()))
    #expect(try reader.next() != nil)
    #expect(kill(number, 0) == 0)
    flag.set()
    let error = #expect(throws: StillCodecError.self) { try reader.next() }
    #expect(error?.isCancellation == true && error?.isOfFile == false)
    #expect(kill(number, 0) != 0)
    #expect(pool.idleNumbers.isEmpty)
  }

  @Test("No decoder is started for what is canceled already")
  func cancelledBefore() throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString).log")
    let script = try script("echo $$ >>'\(log.path)'\nexec '\(try #require(DecoderProgram.path))'")
    defer { for url in [script, log] { try? FileManager.default.removeItem(at: url) } }
    let data = try StillCodecs.encode(StillCodecsTests.picture(16, 16), as: .webp)
    let pool = DecoderPool(program: script.path)
    let flag = CancellationFlag()
    flag.set()
    for ask in [
      { _ = try pool.decode(data, as: .webp, needed: nil, unless: flag) },
      { _ = try pool.decodeDeep(data, as: .webp, isKept: true, unless: flag) },
      { _ = try pool.colors(of: data, as: .webp, unless: flag) },
      { _ = try pool.frames(of: data, as: .webp, needed: nil, unless: flag) },
    ] as [() throws -> Void] {
      let error = #expect(throws: StillCodecError.self) { try ask() }
      #expect(error?.isCancellation == true && error?.isOfFile == false)
    }
    #expect(!FileManager.default.fileExists(atPath: log.path))
  }
}
