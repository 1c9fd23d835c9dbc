// One decoder process, as PhotoMe sees it.

import CameraCore
import Foundation
import Localization
import PhotoEffects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A running decoder process. For one caller at a time.
final class DecoderProcess: @unchecked Sendable {
  // Sendable: it is used by whoever took it out of the pool, until it is given back.

  /// The end of a request.
  enum Outcome {
    case reply(DecoderReply)
    /// The process has ended, or sent something that isn't a reply.
    case died
    case tookTooLong
    /// Nobody wants the answer, which may still come: the process is of no use.
    case cancelled
  }

  /// In seconds. The slowest picture that is accepted takes a tenth of that on a slow machine.
  static let deadline = 90
  /// Of processor time, in seconds, for a small picture: one that is made to take long shouldn't keep others waiting.
  static let shortestWork = 15

  /// The most processor time, of all threads together, that a picture may take.
  ///
  /// - Parameter size: As its head states; `nil` when that can't be read.
  /// - Returns: In seconds: those of a small one, and another one for each 2.5 megapixels.
  static func work(for size: PixelSize?) -> Int {
    min(deadline, shortestWork + (size.map { max(0, $0.area) / 2_500_000 } ?? deadline))
  }

  private let process: pid_t
  private let socket: Int32
  private let input: SharedMemory
  private let output: SharedMemory

  /// The process's number, for tests.
  var number: pid_t { process }

  /// Starts a process.
  ///
  /// - Parameter program: The path of `photome-decoder`.
  /// - Throws: `StillCodecError` when it can't be started.
  init(program: String) throws(StillCodecError) {
    guard let input = SharedMemory("photome-file"), let output = SharedMemory("photome-pixels") else { throw .noMemory }
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Self.failure(errno)
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // A descriptor that has its number already would stay closed on exec: the numbers are all above these.
    let targets = [
      (ends[1], DecoderService.socket), (input.descriptor, DecoderService.input),
      (output.descriptor, DecoderService.output),
    ]
    var moved: [Int32] = []
    defer { moved.forEach { close($0) } }
    for (descriptor, target) in targets {
      let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 64)
      guard high >= 0 else {
        close(ends[0])
        throw Self.failure(errno)
      }
      moved.append(high)
      posix_spawn_file_actions_adddup2(&actions, high, target)
    }
    // libjxl prints what it thinks of each damaged file.
    for stream in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
    }
    // One heap for all threads: each further one reserves 64 MiB of what the process may have.
    var environment = ProcessInfo.processInfo.environment
    environment["MALLOC_ARENA_MAX"] = "1"
    // Swift would explain a crash before the confinement in a process of its own, which inherits the socket: it would look
    // like a long wait.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    // The threads of Dispatch block signals, that of the alarm among them, and a program inherits what they block.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let code = posix_spawn(&process, program, &actions, &attributes, arguments, variables)
    guard code == 0 else {
      close(ends[0])
      throw Self.failure(code)
    }
    (self.process, socket, self.input, self.output) = (process, ends[0], input, output)
  }

  /// Ends the process.
  deinit {
    close(socket)
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  private static func failure(_ code: Int32) -> StillCodecError {
    StillCodecError(localized("the decoder can’t be started (\(String(cString: strerror(code))))"), isOfFile: false)
  }

  /// Whether it can be asked: it lives, and has said nothing unasked, which would be taken for the next answer.
  var isReady: Bool { DecoderChannel.isQuiet(socket) }

  /// Sends a request, and waits for the answer.
  ///
  /// - Parameters:
  ///   - data: The file; `nil` for one that was sent before.
  ///   - time: The longest wait, while the computer is awake.
  ///   - isCancelled: Ends the waiting when it is set.
  func ask(
    _ request: DecoderRequest, _ data: Data?, within time: Duration = .seconds(deadline),
    unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> Outcome {
    if isCancelled?.isSet == true { return .cancelled }
    guard isReady else { return .died }
    if let data, !input.write(data) { throw .noMemory }
    let deadline = SuspendingClock.now.advanced(by: time)
    if DecoderChannel.send(request, to: socket, deadline: deadline, unless: isCancelled),
      let reply = DecoderChannel.receive(DecoderReply.self, from: socket, deadline: deadline, unless: isCancelled)
    {
      return .reply(reply)
    }
    if isCancelled?.isSet == true { return .cancelled }
    return SuspendingClock.now < deadline && !hasUsedItsTime ? .died : .tookTooLong
  }

  /// Whether the process was ended because its processor time was used up.
  private var hasUsedItsTime: Bool {
    // Its socket is closed a moment before it has ended. One that closed it itself may live on.
    for _ in 0..<100 {
      var end = siginfo_t()
      guard waitid(P_PID, id_t(process), &end, WEXITED | WNOWAIT | WNOHANG) == 0 else { return false }
      if end.si_signo == SIGCHLD { return end._sifields._sigchld.si_status == SIGPROF }
      usleep(10_000)
    }
    return false
  }

  /// The picture of a reply. The reply is untrusted.
  func still(_ reply: DecoderReply) throws(StillCodecError) -> DecodedStill {
    let (size, block) = try pixels(reply, bytes: 4)
    return DecodedStill(
      image: DecodedImage(size: size, stride: size.width * 4, block: block),
      alpha: try alpha(reply, behind: size.area * 4),
      colors: try colors(reply, behind: size.area * 4 + reply.alphaLength))
  }

  /// The picture of a reply with 16 bits a channel. The reply is untrusted.
  func deepStill(_ reply: DecoderReply) throws(StillCodecError) -> DeepStill {
    let bytes = MemoryLayout<DeepPixels.Pixel>.stride
    let (size, block) = try pixels(reply, bytes: bytes)
    return DeepStill(
      pixels: DeepPixels(size: size, block: block), alpha: try alpha(reply, behind: size.area * bytes),
      colors: try colors(reply, behind: size.area * bytes + reply.alphaLength))
  }

  /// - Parameter count: The bytes of a pixel.
  private func pixels(
    _ reply: DecoderReply, bytes count: Int
  ) throws(StillCodecError) -> (size: PixelSize, block: FrameBlock) {
    let size = PixelSize(width: reply.width, height: reply.height)
    try StillLimits.check(size)
    guard count == 4 || size.area <= StillLimits.largestDeepArea else { throw .damaged }
    var isComplete = false
    let block = FrameBlock(count: size.area * count) { isComplete = output.read(into: $0, at: 0) }
    guard isComplete else { throw .damaged }
    return (size, block)
  }

  /// The opacity of a reply's picture, whose size has been checked.
  ///
  /// - Parameter offset: In bytes.
  private func alpha(_ reply: DecoderReply, behind offset: Int) throws(StillCodecError) -> AlphaPlane? {
    guard reply.alphaLength != 0 else { return nil }
    let size = PixelSize(width: reply.width, height: reply.height)
    guard reply.alphaLength == size.area else { throw .damaged }
    var isComplete = false
    let block = FrameBlock(count: size.area) { isComplete = output.read(into: $0, at: offset) }
    guard isComplete else { throw .damaged }
    return AlphaPlane(size: size, block: block)
  }

  /// The colors of a reply.
  ///
  /// - Parameter offset: Of the profile, in bytes.
  func colors(_ reply: DecoderReply, behind offset: Int = 0) throws(StillCodecError) -> StillColors {
    var colors = StillColors(codePoints: reply.codePoints)
    guard reply.profileLength > 0 else { return colors }
    guard reply.profileLength <= StillColors.longestProfile else { throw .damaged }
    var profile = Data(count: reply.profileLength)
    guard profile.withUnsafeMutableBytes({ output.read(into: $0, at: offset) }) else { throw .damaged }
    colors.profile = profile
    return colors
  }

  /// Gives the shared memory back, as far as it isn't needed by what follows.
  func clear(keepsFile: Bool = false) {
    if !keepsFile { input.clear() }
    output.clear()
  }
}
