// The bytes of an asset's file, read in pieces as they are wanted.

import Foundation

/// What of an asset's file is wanted.
public enum AssetResource: Sendable, Hashable, CaseIterable {
  /// All of it, as it is.
  case file
  /// The picture without the movie behind it: the file's bytes up to the movie. What the picture's metadata say about a
  /// movie stays in them.
  case still
  /// The movie alone.
  case movie
}

/// A stretch of a file as a sequence of pieces. Only one piece is in memory at a time; the next is read when it is asked
/// for, and each iteration begins at the start. Its iterators throw `PhotoLibraryError`, and `CancellationError` when the
/// task is cancelled.
public struct AssetData: AsyncSequence, Sendable {
  /// Some bytes of it.
  public struct Piece: Sendable, Hashable {
    public let bytes: Data
    /// Where they lie in the whole.
    public let offset: UInt64
    /// The part of the whole that has been read with them, up to 1.
    public let fractionCompleted: Double
  }

  /// In bytes, but for the last.
  public static let pieceLength = 256 << 10

  /// In bytes; after each a copy can be cancelled.
  static let copyLength = 1 << 20

  private let file: ReadableFile
  private let range: Range<UInt64>

  /// - Parameter range: Inside of the file.
  init(file: ReadableFile, range: Range<UInt64>) {
    self.file = file
    self.range = range
  }

  /// Of the whole, in bytes.
  public var byteCount: UInt64 { range.upperBound - range.lowerBound }

  public struct Iterator: AsyncIteratorProtocol {
    let data: AssetData
    var done: UInt64 = 0

    public mutating func next() async throws -> Piece? {
      try Task.checkCancellation()
      let (file, offset, count) = (data.file, done, data.byteCount)
      guard offset < count else { return nil }
      let length = Int(Swift.min(count - offset, UInt64(AssetData.pieceLength)))
      let start = data.range.lowerBound + offset
      let bytes = try await ImageQueue.onThread { try file.data(at: start, count: length) }
      guard bytes.count == length else {
        throw PhotoLibraryError.unusableFile(path: file.path, reason: "it became shorter while it was being read")
      }
      done += UInt64(length)
      return Piece(bytes: bytes, offset: offset, fractionCompleted: Double(done) / Double(count))
    }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(data: self) }

  /// All of it at once; for what is known to be small.
  ///
  /// - Parameter limit: More bytes than this are an error.
  /// - Throws: `PhotoLibraryError`, or `CancellationError`.
  public func collected(upTo limit: Int) async throws -> Data {
    guard byteCount <= UInt64(limit) else {
      throw PhotoLibraryError.unusableFile(path: file.path, reason: "it is too large to be taken into memory")
    }
    var all = Data(capacity: Int(byteCount))
    for try await piece in self { all.append(piece.bytes) }
    return all
  }

  /// Writes it to a file: temporary file in the same folder → flush → final name. A file of that name is replaced when
  /// all is written.
  ///
  /// - Parameter progress: Called with the part that is done, up to 1; any thread.
  /// - Throws: `PhotoLibraryError`, or `CancellationError`; then nothing is left behind.
  public func write(to target: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
    let path = target.path
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    let temporary =
      Disk.parent(of: path) + "/"
      + LibraryFolder.temporaryName(for: String(name), token: LibraryFolder.makeToken(), number: 0)
    let output = try await ImageQueue.onThread { try OutputFile(temporary) }
    do {
      var done: UInt64 = 0
      while done < byteCount {
        try Task.checkCancellation()
        let length = Int(Swift.min(byteCount - done, UInt64(Self.copyLength)))
        let (file, start) = (file, range.lowerBound + done)
        try await ImageQueue.onThread { try output.copy(file, start..<start + UInt64(length)) }
        done += UInt64(length)
        progress?(Double(done) / Double(byteCount))
      }
      try Task.checkCancellation()
      try await ImageQueue.onThread { try output.publish(as: path) }
    } catch {
      try? await ImageQueue.onThread { output.discard() }
      throw error
    }
  }
}

/// A file that is being written under a name that nobody sees. One step at a time.
private final class OutputFile: Sendable {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(PhotoLibraryError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .system(.create, path, code: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// In the kernel, from page cache to page cache.
  func copy(_ source: ReadableFile, _ range: Range<UInt64>) throws(PhotoLibraryError) {
    var position = range.lowerBound
    while position < range.upperBound {
      let count = source.send(from: position, count: Int(range.upperBound - position), to: descriptor)
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(.write, path, code: errno)
      }
      guard count > 0 else {
        throw .unusableFile(path: source.path, reason: "it became shorter while it was being copied")
      }
      position += UInt64(count)
    }
  }

  func publish(as final: String) throws(PhotoLibraryError) {
    guard fsync(descriptor) == 0 else { throw .system(.synchronize, path, code: errno) }
    guard rename(path, final) == 0 else { throw .system(.rename, final, code: errno) }
    try Disk().synchronizeFolder(Disk.parent(of: final))
  }

  func discard() { unlink(path) }
}
