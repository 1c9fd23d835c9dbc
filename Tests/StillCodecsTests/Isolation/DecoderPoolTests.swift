// The decoder processes: what they may do, and that their end costs an error.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Decoder processes")
struct DecoderPoolTests {
  private static let size = PixelSize(width: 96, height: 64)

  private func file(_ format: PhotoFormat = .webp) throws -> Data {
    try StillCodecs.encode(StillCodecsTests.picture(Self.size.width, Self.size.height), as: format)
  }

  /// A program that stands in for the decoder.
  func script(_ text: String) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString)")
    let draft = url.appendingPathExtension("txt")
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: draft)
    defer { try? FileManager.default.removeItem(at: draft) }
    // By another program: one that this process has open for writing, perhaps in a child that another test just started,
    // can't be run.
    let result = try Command.run("install", ["-m", "755", draft.path, url.path], at: url.deletingLastPathComponent())
    try #require(result.status == 0)
    return url
  }

  private func process() throws -> DecoderProcess {
    try DecoderProcess(program: try #require(DecoderProgram.path))
  }

  @Test("The decoder is built beside the programs")
  func program() throws {
    let path = try #require(DecoderProgram.path)
    #expect(path.hasSuffix("/photome-decoder"))
  }

  @Test("It may open no file, start no program, and has its limits")
  func confinement() throws {
    let process = try process()
    // It is confined when it answers.
    let data = try file()
    guard
      case .reply(let reply) = try process.ask(DecoderRequest(work: .decode, format: .webp, length: data.count), data)
    else {
      Issue.record("no answer")
      return
    }
    #expect(reply.failure == nil)
    let status = try String(contentsOfFile: "/proc/\(process.number)/status", encoding: .utf8)
    #expect(status.contains(#/NoNewPrivs:\s+1\n/#))
    #expect(status.contains(#/Seccomp:\s+2\n/#))
    let limits = try String(contentsOfFile: "/proc/\(process.number)/limits", encoding: .utf8)
    #expect(limits.contains(#/Max address space\s+6442450944 /#))
    #expect(limits.contains(#/Max core file size\s+0 /#))
    // The socket, the null device, the errors and two stretches of memory.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.number)/fd")
    #expect(open.count == 5, "\(open)")
  }

  @Test("A decoder has nothing that the program has open, and its crash is its end")
  func inheritsNothing() throws {
    // As libraries do.
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { ends.forEach { _ = close($0) } }
    let process = try DecoderProcess(program: try #require(DecoderProgram.path))
    let data = try file()
    guard case .reply = try process.ask(DecoderRequest(work: .decode, format: .webp, length: data.count), data) else {
      Issue.record("no answer")
      return
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.number)/fd")
    #expect(open.count == 5, "\(open)")
    // A process that explains the crash would keep the socket.
    let environment = try String(contentsOfFile: "/proc/\(process.number)/environ", encoding: .utf8)
    #expect(environment.split(separator: "\0").contains("SWIFT_BACKTRACE=enable=no"))
  }

  @Test("A process that is killed while it waits is replaced in silence")
  func killedBetween() throws {
    let pool = DecoderPool(program: DecoderProgram.path)
    let data = try file()
    for _ in 0..<3 {
      let still = try pool.decode(data, as: .webp, needed: nil)
      #expect(still.image.size == Self.size)
      for number in pool.idleNumbers { kill(number, SIGKILL) }
    }
  }

  @Test("A decoder that dies of a file is an error, and the next file is decoded")
  func dies() throws {
    let data = try file()
    let script = try script("kill -SEGV $$")
    defer { try? FileManager.default.removeItem(at: script) }
    let broken = DecoderPool(program: script.path)
    let error = #expect(throws: StillCodecError.self) { try broken.decode(data, as: .webp, needed: nil) }
    #expect(error?.description == "its decoder stopped unexpectedly; the file may be damaged")
    // Something else may have killed it: another try may succeed.
    #expect(error?.isOfFile == false)
    let damaged = #expect(throws: StillCodecError.self) { try StillCodecs.decode(data.prefix(40), as: .webp) }
    #expect(damaged?.isOfFile == true)
    #expect(throws: StillCodecError.self) { try broken.frames(of: data, as: .webp, needed: nil) }
    #expect(try StillCodecs.decode(data, as: .webp).image.size == Self.size)
  }

  @Test("A missing program, and one that can't be started, are named")
  func missing() throws {
    let data = try file()
    let none = #expect(throws: StillCodecError.self) {
      try DecoderPool(program: nil).decode(data, as: .webp, needed: nil)
    }
    #expect(none?.description == "the program photome-decoder is missing; install PhotoMe again")
    let other = #expect(throws: StillCodecError.self) {
      try DecoderPool(program: "/nonexistent/decoder").decode(data, as: .webp, needed: nil)
    }
    #expect(other?.description == "the decoder can’t be started (No such file or directory)")
    #expect(none?.isOfFile == false && other?.isOfFile == false)
  }

  @Test(
    "What a decoder says is not believed",
    arguments: [
      #"{"width":96,"height":64,"alphaLength":0,"profileLength":0}"#,
      #"{"width":60000,"height":60000,"alphaLength":0,"profileLength":0}"#,
      #"{"width":-5,"height":64,"alphaLength":0,"profileLength":0}"#,
      #"{"width":1,"height":1,"alphaLength":0,"profileLength":99999999}"#,
      #"{"width":0,"height":0,"alphaLength":0,"profileLength":0}"#, "nonsense",
    ])
  func liar(_ reply: String) throws {
    // The length in four bytes, little endian, and the text; no pixels.
    let script = try script(
      """
      head -c 20 <&0 >/dev/null
      printf '\\\(String(reply.utf8.count, radix: 8))\\0\\0\\0%s' '\(reply)' >&0
      sleep 20
      """)
    defer { try? FileManager.default.removeItem(at: script) }
    let data = try file()
    #expect(throws: StillCodecError.self) {
      try DecoderPool(program: script.path).decode(data, as: .webp, needed: nil)
    }
  }

  @Test("Many threads have a process each")
  func threads() async throws {
    let data = try file()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<4 {
            let size = try await Blocking.run { try StillCodecs.decode(data, as: .webp).image.size }
            #expect(size == Self.size)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("The same comes from a process as from here", arguments: [PhotoFormat.heic, .avif, .webp, .tiff, .jxl])
  func same(_ format: PhotoFormat) throws {
    let data = try file(format)
    let (here, there) = (try StillCodecs.decodeHere(data, as: format), try StillCodecs.decode(data, as: format))
    #expect(here.image.size == there.image.size && here.image.block.bytes == there.image.block.bytes)
    #expect(here.colors == there.colors)
    #expect(try StillCodecs.colors(of: data, as: format) == here.colors)
  }

  @Test("A smaller picture comes when a smaller one will do")
  func reduced() throws {
    for format in [PhotoFormat.webp, .tiff, .jxl, .heic] {
      let still = try StillCodecs.decode(try file(format), as: format, needed: PixelSize(width: 24, height: 16))
      #expect(still.image.size == PixelSize(width: 24, height: 16), "\(format)")
    }
  }

  @Test("Nothing is left of a pool that is gone")
  func gone() throws {
    var numbers: [pid_t] = []
    do {
      let pool = DecoderPool(program: DecoderProgram.path)
      _ = try pool.decode(try file(), as: .webp, needed: nil)
      numbers = pool.idleNumbers
    }
    #expect(numbers.count == 1)
    for number in numbers { #expect(kill(number, 0) != 0) }
  }

  @Test("All of its threads are confined, its alarm is heard, and it goes first when memory is short")
  func threadsOfOne() async throws {
    // Threads of Dispatch block signals.
    let process = try await Blocking.run { try self.process() }
    let data = try file()
    _ = try process.ask(DecoderRequest(work: .decode, format: .webp, length: data.count), data)
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.number)/task")
    #expect(!tasks.isEmpty)
    for task in tasks {
      let status = try String(contentsOfFile: "/proc/\(process.number)/task/\(task)/status", encoding: .utf8)
      #expect(status.contains(#/Seccomp:\s+2\n/#), "\(status)")
      #expect(status.contains(#/SigBlk:\s+0+\n/#), "\(status)")
    }
    let own = try String(contentsOfFile: "/proc/self/oom_score_adj", encoding: .utf8)
    let adjusted = try String(contentsOfFile: "/proc/\(process.number)/oom_score_adj", encoding: .utf8)
    #expect(Int(adjusted.dropLast()) ?? 0 >= max(Confinement.readinessToEnd, Int(own.dropLast()) ?? 0))
  }

  @Test("Several that were killed while they waited are replaced in silence, also for an animation")
  func killedTogether() throws {
    let pool = DecoderPool(program: DecoderProgram.path)
    let data = try file()
    let gif = HandMadeGIF(width: 3, height: 2, frames: [10, 20].map { .init(width: 3, height: 2, color: $0) }).data
    for _ in 0..<2 {
      // Each keeps a process until it is gone.
      var readers = try (0..<4).map { _ in try pool.frames(of: gif, as: .gif, needed: nil) }
      #expect(readers.allSatisfy { $0 != nil })
      readers = []
      #expect(pool.idleNumbers.count == 4)
      for number in pool.idleNumbers { kill(number, SIGKILL) }
      #expect(try pool.decode(data, as: .webp, needed: nil).image.size == Self.size)
      for number in pool.idleNumbers { kill(number, SIGKILL) }
    }
  }

  @Test("An animation that can't be read is an error, and no still picture")
  func brokenAnimation() throws {
    let pool = DecoderPool(program: DecoderProgram.path)
    let error = #expect(throws: StillCodecError.self) {
      try pool.frames(of: Data("no picture at all".utf8), as: .jxl, needed: nil)
    }
    #expect(error?.description == StillCodecError.damaged.description)
    // A process that has refused a file gets no other one.
    #expect(pool.idleNumbers.isEmpty)
  }

  @Test("A decoder that answers before it is asked isn't asked, and one that lies isn't asked again")
  func unasked() throws {
    let answer = #"{"width":1,"height":1,"alphaLength":0,"profileLength":0}"#
    let once = "printf '\\\(String(answer.utf8.count, radix: 8))\\0\\0\\0%s' '\(answer)' >&0"
    // A pixel is in the memory, and two answers to one question are in the socket.
    let script = try script("printf 'abcd' >&4\nhead -c 20 <&0 >/dev/null\n\(once)\n\(once)\nsleep 20")
    defer { try? FileManager.default.removeItem(at: script) }
    let process = try DecoderProcess(program: script.path)
    let data = try file()
    let request = DecoderRequest(work: .decode, format: .webp, length: data.count)
    guard case .reply(let reply) = try process.ask(request, data) else {
      Issue.record("no answer")
      return
    }
    #expect(try process.still(reply).image.block.bytes == Array("abcd".utf8))
    while process.isReady { usleep(1000) }
    guard case .died = try process.ask(request, data) else {
      Issue.record("an answer to nothing")
      return
    }
    // It claims pixels that it hasn't given.
    let lies = #"{"width":9,"height":9,"alphaLength":0,"profileLength":0}"#
    let liar = try self.script(
      "head -c 20 <&0 >/dev/null\nprintf '\\\(String(lies.utf8.count, radix: 8))\\0\\0\\0%s' '\(lies)' >&0\nsleep 20")
    defer { try? FileManager.default.removeItem(at: liar) }
    let pool = DecoderPool(program: liar.path)
    #expect(throws: StillCodecError.self) { try pool.decode(data, as: .webp, needed: nil) }
    #expect(pool.idleNumbers.isEmpty)
  }

  @Test("A decoder that is slow, or takes nothing, isn't waited for for ever")
  func deadlines() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { ends.forEach { close($0) } }
    let past = SuspendingClock.now.advanced(by: .seconds(-1))
    // Half a head.
    #expect(write(ends[1], "ab", 2) == 2)
    #expect(DecoderChannel.receive(DecoderReply.self, from: ends[0], deadline: past) == nil)
    let block = [UInt8](repeating: 0, count: 4096)
    while send(ends[0], block, block.count, Int32(MSG_DONTWAIT)) > 0 {}
    #expect(!DecoderChannel.send(DecoderRequest(work: .colors), to: ends[0], deadline: past.advanced(by: .seconds(2))))
    let script = try script("sleep 100")
    defer { try? FileManager.default.removeItem(at: script) }
    let outcome = try DecoderProcess(program: script.path).ask(DecoderRequest(work: .nextFrame), nil, within: .zero)
    guard case .tookTooLong = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test("A file that takes more processor time than its size explains is given up, and isn't tried again")
  func processorTime() throws {
    let data = LongTIFF.data
    let process = try process()
    let request = DecoderRequest(work: .decode, format: .tiff, length: data.count, processorTime: 1)
    guard case .tookTooLong = try process.ask(request, data) else {
      Issue.record("It was read, or its end not understood.")
      return
    }
    // As the decoder ends then; what it leaves tells how often it was started.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("decoder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = try script("mktemp -p '\(folder.path)' >/dev/null\nkill -PROF $$")
    defer { for url in [script, folder] { try? FileManager.default.removeItem(at: url) } }
    let pool = DecoderPool(program: script.path)
    let error = #expect(throws: StillCodecError.self) { try pool.decode(try file(), as: .webp, needed: nil) }
    #expect(error?.description == "decoding it takes too long")
    #expect(error?.isOfFile == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }

  @Test(
    "Large pictures may take longer than small ones",
    arguments: [
      (PixelSize(width: 1, height: 1), 15), (PixelSize(width: 5000, height: 5000), 25),
      (PixelSize(width: 20_000, height: 11_000), 90), (nil, 90),
    ])
  func work(_ size: PixelSize?, _ seconds: Int) {
    #expect(DecoderProcess.work(for: size) == seconds)
  }

  @Test("What a decoder gives as a reason is short, and has no marks that turn the text around it")
  func reason() throws {
    let answer =
      #"{"failure":"\u202e\u001b[31mred\#(String(repeating: "e\u{301}", count: 400))","width":0,"height":0,"alphaLength":0,"profileLength":0}"#
    let script = try script(
      """
      head -c 20 <&0 >/dev/null
      printf '\\\(String(answer.utf8.count & 255, radix: 8))\\\(String(answer.utf8.count >> 8, radix: 8))\\0\\0' >&0
      cat >&0 <<'END'
      \(answer)
      END
      sleep 20
      """)
    defer { try? FileManager.default.removeItem(at: script) }
    let error = #expect(throws: StillCodecError.self) {
      try DecoderPool(program: script.path).decode(try self.file(), as: .webp, needed: nil)
    }
    let text = try #require(error?.description)
    #expect(text.hasPrefix("[31mred") && text.unicodeScalars.count == 298)
  }
}
