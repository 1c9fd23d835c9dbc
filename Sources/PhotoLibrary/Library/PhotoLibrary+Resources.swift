// The files that an asset is made of.

import CameraCore
import Foundation
import MediaFormats

extension PhotoLibrary {
  /// The files, and parts of files, that an asset is made of: its picture or movie, the movie of a live photo, a raw file,
  /// and of an edited one the originals and the settings.
  ///
  /// - Throws: `unusableFile` when its record can't be read, or the error of the disk or the index.
  public func resources(of asset: Asset) async throws(PhotoLibraryError) -> [AssetResource] {
    try await Blocking.run { () throws(PhotoLibraryError) in try self.resourcesNow(of: asset) }
  }

  /// The bytes of a resource. Others are read meanwhile.
  ///
  /// - Parameter progress: Called with the part that was read, 0…1, ascending; any thread.
  /// - Throws: `cancelled` when the task is canceled, at once even while the disk doesn't answer; or the error of the disk.
  public func data(
    of resource: AssetResource, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws(PhotoLibraryError) -> Data {
    let (disk, range) = (disk, resource.byteRange)
    return try await ReadMonitor.run(progress: progress) { monitor throws(PhotoLibraryError) in
      let file = try ReadableFile(resource.url.path, disk: disk, monitor: monitor)
      monitor.expect(UInt64(range.count))
      return try file.data(at: range.lowerBound, count: range.count)
    }
  }

  private func resourcesNow(of asset: Asset) throws(PhotoLibraryError) -> [AssetResource] {
    let isVideo = asset.mediaType == .video
    let name = Disk.name(of: asset.url.path)
    var found = try files(
      asset.url, name: name, photo: isVideo ? .video : .photo, movie: isVideo ? .video : .pairedVideo, asset.movieRange,
      in: asset.movieURL)
    if asset.isOutside { return found }
    for raw in try raws(of: asset) { found.append(try whole(raw, .rawPhoto)) }
    guard let edit = try RecordStore(folder: layout, disk: disk).record(asset.id).edit else { return found }
    let url = URL(fileURLWithPath: "\(layout.originals)/\(edit.original)", isDirectory: false)
    let ending = edit.originalEnding ?? FileName.ending(of: name)
    let video = try index.parts(of: asset.id).first { $0.link?.role == .video }
    let paired = video.map { URL(fileURLWithPath: layout.absolute($0.path), isDirectory: false) }
    let original = try ReadableFile(url.path, disk: disk)
    // One that can't be parsed is listed as it is.
    let facts = try FileFacts(original)
    found += try files(
      url, name: FileName.stem(of: name) + ending,
      photo: isVideo ? .originalVideo : .originalPhoto, movie: isVideo ? .originalVideo : .originalPairedVideo,
      paired == nil ? facts?.movieRange : nil, in: url)
    if let paired { found.append(try whole(paired, .originalPairedVideo)) }
    let matte = URL(fileURLWithPath: layout.matte(asset.id), isDirectory: false)
    if disk.status(matte.path)?.kind == .file { found.append(try whole(matte, .matte)) }
    found.append(try whole(URL(fileURLWithPath: layout.record(asset.id), isDirectory: false), .adjustment))
    return found
  }

  /// A picture with its movie, or a movie.
  private func files(
    _ url: URL, name: String, photo: AssetResource.Kind, movie: AssetResource.Kind, _ range: Range<UInt64>?,
    in movieURL: URL
  ) throws(PhotoLibraryError) -> [AssetResource] {
    let size = try ReadableFile(url.path, disk: disk).size
    guard photo != movie, let range else {
      return [AssetResource(kind: photo, url: url, byteRange: 0..<size, name: name)]
    }
    let isApart = movieURL != url
    let stem = FileName.stem(of: name)
    return [
      AssetResource(kind: photo, url: url, byteRange: 0..<(isApart ? size : range.lowerBound), name: name),
      AssetResource(
        kind: movie, url: movieURL, byteRange: range,
        name: isApart ? movieURL.lastPathComponent : stem + ".\(MovieFormat.mp4.fileExtension)"),
    ]
  }

  private func whole(_ url: URL, _ kind: AssetResource.Kind) throws(PhotoLibraryError) -> AssetResource {
    AssetResource(
      kind: kind, url: url, byteRange: 0..<(try ReadableFile(url.path, disk: disk).size), name: url.lastPathComponent)
  }

  /// The raw files of an asset: the DNG of a shot, and those of other cameras beside their pictures.
  ///
  /// - Throws: When the index, or a file, can't be read.
  private func raws(of asset: Asset) throws(PhotoLibraryError) -> [URL] {
    guard asset.mediaType == .photo, let path = layout.relative(asset.url.path) else { return [] }
    let own = try index.raw(of: asset.id, at: path, in: layout, disk: disk)
    let others = try index.parts(of: asset.id).filter { $0.link?.role == .raw }.map { layout.absolute($0.path) }
    return ([own].compactMap(\.self) + others).map { URL(fileURLWithPath: $0, isDirectory: false) }
  }

  /// The raw file of an asset, as a DNG or as its camera writes it; `nil` where it has none, or it can't be read.
  public func rawFile(of asset: Asset) async -> URL? {
    await Blocking.run { try? self.raws(of: asset).first }
  }
}
