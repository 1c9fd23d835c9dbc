// The steps of raw pictures, which go with their assets.

import CameraCore
import Foundation

extension ChangeTransaction {
  /// The DNG beside an asset's file; `nil` where it has none.
  ///
  /// - Throws: When a file of that name can't be read.
  func raw(of asset: Asset) throws(PhotoLibraryError) -> String? {
    guard asset.mediaType == .photo else { return nil }
    return try library.index.raw(of: asset.id, at: relative(asset.url.path), in: folder, disk: disk)
  }

  /// The names that new pictures with raw ones get in this block.
  private var adoptedPaths: Set<PathBytes> {
    Set(steps.compactMap { if case .adopt(_, let path) = $0 { PathBytes(path) } else { nil } })
  }

  /// A file that goes with a new picture, under its base name.
  struct NewCompanion {
    enum Kind: Equatable {
      /// The DNG of its raw frame.
      case raw
      /// Another file of the shot; its file extension, with the dot.
      case part(String)
    }

    /// Durable.
    var temporary: String
    var kind: Kind

    func name(beside picture: String) -> String {
      switch kind {
      case .raw: RawCompanion.path(beside: picture)
      case .part(let ending): FilePairs.name(beside: picture, ending)
      }
    }
  }

  /// Publishes a picture and the files that go with it under the first base name that is free for all.
  ///
  /// All names are certain before the first step, and all steps are of one journal: there are never other pairs than
  /// this, whenever the process is killed. If another program takes one of the names meanwhile, all is prepared anew.
  ///
  /// - Parameters:
  ///   - temporary: The durable picture.
  ///   - month: The folder, relative to the library's.
  mutating func publish(
    _ temporary: String, with others: [NewCompanion], folder month: String, stem: String, ending: String
  ) {
    let taken = adoptedPaths
    var attempt = 1
    while true {
      let name = LibraryFolder.name(stem: stem, extension: ending, attempt: attempt)
      let paths = ([name] + others.map { $0.name(beside: name) }).map { month.isEmpty ? $0 : "\(month)/\($0)" }
      attempt += 1
      guard paths.allSatisfy({ disk.status(folder.absolute($0)) == nil && !taken.contains(PathBytes($0)) }) else {
        continue
      }
      for (other, path) in zip(others, paths.dropFirst()) {
        steps.append(.adopt(temporary: relative(other.temporary), path: path))
        if other.kind != .raw { touched.insert(PathBytes(path)) }
      }
      creationSteps.append(steps.count)
      steps.append(.adopt(temporary: relative(temporary), path: paths[0]))
      return
    }
  }

  // MARK: The trash

  /// The DNG in the trash of an asset that is there, which this block then moves or removes.
  ///
  /// - Parameter leaving: The trash's files that this block deletes.
  /// - Returns: `nil` where there is none, or another program has taken it away.
  mutating func takeTrashedRaw(of asset: TrashedAsset, besides leaving: Set<PathBytes> = []) -> TrashEntry? {
    if trashedRaws == nil { trashedRaws = TrashedRaws(library) }
    return trashedRaws?.take(of: asset, besides: leaving)
  }
}

extension PhotoLibrary {
  /// The DNG of a shot; `nil` without a frame, and where it can't be made, which must not cost the picture.
  static func rawData(_ frame: BayerFrame?, metadata: PhotoMetadata, id: Asset.ID) -> Data? {
    guard let frame else { return nil }
    do throws(PhotoLibraryError) { return try RawCompanion.data(frame, metadata: metadata, id: id) } catch {
      logger.warning("The DNG of a picture is missing: \(error.description)")
      return nil
    }
  }
}
