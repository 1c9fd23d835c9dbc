// Requests that nobody wants any more end the work of their decoders.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StillCodecs

extension DecoderPoolTests {
  /// Waits until a decoder has been started, as it tells in a file.
  ///
  /// - Returns: Its number.
  private func number(in log: URL) throws -> pid_t {
    while true {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      if text.hasSuffix("\n") { return try #require(pid_t(text.dropLast())) }
      sched_yield()
    }
  }

  /// A request on a thread of its own.
  private final class Request: Sendable {
    let isCancelled = CancellationFlag()
    private let outcome = Mutex<StillCodecError?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    init(of pool: DecoderPool) {
      Blocking.start { [self, isCancelled] in
        do throws(StillCodecError) {
          // Of what has no head that can be read, the size isn't known: it may be large.
          _ = try pool.decode(Data("picture".utf8), as: .webp, needed: nil, unless: isCancelled)
        } catch {
          outcome.withLock { $0 = error }
        }
        isDone.signal()
      }
    }

    /// Its error; waits for the end.
    var error: StillCodecError? {
      isDone.wait()
      return outcome.withLock { $0 }
    }
  }

  // Without a task that waits for its turn: on a busy machine that takes longer than a decoder may.
  @Test("A canceled request ends its decoder, and gives up its place among large pictures", .timeLimit(.minutes(30)))
  func cancelled() throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString).log")
    let script = try script("echo $$ >'\(log.path)'\nexec sleep 100000")
    defer { for url in [script, log] { try? FileManager.default.removeItem(at: url) } }
    let pool = DecoderPool(program: script.path)
    let first = Request(of: pool)
    let number = try number(in: log)
    let second = Request(of: pool)
    second.isCancelled.set()
    #expect(second.error?.isCancellation == true)
    // No other one was started meanwhile, and this one works on.
    #expect(try String(contentsOf: log, encoding: .utf8) == "\(number)\n")
    #expect(kill(number, 0) == 0)
    first.isCancelled.set()
    #expect(first.error?.isCancellation == true)
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
