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

  /// The number of backdrops that stay in memory: the viewfinder's and the editor's.
  private static let mostKept = 2
  /// In bytes.
  static let largestFile = UInt64(BackdropMovie.mostBytes) + 16 << 20

  init(folder: LibraryFolder, disk: Disk) { (self.folder, self.disk) = (folder, disk) }

  /// - Throws: `RecipeError.missingBackdrop`, or a `PhotoLibraryError` for a file that can't be read.
  public func source(of id: String) throws -> any BackdropSource {
    guard OwnBackdrop.isID(id) else { throw RecipeError.missingBackdrop }
    if let known = known(id) { return known }
    return try reading.withLock { _ in
      if let known = known(id) { return known }
      let source = try load(id)
      read.withLock { read in
        read.append((id, source))
        if read.count > Self.mostKept { read.removeFirst() }
      }
      return source
    }
  }

  private func known(_ id: String) -> JPEGBackdrop? {
    read.withLock { read in
      guard let index = read.firstIndex(where: { $0.id == id }) else { return nil }
      let found = read.remove(at: index)
      read.append(found)
      return found.source
    }
  }

  /// Forgets a backdrop that was removed.
  func forget(_ id: String) { read.withLock { $0.removeAll { $0.id == id } } }

  private func load(_ id: String) throws -> JPEGBackdrop {
    for kind in KeptBackdrop.Kind.allCases {
      let path = folder.backdrop(id, kind)
      guard disk.status(path)?.kind == .file else { continue }
      let file = try ReadableFile(path, disk: disk)
      guard file.size <= Self.largestFile else {
        throw PhotoLibraryError.unusableFile(
          path: path, reason: localized("the file is too large (\(file.size.localizedByteCount))"))
      }
      let data = try file.data(at: 0, count: Int(file.size))
      guard AssetIdentity.digest(data) == id, let source = JPEGBackdrop(data, kind) else {
        throw PhotoLibraryError.unusableFile(path: path, reason: localized("it’s damaged"))
      }
      return source
    }
    throw RecipeError.missingBackdrop
  }
}

/// JPEGs in memory, which are decoded when they are needed.
struct JPEGBackdrop: BackdropSource {
  let size: PixelSize
  private let data: Data
  private let ranges: [Range<Int>]

  var count: Int { ranges.count }
  var frameRate: Double { BackdropMovie.frameRate }

  /// - Returns: `nil` when they aren't JPEGs that can be decoded.
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
    guard let first = ranges.first,
      let frame = data[first].withUnsafeBytes({ try? JPEGFrame($0) }), frame.refusal == nil
    else { return nil }
    (self.ranges, size) = (ranges, frame.size)
  }

  func picture(_ index: Int, needed: PixelSize) -> DecodedImage? {
    guard ranges.indices.contains(index) else { return nil }
    return try? ScaledJPEG.decode(data[ranges[index]], needed: needed, path: localized("The backdrop"))
  }
}
