// The decoder process from within.

import CameraCore
import Foundation
import LinuxShim
import Localization
import PhotoEffects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The work of the program `photome-decoder`: it answers requests until the other side is gone.
public enum DecoderService {
  /// The descriptors that it is started with.
  static let socket: Int32 = 0
  static let input: Int32 = 3
  static let output: Int32 = 4

  /// The longest time for one request, in seconds; then the process ends, if PhotoMe hasn't ended it before.
  private static let longestWork = UInt32(2 * DecoderProcess.deadline)

  /// Gives up everything but reading, computing and answering, and answers.
  ///
  /// - Returns: The exit status of the program.
  public static func run() -> Int32 {
    guard fcntl(socket, F_GETFD) >= 0, fcntl(input, F_GETFD) >= 0, fcntl(output, F_GETFD) >= 0 else { return 64 }
    linux_close_from(UInt32(output + 1))
    prepare()
    Confinement.begin()
    var frames: OpenFrames?
    while let request = DecoderChannel.receive(DecoderRequest.self, from: socket) {
      alarm(longestWork)
      limitProcessor(to: min(max(1, request.processorTime), DecoderProcess.deadline))
      let reply = reply(to: request, &frames)
      limitProcessor(to: 0)
      alarm(0)
      guard DecoderChannel.send(reply, to: socket) else { return 0 }
    }
    return 0
  }

  /// - Parameter time: In seconds, from now on, of all threads; the process ends then by SIGPROF. 0 ends the limit.
  private static func limitProcessor(to time: Int) {
    var timer = itimerval()
    timer.it_value.tv_sec = time
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  /// What opens files when it is used first: plugins, translations, number formats.
  private static func prepare() {
    _ = HEIFCodec.missingEncoder(for: .heic)
    _ = localized("\(12_345) pixels are too many")
    _ = StillCodecError.damaged
    _ = ProcessInfo.processInfo.activeProcessorCount
  }

  /// An animated picture whose frames are asked for one by one.
  private struct OpenFrames {
    var reader: any StillFrameReader
    var needed: PixelSize?
  }

  private static func reply(to request: DecoderRequest, _ frames: inout OpenFrames?) -> DecoderReply {
    do throws(StillCodecError) {
      if request.work == .nextFrame {
        guard let open = frames else { throw .noPicture }
        guard let frame = try open.reader.next() else { return DecoderReply() }
        var reply = try reply(DecodedStill(image: frame.image), open.needed)
        reply.duration = frame.duration
        return reply
      }
      frames = nil
      guard let format = request.format else { throw .noPicture }
      let data = try file(request.length)
      let codec = try StillCodecTable.codec(of: format)
      switch request.work {
      case .decode: return try reply(codec.decode(data, needed: request.needed), request.needed)
      case .decodeDeep: return try codec.decodeDeep(data).map(deepReply) ?? DecoderReply()
      case .colors: return try reply(codec.colors(of: data), behind: 0)
      case .openFrames, .nextFrame:
        guard let reader = try codec.frames(of: data) else { return DecoderReply() }
        frames = OpenFrames(reader: reader, needed: request.needed)
        var reply = try reply(reader.colors, behind: 0)
        reply.loopCount = reader.loopCount
        return reply
      }
    } catch {
      return DecoderReply(failure: error.description)
    }
  }

  /// The file, in the memory that PhotoMe has written.
  private static func file(_ length: Int) throws(StillCodecError) -> Data {
    guard length > 0 else { throw .noPicture }
    guard let memory = mmap(nil, length, PROT_READ, MAP_SHARED, input, 0), memory != MAP_FAILED else { throw .noMemory }
    return Data(bytesNoCopy: memory, count: length, deallocator: .custom { memory, length in munmap(memory, length) })
  }

  private static func reply(_ still: DecodedStill, _ needed: PixelSize?) throws(StillCodecError) -> DecoderReply {
    var (image, alpha) = (still.image, still.alpha)
    if let needed {
      let needed = PixelSize(width: max(1, needed.width), height: max(1, needed.height))
      alpha = alpha?.changed { $0.reduced(toNeeded: needed) }
      image = image.reduced(toNeeded: needed)
    }
    // Without gaps.
    guard image.stride == image.size.width * 4 else { throw .damaged }
    let isWritten = image.block.withUnsafeBytes { bytes in
      ftruncate(output, 0) == 0
        && SharedMemory.write(UnsafeRawBufferPointer(rebasing: bytes[..<(image.size.area * 4)]), to: output, at: 0)
    }
    guard isWritten else { throw .noMemory }
    var reply = try reply(alpha, still.colors, behind: image.size.area * 4)
    (reply.width, reply.height) = (image.size.width, image.size.height)
    return reply
  }

  private static func deepReply(_ still: DeepStill) throws(StillCodecError) -> DecoderReply {
    let size = still.pixels.size
    let count = size.area * MemoryLayout<DeepPixels.Pixel>.stride
    let isWritten = still.pixels.block.withUnsafeBytes { bytes in
      ftruncate(output, 0) == 0
        && SharedMemory.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: output, at: 0)
    }
    guard isWritten else { throw .noMemory }
    var reply = try reply(still.alpha, still.colors, behind: count)
    (reply.width, reply.height) = (size.width, size.height)
    return reply
  }

  private static func reply(
    _ alpha: AlphaPlane?, _ colors: StillColors, behind offset: Int
  ) throws(StillCodecError) -> DecoderReply {
    let length = alpha?.block.count ?? 0
    if let alpha {
      guard alpha.block.withUnsafeBytes({ SharedMemory.write($0, to: output, at: offset) }) else { throw .noMemory }
    }
    var reply = try reply(colors, behind: offset + length)
    reply.alphaLength = length
    return reply
  }

  private static func reply(_ colors: StillColors, behind offset: Int) throws(StillCodecError) -> DecoderReply {
    var reply = DecoderReply(codePoints: colors.codePoints)
    if let profile = colors.profile {
      guard profile.withUnsafeBytes({ SharedMemory.write($0, to: output, at: offset) }) else { throw .noMemory }
      reply.profileLength = profile.count
    }
    return reply
  }
}
