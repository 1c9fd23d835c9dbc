// Exporting live photos and movies at a smaller size, and movies of other formats as MP4.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import PhotoEffects

/// Renders a smaller copy of a live photo or movie in the library's folder for unfinished work, and exports that.
struct MovieReduction {
  let library: PhotoLibrary
  let renderer: (any EditRenderer)?
  /// In pixels; `nil` keeps the size.
  let longestSide: Int?
  /// Whether the source is no MP4, and the copy is one.
  let isConverted: Bool
  let exporter: AssetExporter
  let cancelled: CancellationFlag

  /// The share of the movie in the progress.
  private static let movieShare = 0.95

  /// Exports one asset.
  ///
  /// - Parameter source: Has a movie.
  /// - Throws: `exportFailed`, `cancelled`, or the error of a file or the disk; nothing was written then.
  func export(
    _ asset: Asset, _ source: AssetExporter.Source, as form: ExportForm, name: String?,
    _ progress: @escaping @Sendable (Double) -> Void
  ) async throws(PhotoLibraryError) -> ExportReport.Exported {
    guard let renderer, let range = source.movie else {
      throw .exportFailed(path: asset.url.path, reason: localized("PhotoMe can’t reduce the size of videos"))
    }
    try await library.prepareForCapture()
    let movie: URL
    do {
      movie = try await renderer.movie(
        of: MovieSource(url: URL(fileURLWithPath: source.movieFile.path), byteRange: range),
        edit: MovieEdit(
          processor: longestSide.map { SizeReduction(longestSide: $0) }, isMuted: exporter.options.dropsSound),
        into: library.movieFolder
      ) { progress($0 * Self.movieShare) }.url
    } catch is CancellationError {
      throw .cancelled
    } catch EditError.unusableSound(_, let reason) {
      // Its message advises what the editor offers.
      throw .exportFailed(
        path: asset.url.path,
        reason: localized("its sound can’t be kept: \(reason); remove the sound when you export it"))
    } catch {
      throw .exportFailed(path: asset.url.path, reason: error.localizedDescription.asClause)
    }
    let whole = library.movieFolder.appendingPathComponent("reduced-\(UUID().uuidString).jpg")
    defer { for url in [movie, whole] { try? FileManager.default.removeItem(at: url) } }
    return try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      var reduced = try self.joined(source, movie: movie, into: whole)
      // The copy keeps the date.
      reduced.modified = source.file.status.modified
      reduced.ending = isConverted ? ".mp4" : source.ending
      // Packets behind the movie aren't in the smaller one.
      if self.exporter.options.dropsLocation { reduced.places = try source.allPlaces() }
      var plain = self.exporter
      plain.options.longestSide = nil
      var exported = try plain.export(asset, as: form, name: name, source: reduced) {
        progress(Self.movieShare + $0 * (1 - Self.movieShare))
      }
      // The smaller picture is without them already.
      if self.exporter.options.dropsLocation {
        exported.note = AssetExporter.note([
          exported.note, try self.exporter.lostTexts(of: asset, source, as: form),
        ])
      }
      return exported
    }
  }

  /// The smaller picture and movie in one file, as in the source.
  private func joined(
    _ source: AssetExporter.Source, movie: URL, into whole: URL
  ) throws(PhotoLibraryError) -> AssetExporter.Source {
    let disk = library.disk
    let file = try ReadableFile(movie.path, disk: disk)
    guard source.mediaType == .photo else {
      var reduced = file
      let packets = try MoviePackets(source.file, range: 0..<source.file.size)
      if !packets.all.isEmpty {
        let parts = try EditedMoviePacket(file, current: source.file).parts
        try FileWriter(disk: disk).write(parts, isCancelled: { cancelled.isSet }, to: whole.path)
        reduced = try ReadableFile(whole.path, disk: disk)
      }
      return try AssetExporter.Source(file: reduced, mediaType: .video, movie: 0..<reduced.size, photoDisplayTime: nil)
    }
    let smaller = try exporter.rendered(source)
    let picture = if let smaller { smaller.data } else { try source.file.data(at: 0, count: Int(clamping: source.end)) }
    let still = try PhotoAssembly.livePhoto(
      photo: picture, movieLength: file.size, photoDisplayTime: source.photoDisplayTime)
    try FileWriter(disk: disk).write(
      still, tail: file, tailLength: file.size, isCancelled: { cancelled.isSet }, to: whole.path)
    let joined = try ReadableFile(whole.path, disk: disk)
    return try AssetExporter.Source(
      file: joined, mediaType: .photo, movie: UInt64(still.count)..<joined.size,
      photoDisplayTime: source.photoDisplayTime)
  }
}
