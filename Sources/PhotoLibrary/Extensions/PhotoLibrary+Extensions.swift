// Editing assets with editing extensions.

import CameraCore
import EngineInterface
import Foundation
import Localization

extension PhotoLibrary {
  /// Edits an asset with an extension.
  ///
  /// The extension gets the untouched original, and its own settings if the current edit is one of its own; its result
  /// replaces any other edit. When this throws, also because the task was canceled, the asset is unchanged.
  ///
  /// - Parameter progress: Called with the completed part, 0…1, on one of the library's threads.
  /// - Throws: `extensionFailed` with the reason, `cancelled`, or what changing the library throws.
  public func edit(
    _ asset: Asset, with extension: EditingExtension, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(PhotoLibraryError) {
    guard `extension`.canEdit(asset) else {
      let reason =
        asset.mediaType == .video
        ? localized("it can’t edit videos")
        : asset.isLive ? localized("it can’t edit live photos") : localized("it can’t edit photos")
      throw .extensionFailed(name: `extension`.name, reason: reason)
    }
    try await prepareForCapture()
    let present = try await adjustmentData(for: asset.id)
    let known = present.flatMap { `extension`.canHandle($0) ? $0 : nil }
    // The original, whatever the current edit is.
    let input = try await contentEditingInput(for: asset.id) { _ in true }
    let cancelled = CancellationFlag()
    let folder = movieFolder.appendingPathComponent("extension-\(UUID().uuidString)", isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = try await Blocking.run(canceling: cancelled) { () throws(PhotoLibraryError) in
      try self.render(input, with: `extension`, known, in: folder, cancelled, progress)
    }
    guard !Task.isCancelled else { throw .cancelled }
    try await performChanges {
      $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output))
    }
  }

  private func render(
    _ input: ContentEditingInput, with extension: EditingExtension, _ adjustment: AdjustmentData?, in folder: URL,
    _ cancelled: CancellationFlag, _ progress: (Double) -> Void
  ) throws(PhotoLibraryError) -> ContentEditingOutput {
    try disk.makeFolder(folder.path)
    let file = try ReadableFile(input.url.path, disk: disk)
    func copy(_ range: Range<UInt64>, of file: ReadableFile, _ name: String) throws(PhotoLibraryError) -> URL {
      let url = folder.appendingPathComponent(name)
      try FileWriter(disk: disk).write(
        Data(), tail: file, tailFrom: range.lowerBound, tailLength: range.upperBound - range.lowerBound,
        isCancelled: { cancelled.isSet }, to: url.path)
      return url
    }
    let photo = try input.photoRange.map { range throws(PhotoLibraryError) in
      guard input.format != .jpeg else { return try copy(range, of: file, "input.jpg") }
      // Extensions take JPEGs.
      guard range.upperBound - range.lowerBound <= StillSource.largestByteCount else {
        throw .unusableFile(
          path: file.path, reason: localized("at \(range.count.localizedByteCount), it’s too large to edit"))
      }
      let picture = try file.data(at: range.lowerBound, count: range.count)
      let url = folder.appendingPathComponent("input.jpg")
      try FileWriter(disk: disk).write(
        PictureDecoder.jpeg(of: picture, as: input.format, path: file.path), to: url.path)
      return url
    }
    let movieFormat =
      photo == nil || input.pairedVideo != nil ? MovieFormat(fileExtension: input.movieURL.pathExtension) : nil
    let movieName = "input.\((movieFormat ?? .mp4).fileExtension)"
    let movie = try input.movieRange.map { range throws(PhotoLibraryError) in
      let source = try input.pairedVideo.map { url throws(PhotoLibraryError) in try ReadableFile(url.path, disk: disk) }
      return try copy(range, of: source ?? file, movieName)
    }
    let result = try ExtensionRun(extension: `extension`, folder: folder).run(
      photo: photo, movie: movie, photoTime: input.photoDisplayTime, adjustment: adjustment,
      isCancelled: { cancelled.isSet }, progress: progress)
    var output = ContentEditingOutput(
      photo: result.photo, photoDisplayTime: input.photoDisplayTime, adjustmentData: result.adjustment)
    // A live photo stays one: without a new movie it keeps its own.
    guard let video = result.movie ?? movie else { return output }
    // Moved out of the folder, which is removed.
    let url = movieFolder.appendingPathComponent("\(folder.lastPathComponent).mp4")
    guard disk.system.rename(video.path, url.path) == 0 else { throw .system(.rename, video.path, code: errno) }
    output.pairedVideo = url
    return output
  }
}
