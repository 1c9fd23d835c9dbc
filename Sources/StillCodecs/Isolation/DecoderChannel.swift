// The messages between PhotoMe and its decoder process.

import CameraCore
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A request to the decoder process. The file's bytes are in the memory that both share.
struct DecoderRequest: Codable, Sendable {
  enum Work: String, Codable {
    case decode
    /// With 16 bits a channel.
    case decodeDeep
    case colors
    /// Opens an animated picture; its frames follow one by one.
    case openFrames
    case nextFrame
  }

  var work: Work
  var format: PhotoFormat?
  /// The smallest size that will do, in pixels; `nil` for the whole picture.
  var neededWidth: Int?
  var neededHeight: Int?
  /// Of the file, in bytes.
  var length = 0
  /// The most processor time that it may take, in seconds.
  var processorTime = DecoderProcess.shortestWork

  var needed: PixelSize? {
    guard let neededWidth, let neededHeight else { return nil }
    return PixelSize(width: neededWidth, height: neededHeight)
  }
}

/// The answer. The pixels, behind them their opacity, and behind that the color profile, are in the memory that both share.
struct DecoderReply: Codable, Sendable {
  /// Why there is none, as the end of a sentence about the picture.
  var failure: String?
  /// In pixels; 0 without a picture.
  var width = 0
  var height = 0
  /// In bytes: one a pixel, or none for a picture that is opaque everywhere.
  var alphaLength = 0
  /// In bytes.
  var profileLength = 0
  var codePoints: StillColors.CodePoints?
  /// Of a frame, in seconds; `nil` behind the last one.
  var duration: Double?
  /// Of an animated picture; `nil` for a still one.
  var loopCount: Int?
}

/// Messages through a socket: their length in four bytes, and JSON.
enum DecoderChannel {
  /// How often a waiting thread looks whether it waits in vain, in milliseconds.
  private static let interval: Int32 = 20
  /// In bytes; what is longer isn't a message of ours.
  private static let longestMessage = 1 << 16

  /// - Parameters:
  ///   - deadline: The time at which waiting ends; `nil` for never.
  ///   - isCancelled: Ends the waiting when it is set.
  /// - Returns: `false` when the other side is gone, or takes nothing for too long.
  static func send(
    _ message: some Encodable, to socket: Int32, deadline: SuspendingClock.Instant? = nil,
    unless isCancelled: CancellationFlag? = nil
  ) -> Bool {
    guard let body = try? JSONEncoder().encode(message) else { return false }
    var bytes = withUnsafeBytes(of: UInt32(body.count)) { [UInt8]($0) } + body
    var sent = 0
    while sent < bytes.count {
      guard wait(for: POLLOUT, at: socket, deadline, isCancelled) else { return false }
      let count = bytes.withUnsafeMutableBytes {
        Glibc.send(
          socket, $0.baseAddress.map { $0 + sent }, $0.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// - Parameters:
  ///   - deadline: The time at which waiting ends; `nil` for never.
  ///   - isCancelled: Ends the waiting when it is set.
  /// - Returns: `nil` when the other side is gone, silent for too long, or sends something else.
  static func receive<Message: Decodable>(
    _ type: Message.Type, from socket: Int32, deadline: SuspendingClock.Instant? = nil,
    unless isCancelled: CancellationFlag? = nil
  ) -> Message? {
    guard let head = receive(4, from: socket, deadline, isCancelled) else { return nil }
    let length = head.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
    guard (1...longestMessage).contains(length), let body = receive(length, from: socket, deadline, isCancelled) else {
      return nil
    }
    return try? JSONDecoder().decode(type, from: Data(body))
  }

  /// Whether there is nothing to be read: no message that wasn't asked for, and no end.
  static func isQuiet(_ socket: Int32) -> Bool {
    var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) == 0
  }

  private static func receive(
    _ count: Int, from socket: Int32, _ deadline: SuspendingClock.Instant?, _ isCancelled: CancellationFlag?
  ) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      guard wait(for: POLLIN, at: socket, deadline, isCancelled) else { return nil }
      let length = bytes.withUnsafeMutableBytes {
        recv(socket, $0.baseAddress.map { $0 + received }, count - received, 0)
      }
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { return nil }
      received += length
    }
    return bytes
  }

  /// - Returns: `false` when the time is over, however many single bytes have come in it, or when nobody wants the message.
  private static func wait(
    for events: Int32, at socket: Int32, _ deadline: SuspendingClock.Instant?, _ isCancelled: CancellationFlag?
  ) -> Bool {
    while isCancelled?.isSet != true {
      var milliseconds: Int32 = -1
      if let deadline {
        let left = SuspendingClock.now.duration(to: deadline).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return false }
        // Rounded up, so that it doesn't spin at the end.
        milliseconds = Int32(min(left.seconds, 1_000_000) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
      }
      if isCancelled != nil { milliseconds = milliseconds < 0 ? interval : min(milliseconds, interval) }
      var state = pollfd(fd: socket, events: Int16(events), revents: 0)
      let ready = poll(&state, 1, milliseconds)
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { return false }
    }
    return false
  }
}
