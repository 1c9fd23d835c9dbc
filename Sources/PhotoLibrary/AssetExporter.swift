// Copies of assets for other places: each form of them as a file of its own, outside of the library.

import Foundation

/// What an asset is exported as.
public enum ExportForm: String, Sendable, Hashable, CaseIterable {
  /// The file as it was before all edits.
  case original
  /// The file as it is now, with its edits, and with its movie when it is a live photo.
  case current
  /// The picture without a movie, in a file that says nothing of one any more.
  case still
  /// The movie of a live photo, or a video.
  case movie
}

/// The outcome of `PhotoLibrary.export`.
public struct ExportReport: Sendable {
  public struct Exported: Sendable, Hashable {
    public var assetID: Asset.ID
    public var url: URL
    /// What is not as it should be with the copy: a sentence.
    public var note: String?
  }

  public struct Refused: Sendable, Equatable {
    public var assetID: Asset.ID
    /// Why, and what can be done.
    public var error: PhotoLibraryError
  }

  /// Durable, in the order of the assets.
  public internal(set) var exported: [Exported] = []
  public internal(set) var refused: [Refused] = []
  /// Whether the task was cancelled before all were exported.
  public internal(set) var isCancelled = false

  public init(exported: [Exported] = []) { self.exported = exported }
}

extension PhotoLibrary {
  /// Copies assets into a folder outside of the library, under their own names; a name that is taken there is numbered, and
  /// nothing is replaced. The dates of the files stay.
  ///
  /// Ends early when the task is cancelled, or when nothing more can be written there.
  ///
  /// - Parameters:
  ///   - folder: Made when it is missing.
  ///   - progress: Called on a thread of the library's.
  /// - Throws: When nothing can be exported there at all.
  public func export(
    _ assets: [Asset], as form: ExportForm, into folder: URL,
    progress: @escaping @Sendable (LibraryProgress) -> Void = { _ in }
  ) async throws(PhotoLibraryError) -> ExportReport {
    let cancelled = CancellationMark()
    return try await withCancellation(cancelled) { () throws(PhotoLibraryError) in
      let exporter = try AssetExporter(self, into: folder.path)
      var report = ExportReport()
      for (number, asset) in assets.enumerated() {
        guard !cancelled.isSet else {
          report.isCancelled = true
          break
        }
        progress(LibraryProgress(step: .exporting, done: number, total: assets.count))
        do throws(PhotoLibraryError) {
          report.exported.append(try exporter.export(asset, as: form, name: nil))
        } catch {
          report.refused.append(ExportReport.Refused(assetID: asset.id, error: error))
          if case .diskFull = error { break }
          if case .readOnly = error { break }
        }
      }
      progress(LibraryProgress(step: .exporting, done: assets.count, total: assets.count))
      return report
    }
  }

  /// Copies one asset to a file outside of the library. Its date stays.
  ///
  /// - Parameter target: A name that is not taken; its folder is made when it is missing.
  public func export(
    _ asset: Asset, as form: ExportForm, to target: URL
  ) async throws(PhotoLibraryError) -> ExportReport.Exported {
    try await Blocking.run { () throws(PhotoLibraryError) in
      try AssetExporter(self, into: Disk.parent(of: target.path)).export(
        asset, as: form, name: target.lastPathComponent)
    }
  }
}

/// Exports into one folder. For one thread.
private struct AssetExporter {
  let layout: LibraryFolder
  let disk: Disk
  let folder: String

  init(_ library: PhotoLibrary, into folder: String) throws(PhotoLibraryError) {
    (layout, disk, self.folder) = (library.layout, library.disk, folder)
    try disk.makeFolder(folder)
    // By where it really is: what is copied into the library would be in it twice.
    let place = URL(fileURLWithPath: folder, isDirectory: true).resolvingSymlinksInPath().path
    let own = layout.url.resolvingSymlinksInPath().path
    guard place != own, !place.hasPrefix(own + "/") else {
      throw .unusableFile(path: folder, reason: "it is inside of the library; choose a folder outside of it")
    }
  }

  /// - Parameter name: The file's; `nil` takes the asset's own, numbered when it is taken.
  func export(_ asset: Asset, as form: ExportForm, name: String?) throws(PhotoLibraryError) -> ExportReport.Exported {
    let path = form == .original ? try original(of: asset) : asset.url.path
    let file = try ReadableFile(path, disk: disk)
    var (head, tail, note) = (Data(), 0..<file.size, nil as String?)
    switch form {
    case .original, .current: break
    case .still: (head, tail, note) = try still(of: asset, file)
    case .movie:
      guard let movie = try AssetMovie(checking: asset, in: file) else {
        throw .unusableFile(path: path, reason: "there is no movie in it")
      }
      tail = movie.byteRange
    }
    let temporary =
      "\(folder)/" + LibraryFolder.temporaryName(for: asset.name, token: LibraryFolder.makeToken(), number: 0)
    try FileWriter(folder: layout, disk: disk).write(
      head, tail: file, tailFrom: tail.lowerBound, tailLength: tail.upperBound - tail.lowerBound,
      modified: file.status.modified, to: temporary)
    do throws(PhotoLibraryError) {
      let final = try publish(temporary, name: name, standard: Self.name(of: asset, as: form))
      return ExportReport.Exported(assetID: asset.id, url: URL(fileURLWithPath: final, isDirectory: false), note: note)
    } catch {
      disk.discard(temporary)
      throw error
    }
  }

  private func original(of asset: Asset) throws(PhotoLibraryError) -> String {
    guard let edit = try RecordStore(folder: layout, disk: disk).record(asset.id).edit else { return asset.url.path }
    return "\(layout.originals)/\(edit.original)"
  }

  /// The bytes of the picture: those that take the place of the file's first ones, and the rest of them.
  private func still(
    of asset: Asset, _ file: ReadableFile
  ) throws(PhotoLibraryError) -> (head: Data, tail: Range<UInt64>, note: String?) {
    guard asset.mediaType == .photo else {
      throw .unusableFile(path: asset.url.path, reason: "it is a video, and has no still picture")
    }
    guard let movie = try AssetMovie(checking: asset, in: file) else { return (Data(), 0..<file.size, nil) }
    let end = movie.byteRange.lowerBound
    switch try MetadataRewriter.withoutMovie(file) {
    case .possible(_, _, let bytes?): return (bytes.head, bytes.tail.lowerBound..<end, nil)
    case .possible: return (Data(), 0..<end, nil)
    case .impossible(let reason):
      let note = "“\(asset.name)” still says that a movie follows its picture: \(reason)."
      return (Data(), 0..<end, note)
    }
  }

  private func publish(_ temporary: String, name: String?, standard: String) throws(PhotoLibraryError) -> String {
    var attempt = 1
    while true {
      let path = "\(folder)/\(name ?? Self.numbered(standard, attempt))"
      if try disk.renameNew(temporary, to: path) {
        try disk.synchronizeFolder(folder)
        return path
      }
      guard name == nil else {
        throw .unusableFile(path: path, reason: "there is a file of that name; choose another name")
      }
      attempt += 1
    }
  }

  /// `IMG.MP.jpg` is `IMG.jpg` as a still and `IMG.mp4` as a movie.
  static func name(of asset: Asset, as form: ExportForm) -> String {
    guard asset.isLive, form == .still || form == .movie else { return asset.name }
    let (stem, ending) = split(asset.name)
    let plain = stem.hasSuffix(".MP") || stem.hasSuffix("_MP") ? String(stem.dropLast(3)) : stem
    return form == .movie ? plain + ".mp4" : plain + ending
  }

  /// The second of a name: `IMG (2).jpg`.
  static func numbered(_ name: String, _ attempt: Int) -> String {
    guard attempt > 1 else { return name }
    let (stem, ending) = split(name)
    // Readers of live photos go by the end of the stem.
    return stem.hasSuffix(".MP") ? "\(stem.dropLast(3)) (\(attempt)).MP\(ending)" : "\(stem) (\(attempt))\(ending)"
  }

  private static func split(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}

extension Asset {
  /// Of its file.
  fileprivate var name: String { url.lastPathComponent }
}
