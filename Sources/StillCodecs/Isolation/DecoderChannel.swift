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

  var needed: PixelSize? {
    guard let neededWidth, let neededHeight else { return nil }
    return PixelSize(width: neededWidth, height: neededHeight)
  }
}

/// The answer. The pixels, and behind them the color profile, are in the memory that both share.
struct DecoderReply: Codable, Sendable {
  /// Why there is none, as the end of a sentence about the picture.
  var failure: String?
  /// In pixels; 0 without a picture.
  var width = 0
  var height = 0
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
  /// In bytes; what is longer isn't a message of ours.
  private static let longestMessage = 1 << 16

  /// - Returns: `false` when the other side is gone.
  static func send(_ message: some Encodable, to socket: Int32) -> Bool {
    guard let body = try? JSONEncoder().encode(message) else { return false }
    var bytes = withUnsafeBytes(of: UInt32(body.count)) { [UInt8]($0) } + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.send(socket, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// - Parameter deadline: In seconds of waiting for each part; `nil` for none.
  /// - Returns: `nil` when the other side is gone, silent for too long, or sends something else.
  static func receive<Message: Decodable>(
    _ type: Message.Type, from socket: Int32, deadline: Int? = nil
  ) -> Message? {
    guard let head = receive(4, from: socket, deadline: deadline) else { return nil }
    let length = head.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
    guard (1...longestMessage).contains(length), let body = receive(length, from: socket, deadline: deadline) else {
      return nil
    }
    return try? JSONDecoder().decode(type, from: Data(body))
  }

  private static func receive(_ count: Int, from socket: Int32, deadline: Int?) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      if let deadline {
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let ready = poll(&wait, 1, Int32(deadline * 1000))
        if ready < 0, errno == EINTR { continue }
        guard ready > 0 else { return nil }
      }
      let length = bytes.withUnsafeMutableBytes {
        recv(socket, $0.baseAddress.map { $0 + received }, count - received, 0)
      }
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { return nil }
      received += length
    }
    return bytes
  }
}
