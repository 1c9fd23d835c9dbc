// Exporting assets to files outside of the library.

import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects

extension PhotoLibrary {
  /// Exports assets into a folder outside of the library, or sheets of them, under their own names; a name that is taken is
  /// numbered, and nothing is replaced. The files keep their dates.
  ///
  /// Ends early when the task is canceled, or when nothing more can be read or written: all that are left are refused then. No
  /// partly written files are left.
  ///
  /// - Parameters:
  ///   - folder: Created if it doesn't exist.
  ///   - movieFrames: Decodes movies, for animations.
  ///   - renderer: Scales movies.
  ///   - progress: Called on a thread of the library's or of the decoder's.
  /// - Throws: When nothing can be exported at all: the folder can't be created or is inside of the library, or the
  ///   size is out of range.
  public func export(
    _ assets: [Asset], as form: ExportForm, _ options: ExportOptions = ExportOptions(), into folder: URL,
    movieFrames: (any MovieReader)? = nil, renderer: (any EditRenderer)? = nil,
    progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> ExportReport {
    if form.isSheet {
      return try await exportSheets(
        of: assets, as: form, options, into: folder, name: nil, movieFrames: movieFrames, progress: progress)
    }
    let cancelled = CancellationFlag()
    let exporter = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try AssetExporter(self, into: folder.path, options, isCancelled: cancelled)
    }
    var report = ExportReport()
    for (number, asset) in assets.enumerated() {
      guard !cancelled.isSet else {
        report.isCancelled = true
        break
      }
      progress(LibraryProgress(step: .exporting, done: number, total: assets.count))
      do throws(PhotoLibraryError) {
        let one = try await export(asset, as: form, name: nil, exporter, cancelled, movieFrames, renderer) { part in
          progress(LibraryProgress(step: .exporting, done: number, total: assets.count, part: part))
        }
        report.exported.append(one)
      } catch {
        if case .cancelled = error {
          report.isCancelled = true
          break
        }
        let cause = await cause(of: error)
        let isLast = exporter.isLast(cause)
        report.refused += (isLast ? assets[number...] : [asset]).map {
          ExportReport.Refused(assetID: $0.id, error: cause)
        }
        if isLast { break }
      }
    }
    if !report.isCancelled {
      progress(LibraryProgress(step: .exporting, done: assets.count, total: assets.count))
    }
    return report
  }

  /// The library's absence, where that is why a file couldn't be read.
  private func cause(of error: PhotoLibraryError) async -> PhotoLibraryError {
    switch error {
    case .fileMissing, .inputOutput, .unusableFile: break
    default: return error
    }
    do throws(PhotoLibraryError) {
      try await Blocking.run { () throws(PhotoLibraryError) in try self.reconciler.look() }
    } catch let absence { return absence }
    return error
  }

  /// Exports one asset to a file outside of the library. The file keeps its date.
  ///
  /// - Parameters:
  ///   - target: A path that is not taken; its folder is created if it doesn't exist. For a pair of files it is that of
  ///     the still, with its extension or without.
  ///   - progress: Called with the completed part, from 0 to 1.
  /// - Throws: `exportFailed`, `unusableFile`, `cancelled`, or the error of the disk; nothing was written then.
  public func export(
    _ asset: Asset, as form: ExportForm, _ options: ExportOptions = ExportOptions(), to target: URL,
    movieFrames: (any MovieReader)? = nil, renderer: (any EditRenderer)? = nil,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> ExportReport.Exported {
    let cancelled = CancellationFlag()
    let exporter = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try AssetExporter(self, into: Disk.parent(of: target.path), options, isCancelled: cancelled)
    }
    return try await export(
      asset, as: form, name: target.lastPathComponent, exporter, cancelled, movieFrames, renderer, progress)
  }

  private func export(
    _ asset: Asset, as form: ExportForm, name: String?, _ exporter: AssetExporter, _ cancelled: CancellationFlag,
    _ movieFrames: (any MovieReader)?, _ renderer: (any EditRenderer)?,
    _ progress: @escaping @Sendable (Double) -> Void
  ) async throws(PhotoLibraryError) -> ExportReport.Exported {
    let options = exporter.options
    if form == .motionPhoto, let source = try await motionPhotoSource(of: asset, exporter, cancelled) {
      return try await MovieReduction(
        library: self, renderer: renderer, longestSide: options.longestSide, isConverted: false, exporter: exporter,
        cancelled: cancelled
      ).export(asset, source, as: form, name: name, progress)
    }
    let mayConvert = asset.mediaType == .video && (form == .movie || options.dropsSound)
    if !form.isAnimation, form != .still, options.longestSide != nil || mayConvert {
      let source = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
        try exporter.source(of: asset, as: form)
      }
      let isConverted = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
        try !source.isMadeOfBoxes()
      }
      if source.movie != nil, options.longestSide != nil || isConverted {
        return try await MovieReduction(
          library: self, renderer: renderer, longestSide: options.longestSide, isConverted: isConverted,
          exporter: exporter, cancelled: cancelled
        ).export(asset, source, as: form, name: name, progress)
      }
      // The forms that take any item. The others have their own refusal for what has no video.
      if options.longestSide != nil, source.mediaType == .photo, form == .current || form == .original {
        return try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
          try exporter.export(asset, as: .still, name: name, source: source, progress)
        }
      }
    }
    guard let ending = form.fileEnding else {
      return try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
        try exporter.export(asset, as: form, name: name, progress)
      }
    }
    guard let movieFrames else {
      throw .exportFailed(path: asset.url.path, reason: localized("PhotoMe can’t decode videos"))
    }
    let source = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try exporter.animationSource(of: asset)
    }
    let data = try await AnimationMaker(
      movies: movieFrames, source: MovieSource(url: asset.movieURL, byteRange: source.movie), form: form,
      longestSide: exporter.options.longestSide, duration: asset.duration, progress: progress
    ).make()
    return try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      let product = AssetExporter.Product(parts: [.bytes(data)], ending: ending)
      return try exporter.write([product], of: asset, as: form, name: name, modified: source.modified)
    }
  }

  /// The files of which a Motion Photo is to be made; `nil` where it is one already.
  ///
  /// - Throws: `exportFailed` when it can't be one.
  private func motionPhotoSource(
    of asset: Asset, _ exporter: AssetExporter, _ cancelled: CancellationFlag
  ) async throws(PhotoLibraryError) -> AssetExporter.Source? {
    guard asset.isLive else {
      throw .exportFailed(
        path: asset.url.path, reason: localized("it isn’t a live photo; export the current version instead"))
    }
    guard asset.pairedVideo != nil else { return nil }
    let source = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try exporter.source(of: asset, as: .motionPhoto)
    }
    guard source.format?.canBeLive == true else {
      throw .exportFailed(
        path: asset.url.path,
        reason: localized("a file of its format can’t hold a video; export both of its files instead"))
    }
    return source
  }
}
