// The changes of a library that are swept, and the library before each.

import CameraCore
import Foundation
import PhotoLibrary

/// One kind of change to a library of two pictures.
package enum SweptChange: String, Sendable, CaseIterable {
  case create
  case createLive
  case favorite
  case addToAlbum
  case renameAlbum
  case deleteAlbum
  case edit
  case editAgain
  case revert
  case trash
  case restore
  case deletePermanently
  case deleteInTrash
  case importFile
  case moveFile
  case export
  case movePair
  case editPair
  case revertPair
  case datePair
  case trashPair
  case restorePair
  case deletePairInTrash

  /// The pictures that the changes need.
  package struct Samples: Sendable {
    /// Different JPEGs of one size, from SOI to EOI: at least five.
    let photos: [Data]
    let size: PixelSize
    /// An MP4.
    let movie: Data
    /// The two files of another program's live photo: a JPEG and a movie that belong together.
    let pair: (photo: Data, movie: Data)
    /// The file name that somebody has given to the live photo; `nil` for PhotoMe's own.
    let name: String?

    package init(
      photos: [Data], size: PixelSize, movie: Data, pair: (photo: Data, movie: Data), name: String? = nil
    ) {
      precondition(photos.count >= 5, "The sweep needs five different pictures.")
      (self.photos, self.size, self.movie, self.pair, self.name) = (photos, size, movie, pair, name)
    }

    func metadata(_ second: Double) -> PhotoMetadata {
      PhotoMetadata(date: Date(timeIntervalSince1970: 1_795_242_666 + second), utcOffset: 3600, size: size)
    }
  }

  private static let subject = String(repeating: "a", count: 32)
  private static let other = String(repeating: "b", count: 32)
  /// The names of the pair's files, as another program has given them: on some disks they differ in more than the ending.
  private static let pairNames = (photo: "IMG_7.JPG", movie: "img_7.mov")
  private var isOfPair: Bool { rawValue.contains("Pair") }

  /// Fills an empty library: a live photo, which is changed, and another picture, which must stay.
  func prepare(_ library: PhotoLibrary, at site: SweepSite, _ samples: Samples) async throws {
    let subject = try await library.createAsset(
      AssetCreationRequest(
        id: Self.subject, photo: samples.photos[0], metadata: samples.metadata(0),
        pairedVideo: try await Self.movie(samples, in: library), photoDisplayTime: 1))
    if let name = samples.name {
      let path = subject.url.path
      guard rename(path, subject.url.deletingLastPathComponent().path + "/" + name) == 0 else {
        throw SweepError("“\(path)” can't be renamed.")
      }
      try await library.refresh()
    }
    _ = try await library.createAsset(
      AssetCreationRequest(id: Self.other, photo: samples.photos[1], metadata: samples.metadata(1)))
    try await library.performChanges { changes in
      let album = changes.createAlbum(title: "Bern")
      changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [Self.other]))
    }
    if isOfPair {
      let folder = self == .movePair ? site.card : subject.url.deletingLastPathComponent().path
      try samples.pair.photo.write(to: URL(fileURLWithPath: "\(folder)/\(Self.pairNames.photo)"))
      try samples.pair.movie.write(to: URL(fileURLWithPath: "\(folder)/\(Self.pairNames.movie)"))
      try await library.refresh()
      let found = try await Self.pairID(in: library)
      guard self == .movePair || found != Self.subject else {
        throw SweepError("The two files of the pair aren't found as one.")
      }
    }
    switch self {
    case .renameAlbum, .deleteAlbum: try await SweptChange.addToAlbum.perform(on: library, at: site, samples)
    case .editAgain, .revert, .deletePermanently: try await SweptChange.edit.perform(on: library, at: site, samples)
    case .revertPair: try await SweptChange.editPair.perform(on: library, at: site, samples)
    case .restorePair, .deletePairInTrash:
      try await SweptChange.editPair.perform(on: library, at: site, samples)
      try await SweptChange.trashPair.perform(on: library, at: site, samples)
    case .restore, .deleteInTrash:
      try await SweptChange.edit.perform(on: library, at: site, samples)
      try await SweptChange.trash.perform(on: library, at: site, samples)
    case .importFile, .moveFile:
      try samples.photos[3].write(to: URL(fileURLWithPath: site.card + "/DSC_0001.JPG"))
    default: break
    }
  }

  /// The id of the pair; that of the other live photo while it isn't in the library.
  private static func pairID(in library: PhotoLibrary) async throws -> Asset.ID {
    let assets = try await library.fetchAssets()
    return assets.first { $0.isLive && $0.url.lastPathComponent == pairNames.photo }?.id ?? subject
  }

  private static func movie(_ samples: Samples, in library: PhotoLibrary) async throws -> URL {
    try await library.prepareForCapture()
    let url = library.movieFolder.appendingPathComponent("movie.mp4", isDirectory: false)
    try samples.movie.write(to: url)
    return url
  }

  /// Does it once.
  func perform(on library: PhotoLibrary, at site: SweepSite, _ samples: Samples) async throws {
    let id = isOfPair ? try await Self.pairID(in: library) : Self.subject
    switch self {
    case .create:
      _ = try await library.createAsset(
        AssetCreationRequest(
          id: String(repeating: "c", count: 32), photo: samples.photos[2], metadata: samples.metadata(2)))
    case .createLive:
      let movie = try await Self.movie(samples, in: library)
      _ = try await library.createAsset(
        AssetCreationRequest(
          id: String(repeating: "d", count: 32), photo: samples.photos[2], metadata: samples.metadata(3),
          pairedVideo: movie, photoDisplayTime: 1))
    case .favorite:
      try await library.performChanges { $0.change(AssetChangeRequest(for: id, isFavorite: true)) }
    case .addToAlbum:
      let albums = try await library.fetchAlbums().map { AssetCollectionChangeRequest(for: $0.id, addAssets: [id]) }
      try await library.performChanges { changes in for album in albums { changes.change(album) } }
    case .renameAlbum:
      let albums = try await library.fetchAlbums().map { AssetCollectionChangeRequest(for: $0.id, title: "Thun") }
      try await library.performChanges { changes in for album in albums { changes.change(album) } }
    case .deleteAlbum:
      let albums = try await library.fetchAlbums().map(\.id)
      try await library.performChanges { $0.deleteAlbums(albums) }
    case .edit, .editAgain, .editPair:
      var request = AssetChangeRequest(for: id)
      var output = ContentEditingOutput(
        photo: samples.photos[self == .editAgain ? 4 : 2], pairedVideo: try await Self.movie(samples, in: library),
        photoDisplayTime: 1,
        adjustmentData: AdjustmentData(formatIdentifier: "sweep", formatVersion: "1", data: Data(rawValue.utf8)))
      let matte = Matte.nobody(PixelSize(width: 64, height: 48))
      output.mattes = StillMattes(found: matte, rendered: matte)
      request.contentEditingOutput = output
      let change = request
      try await library.performChanges { $0.change(change) }
    case .datePair:
      let change = AssetChangeRequest(
        for: id, creationDate: Date(timeIntervalSince1970: 1_600_000_000), timeZone: TimeZone(secondsFromGMT: 0))
      try await library.performChanges { $0.change(change) }
    case .revert, .revertPair: try await library.performChanges { $0.change(.revert(id)) }
    case .trash, .trashPair: try await library.trash([id])
    case .restore, .restorePair: try await library.restore(try await library.trashedAssets())
    case .deletePermanently: try await library.performChanges { $0.deletePermanently([id]) }
    case .deleteInTrash, .deletePairInTrash: try await library.deletePermanently(try await library.trashedAssets())
    case .importFile, .moveFile, .movePair:
      let card = URL(fileURLWithPath: site.card, isDirectory: true)
      let report = try await library.importAssets(from: [card], move: self != .importFile)
      if case .stopped(let error) = report.end { throw error }
      if let refused = report.refused.first { throw SweepError(refused.description) }
      if let kept = report.imported.first?.keptSource { throw SweepError(kept) }
    case .export:
      let assets = try await library.fetchAssets()
      let report = try await library.export(
        assets, as: .current, into: URL(fileURLWithPath: site.exports, isDirectory: true))
      if let refused = report.refused.first { throw refused.error }
    }
  }
}

/// A failure of a change that the library reports instead of throwing it.
struct SweepError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
