// The decoder processes: started when they are needed, kept for a while, replaced when they die.

import CameraCore
import Foundation
import Localization
import MediaFormats
import Synchronization

/// Decodes untrusted files in processes of their own, which may compute and nothing else (`Confinement`): a file that breaks
/// a decoder costs an error and a process, and neither the program nor anything that the person has.
///
/// A process that has refused a file, or died of it, gets no other one: the file may have taken it over. One that seems sound may
/// be asked for thumbnails and views again. What is written to a file of the person comes from a new one that then ends, so that no
/// other file has a say in its pixels.
final class DecoderPool: Sendable {
  static let shared = DecoderPool(program: DecoderProgram.path)

  /// In seconds. Processes that nobody needs give their memory back.
  private static let idleTime = 10.0
  /// How often a file is tried whose process dies: the first time, something else may have killed it.
  private static let attempts = 2
  /// In Unicode scalars: what the process says is as untrusted as the file.
  private static let longestReason = 300

  private let program: String?
  private struct Idle {
    var processes: [DecoderProcess] = []
    /// Counts the times that one was given back.
    var generation = 0
  }
  private let idle = Mutex(Idle())

  /// - Parameter program: The path of `photome-decoder`; `nil` when there is none.
  init(program: String?) { self.program = program }

  /// Decodes a picture.
  ///
  /// - Parameters:
  ///   - isKept: Whether the pixels are written to a file of the person.
  ///   - isCancelled: Ends the work, and the process that does it, when it is set.
  /// - Throws: `StillCodecError`.
  func decode(
    _ data: Data, as format: PhotoFormat, needed: PixelSize?, isKept: Bool = false,
    unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> DecodedStill {
    // A head that can't be read may be of any size.
    let size = Self.size(of: data)
    let request = DecoderRequest(
      work: .decode, format: format, neededWidth: needed?.width, neededHeight: needed?.height, length: data.count,
      processorTime: DecoderProcess.work(for: size))
    return try StillLimits.limited(
      size ?? PixelSize(width: 0, height: 0), isTrusted: size != nil, unless: isCancelled
    ) { () throws(StillCodecError) in
      try perform(request, data, isKept: isKept, isCancelled) { process, reply throws(StillCodecError) in
        try process.still(reply)
      }
    }
  }

  /// The same with 16 bits a channel; `nil` when the file has 8.
  func decodeDeep(
    _ data: Data, as format: PhotoFormat, isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> DeepStill? {
    let size = Self.size(of: data)
    let request = DecoderRequest(
      work: .decodeDeep, format: format, length: data.count, processorTime: DecoderProcess.work(for: size))
    return try StillLimits.limited(
      bytes: size.map(StillLimits.deepAmount) ?? .max, unless: isCancelled
    ) { () throws(StillCodecError) in
      try perform(request, data, isKept: isKept, isCancelled) { process, reply throws(StillCodecError) in
        reply.width == 0 && reply.height == 0 ? nil : try process.deepStill(reply)
      }
    }
  }

  /// What the values of a picture mean once it is decoded.
  func colors(
    of data: Data, as format: PhotoFormat, isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> StillColors {
    let request = DecoderRequest(work: .colors, format: format, length: data.count)
    return try perform(request, data, isKept: isKept, isCancelled) { process, reply throws(StillCodecError) in
      try process.colors(reply)
    }
  }

  /// The frames of an animated picture, each decoded when it is asked for; `nil` for a still one.
  ///
  /// - Parameters:
  ///   - needed: As for `decode`.
  ///   - isCancelled: Ends the work when it is set, also that of a frame that is asked for later.
  func frames(
    of data: Data, as format: PhotoFormat, needed: PixelSize?, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> (any StillFrameReader)? {
    let size = Self.size(of: data)
    if let size, size.area > StillLimits.largestCanvas { return nil }
    let request = DecoderRequest(
      work: .openFrames, format: format, neededWidth: needed?.width, neededHeight: needed?.height, length: data.count,
      processorTime: DecoderProcess.work(for: size))
    let (process, reply) = try answer(to: request, data, isKept: false, isCancelled)
    try Self.check(reply)
    guard let loopCount = reply.loopCount else {
      giveBack(process)
      return nil
    }
    return IsolatedFrames(
      process, self, loopCount: loopCount, colors: try process.colors(reply), processorTime: request.processorTime,
      isCancelled)
  }

  /// - Returns: `nil` when the head can't be read.
  private static func size(of data: Data) -> PixelSize? { (try? PictureHead(DataSource(data, name: "picture")))?.size }

  private func perform<Result>(
    _ request: DecoderRequest, _ data: Data, isKept: Bool, _ isCancelled: CancellationFlag?,
    _ use: (DecoderProcess, DecoderReply) throws(StillCodecError) -> Result
  ) throws(StillCodecError) -> Result {
    let (process, reply) = try answer(to: request, data, isKept: isKept, isCancelled)
    // One that has refused a file, or whose answer is untrue, isn't asked again.
    try Self.check(reply)
    let result = try use(process, reply)
    if !isKept { giveBack(process) }
    return result
  }

  /// Runs a request until it is answered.
  private func answer(
    to request: DecoderRequest, _ data: Data, isKept: Bool, _ isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> (DecoderProcess, DecoderReply) {
    for _ in 1..<Self.attempts {
      if isCancelled?.isSet == true { throw .cancelled }
      let process = try isKept ? start() : take()
      switch try process.ask(request, data, unless: isCancelled) {
      case .reply(let reply): return (process, reply)
      case .tookTooLong: throw Self.tookTooLong
      case .cancelled: throw .cancelled
      // It is dropped.
      case .died: continue
      }
    }
    if isCancelled?.isSet == true { throw .cancelled }
    // Those that wait may all have been killed together.
    let process = try start()
    return (process, try reply(of: process, to: request, data, isCancelled))
  }

  /// - Throws: The reason that a reply gives.
  fileprivate static func check(_ reply: DecoderReply) throws(StillCodecError) {
    guard let failure = reply.failure else { return }
    throw StillCodecError(String(String.UnicodeScalarView(failure.unicodeScalars.prefix(longestReason))).displayed)
  }

  private static var tookTooLong: StillCodecError { StillCodecError(localized("decoding it takes too long")) }

  /// - Throws: Also when the process dies.
  fileprivate func reply(
    of process: DecoderProcess, to request: DecoderRequest, _ data: Data?, _ isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DecoderReply {
    switch try process.ask(request, data, unless: isCancelled) {
    case .reply(let reply): return reply
    case .tookTooLong: throw Self.tookTooLong
    case .cancelled: throw .cancelled
    case .died:
      // Something else may have killed it, as the kernel does without memory.
      throw StillCodecError(localized("its decoder stopped unexpectedly; the file may be damaged"), isOfFile: false)
    }
  }

  // MARK: Processes

  /// The numbers of the processes that wait, for tests.
  var idleNumbers: [pid_t] { idle.withLock { $0.processes.map(\.number) } }

  private func take() throws(StillCodecError) -> DecoderProcess {
    // Those that were killed meanwhile are dropped.
    while let process = idle.withLock({ $0.processes.popLast() }) { if process.isReady { return process } }
    return try start()
  }

  private func start() throws(StillCodecError) -> DecoderProcess {
    guard let program else {
      throw StillCodecError(localized("the program photome-decoder is missing; install PhotoMe again"), isOfFile: false)
    }
    return try DecoderProcess(program: program)
  }

  fileprivate func giveBack(_ process: DecoderProcess) {
    process.clear()
    let generation = idle.withLock { idle in
      idle.processes.append(process)
      idle.generation += 1
      return idle.generation
    }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.idleTime) { [weak self] in
      // They end outside of the lock.
      let unused = self?.idle.withLock { idle -> [DecoderProcess] in
        guard idle.generation == generation else { return [] }
        defer { idle.processes = [] }
        return idle.processes
      }
      _ = unused
    }
  }
}

/// The frames of an animated picture in a decoder process, which is kept until all are read or this is released.
private final class IsolatedFrames: StillFrameReader {
  private var process: DecoderProcess?
  private let pool: DecoderPool
  let loopCount: Int
  let colors: StillColors
  private let processorTime: Int
  private let isCancelled: CancellationFlag?

  /// - Parameter processorTime: As of `DecoderRequest`, for each frame.
  init(
    _ process: DecoderProcess, _ pool: DecoderPool, loopCount: Int, colors: StillColors, processorTime: Int,
    _ isCancelled: CancellationFlag?
  ) {
    (self.process, self.pool, self.loopCount, self.colors) = (process, pool, loopCount, colors)
    (self.processorTime, self.isCancelled) = (processorTime, isCancelled)
    process.clear(keepsFile: true)
  }

  deinit { if let process { pool.giveBack(process) } }

  func next() throws(StillCodecError) -> StillFrame? {
    guard let process else { return nil }
    // Whoever is dead, lost in the file, or says what isn't true is asked no more.
    self.process = nil
    let request = DecoderRequest(work: .nextFrame, processorTime: processorTime)
    let reply = try pool.reply(of: process, to: request, nil, isCancelled)
    if reply.failure == nil, let duration = reply.duration {
      let frame = StillFrame(image: try process.still(reply).image, duration: AnimationCanvas.shown(max(0, duration)))
      process.clear(keepsFile: true)
      self.process = process
      return frame
    }
    try DecoderPool.check(reply)
    pool.giveBack(process)
    return nil
  }
}

/// The path of the decoder program.
enum DecoderProgram {
  private static let name = "photome-decoder"

  /// `PHOTOME_DECODER`; beside the running program, as in a build; `../libexec` beside it, as it is installed. `nil` where it
  /// is in none of these.
  static let path: String? = {
    var candidates: [String] = []
    if let named = ProcessInfo.processInfo.environment["PHOTOME_DECODER"] { candidates.append(named) }
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
      candidates += [name, "../libexec/\(name)"].map { folder.appendingPathComponent($0).standardized.path }
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()
}
