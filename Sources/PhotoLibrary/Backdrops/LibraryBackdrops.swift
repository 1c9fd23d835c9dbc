// Reading of the backdrops that are kept in the library.

import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects
import Synchronization

/// Reads people's own backdrops from the library's folder. A file counts only with the content that its name tells.
public final class LibraryBackdrops: BackdropProvider {
  private let folder: LibraryFolder
  private let disk: Disk
  /// Those that were used last are at the end.
  private let read = Mutex<[(id: String, source: JPEGBackdrop)]>([])
  /// Held while one is read: several processors want the same one at once.
  private let reading = Mutex(())
  /// Files that were damaged, so that nobody reads them again for each frame.
  private let failures = Mutex<[String: (modified: Int64, size: UInt64)]>([:])

  /// The number of backdrops that stay in memory: the viewfinder's and the editor's.
  private static let mostKept = 2
  /// In bytes.
  static let largestFile = UInt64(BackdropMovie.mostBytes) + 16 << 20
  /// In bytes: longer than any picture that is kept.
  private static let longestBeginning: UInt64 = 32 << 20

  init(folder: LibraryFolder, disk: Disk) { (self.folder, self.disk) = (folder, disk) }

  /// - Throws: `RecipeError.missingBackdrop`, or a `PhotoLibraryError` for a file that can't be read.
  public func source(of id: String) throws -> any BackdropSource {
    guard OwnBackdrop.isID(id) else { throw RecipeError.missingBackdrop }
    if let known = known(id) { return known }
    return try reading.withLock { _ in
      if let known = known(id) { return known }
      guard let (file, kind) = try open(id) else { throw RecipeError.missingBackdrop }
      let (path, status) = (file.path, file.status)
      if let failure = failures.withLock({ $0[id] }), failure.modified == status.modified, failure.size == status.size {
        throw PhotoLibraryError.unusableFile(path: path, reason: Self.damage)
      }
      let data = try file.data(at: 0, count: Int(file.size))
      guard AssetIdentity.digest(data) == id, let source = JPEGBackdrop(data, kind) else {
        failures.withLock { $0[id] = (status.modified, status.size) }
        throw PhotoLibraryError.unusableFile(path: path, reason: Self.damage)
      }
      read.withLock { read in
        read.append((id, source))
        if read.count > Self.mostKept { read.removeFirst() }
      }
      return source
    }
  }

  private static var damage: String { localized("it’s damaged", context: "backdrop") }

  /// The first picture of each backdrop, for small pictures of them: not checked, and not kept in memory.
  public var beginnings: any BackdropProvider { Beginnings(backdrops: self) }

  private struct Beginnings: BackdropProvider {
    let backdrops: LibraryBackdrops
    func source(of id: String) throws -> any BackdropSource { try backdrops.beginning(of: id) }
  }

  /// - Throws: As `source(of:)`.
  private func beginning(of id: String) throws -> any BackdropSource {
    guard OwnBackdrop.isID(id), let (file, _) = try open(id) else { throw RecipeError.missingBackdrop }
    let data = try file.data(at: 0, count: Int(min(file.size, Self.longestBeginning)))
    guard
      case .complete(let end)? = try? JPEGExtent.walk(
        DataSource(data, name: "backdrop"), from: 0, upTo: UInt64(data.count)),
      let source = JPEGBackdrop(Data(data.prefix(Int(end))), .picture)
    else { throw PhotoLibraryError.unusableFile(path: file.path, reason: Self.damage) }
    return source
  }

  /// - Returns: `nil` when there is none of this id.
  private func open(_ id: String) throws(PhotoLibraryError) -> (file: ReadableFile, kind: KeptBackdrop.Kind)? {
    for kind in KeptBackdrop.Kind.allCases {
      let path = folder.backdrop(id, kind)
      guard disk.status(path)?.kind == .file else { continue }
      let file = try ReadableFile(path, disk: disk)
      guard file.size <= Self.largestFile else {
        throw .unusableFile(path: path, reason: localized("the file is too large (\(file.size.localizedByteCount))"))
      }
      return (file, kind)
    }
    return nil
  }

  /// Whether the file of a backdrop is there.
  public func isKept(_ id: String) -> Bool {
    OwnBackdrop.isID(id)
      && KeptBackdrop.Kind.allCases.contains { disk.status(folder.backdrop(id, $0))?.kind == .file }
  }

  /// - Returns: `nil` when it isn't in memory.
  private func known(_ id: String) -> JPEGBackdrop? {
    read.withLock { read in
      guard let index = read.firstIndex(where: { $0.id == id }) else { return nil }
      let found = read.remove(at: index)
      read.append(found)
      return found.source
    }
  }

  /// The content of a backdrop that is in memory.
  func remembered(_ id: String) -> (data: Data, kind: KeptBackdrop.Kind)? {
    guard let source = known(id) else { return nil }
    return (source.data, source.count > 1 ? .movie : .picture)
  }

  /// Forgets a backdrop that was removed.
  func forget(_ id: String) { reading.withLock { _ in read.withLock { $0.removeAll { $0.id == id } } } }
}

/// JPEGs in memory, which are decoded when they are needed.
struct JPEGBackdrop: BackdropSource {
  let size: PixelSize
  let data: Data
  private let ranges: [Range<Int>]

  var count: Int { ranges.count }
  var frameRate: Double { BackdropMovie.frameRate }

  /// - Parameter data: With indices from 0.
  /// - Returns: `nil` when they aren't JPEGs of one size that can be decoded.
  init?(_ data: Data, _ kind: KeptBackdrop.Kind) {
    self.data = data
    let source = DataSource(data, name: "backdrop")
    var (ranges, start): ([Range<Int>], UInt64) = ([], 0)
    while start < UInt64(data.count) {
      guard ranges.count < (kind == .picture ? 1 : BackdropMovie.mostFrames),
        case .complete(let end) = try? JPEGExtent.walk(source, from: start, upTo: UInt64(data.count)), end > start
      else { return nil }
      ranges.append(Int(start)..<Int(end))
      start = end
    }
    let frames = ranges.map { range in data[range].withUnsafeBytes { try? JPEGFrame($0) } }
    guard let first = frames.first, let first, first.refusal == nil,
      frames.allSatisfy({ $0.map { $0.size == first.size && $0.refusal == nil } ?? false })
    else { return nil }
    size = first.size
    self.ranges = ranges
    // One that can't be decoded is told before anybody is seen before a gray wall.
    guard picture(0, needed: PixelSize(width: 1, height: 1)) != nil else { return nil }
  }

  func picture(_ index: Int, needed: PixelSize) -> DecodedImage? {
    guard ranges.indices.contains(index) else { return nil }
    return try? ScaledJPEG.decode(data[ranges[index]], needed: needed, path: localized("The backdrop"))
  }
}
