// Exporting assets into a folder: contents and names of the files, written all or none.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// Exports assets into one folder.
struct AssetExporter: Sendable {
  /// A file to write.
  struct Product: Sendable {
    var parts: [FilePart]
    /// The file extension, with the dot.
    var ending: String
    /// Whether parts are white that are transparent in the asset.
    var losesTransparency = false
  }

  let layout: LibraryFolder
  let disk: Disk
  private let index: LibraryIndex
  let folder: String
  let place: ExportFolder
  var options: ExportOptions
  let isCancelled: CancellationFlag

  init(
    _ library: PhotoLibrary, into folder: String, _ options: ExportOptions, isCancelled: CancellationFlag
  ) throws(PhotoLibraryError) {
    (layout, disk, index) = (library.layout, library.disk, library.index)
    (self.folder, self.options, self.isCancelled) = (folder, options, isCancelled)
    let sides = ExportOptions.longestSides
    if let side = options.longestSide, !sides.contains(side) {
      throw .exportFailed(
        path: folder, reason: localized("the size must be from \(sides.lowerBound) to \(sides.upperBound) pixels"))
    }
    // Nothing is made in the library, either.
    var existing = folder
    while disk.status(existing) == nil, Disk.parent(of: existing) != existing { existing = Disk.parent(of: existing) }
    guard !library.contains(folder: URL(fileURLWithPath: existing, isDirectory: true)) else {
      throw Self.inside(folder)
    }
    place = try ExportFolder(folder, disk: disk)
    guard !library.contains(folder: URL(fileURLWithPath: folder, isDirectory: true)) else { throw Self.inside(folder) }
  }

  /// Whether nothing more can be exported after an error.
  func isLast(_ error: PhotoLibraryError) -> Bool {
    switch error {
    case .diskFull(let path), .readOnly(let path), .folderUnavailable(let path, _): path == folder
    case .libraryAbsent: true
    default: false
    }
  }

  private static func inside(_ folder: String) -> PhotoLibraryError {
    .unusableFile(path: folder, reason: localized("it’s inside the library; choose a folder outside the library"))
  }

  /// Exports one asset.
  ///
  /// - Parameters:
  ///   - name: The file's; `nil` for the asset's own, numbered when it is taken.
  ///   - given: A replacement for the asset's file.
  ///   - progress: Called with the completed part, from 0 to 1.
  /// - Throws: `exportFailed`, `unusableFile`, `cancelled`, or the error of the disk; nothing was written then.
  func export(
    _ asset: Asset, as form: ExportForm, name: String?, source given: Source? = nil, _ progress: (Double) -> Void
  ) throws(PhotoLibraryError) -> ExportReport.Exported {
    let source = if let given { given } else { try source(of: asset, as: form) }
    var notes: [String?] = []
    let products: [Product]
    switch form {
    case .still:
      let still = try still(of: asset, source)
      products = [still.product]
      notes.append(still.note)
    case .movie:
      let paired = source.pairedFile.map { FileName.ending(of: $0.path) }
      let ending = paired ?? (asset.isLive ? ".mp4" : source.ending ?? FileName.ending(of: asset.name))
      let range = try movie(of: source)
      guard try source.isMadeOfBoxes() else {
        throw .exportFailed(path: asset.url.path, reason: localized("PhotoMe can’t convert it"))
      }
      products = [
        Product(parts: try MovieCopy.parts(of: source.movieFile, range: range, try changes(source)), ending: ending)
      ]
    case .appleLivePhoto: products = try appleLivePhoto(of: asset, source, named: name)
    default:
      var whole = try whole(of: asset, source)
      if form == .motionPhoto, let ending = source.motionPhotoEnding { whole.ending = ending }
      products = try [whole] + videoProducts(source) + (form == .motionPhoto ? [] : rawProducts(of: asset))
      if source.format == .raw, whole.ending != source.ending ?? FileName.ending(of: asset.name) {
        notes.append(localized("“\(asset.name)” was exported as a JPEG because RAW files are never changed."))
      }
    }
    if products.first?.losesTransparency == true {
      notes.append(
        localized("JPEG has no transparency: the transparent parts of “\(asset.name)” are white in the copy."))
    }
    if options.dropsLocation { notes.append(try lostTexts(of: asset, source, as: form)) }
    return try write(
      products, of: asset, as: form, name: name, modified: source.modified ?? source.file.status.modified,
      note: Self.note(notes), progress)
  }

  /// Sentences about a copy as one text, each once; `nil` when there are none.
  static func note(_ notes: [String?]) -> String? {
    var sentences: [String] = []
    for note in notes.compactMap(\.self) where !sentences.contains(where: { $0.contains(note) }) {
      sentences.append(note)
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  // MARK: Contents

  /// The file to export.
  func source(of asset: Asset, as form: ExportForm) throws(PhotoLibraryError) -> Source {
    let hasRecord = form == .original && !asset.isOutside
    let edit = hasRecord ? try RecordStore(folder: layout, disk: disk).record(asset.id).edit : nil
    guard let edit else {
      let file = try ReadableFile(asset.url.path, disk: disk)
      let paired = try asset.pairedVideo.map { url throws(PhotoLibraryError) in try ReadableFile(url.path, disk: disk) }
      // The movie doesn't matter when the file is copied unchanged.
      let needsMovie = !(form == .original || form == .current) || options != ExportOptions()
      let movie = needsMovie ? try AssetMovie(checking: asset, in: paired ?? file)?.byteRange : asset.movieRange
      return try Source(
        file: file, mediaType: asset.mediaType, movie: movie, photoDisplayTime: asset.photoDisplayTime,
        pairedFile: paired, isCopiedWhole: !needsMovie)
    }
    let file = try ReadableFile("\(layout.originals)/\(edit.original)", disk: disk)
    let facts = options == ExportOptions() ? nil : try FileFacts(file)
    // The original of a live photo of two files has its movie where it always was.
    let video = try index.parts(of: asset.id).first { $0.link?.role == .video }
    let paired = try video.map { video throws(PhotoLibraryError) in
      (file: try ReadableFile(layout.absolute(video.path), disk: disk), video: IndexedFile.PairedVideo(video))
    }
    var source = try Source(
      file: file, mediaType: facts?.mediaType ?? asset.mediaType,
      movie: paired.map { 0..<$0.file.size } ?? facts?.movieRange,
      photoDisplayTime: paired?.video.photoDisplayTime ?? facts?.photoDisplayTime, pairedFile: paired?.file,
      isCopiedWhole: facts == nil)
    source.ending = edit.originalEnding
    return source
  }

  /// The movie for an animation, and the modification time of its file in nanoseconds since 1970.
  func animationSource(of asset: Asset) throws(PhotoLibraryError) -> (movie: Range<UInt64>, modified: Int64) {
    let file = try ReadableFile(asset.movieURL.path, disk: disk)
    guard let movie = try AssetMovie(checking: asset, in: file) else {
      throw .unusableFile(path: file.path, reason: localized("it contains no video"))
    }
    return (movie.byteRange, file.status.modified)
  }

  private func movie(of source: Source) throws(PhotoLibraryError) -> Range<UInt64> {
    guard let range = source.movie else {
      throw .unusableFile(path: source.file.path, reason: localized("it contains no video"))
    }
    return range
  }

  /// The changes to a movie that keeps its format.
  private func changes(_ source: Source) throws(PhotoLibraryError) -> MovieCopy.Changes {
    MovieCopy.Changes(
      dropsSound: options.dropsSound, dropsLocation: options.dropsLocation,
      places: options.dropsLocation ? try source.allPlaces() : PlaceNames())
  }

  /// The picture of a file in another size or form; `nil` when its own can be used.
  func rendered(_ source: Source) throws(PhotoLibraryError) -> StillRenderer.Rendering? {
    let places = options.dropsLocation ? try source.moviePlaces() : PlaceNames()
    return try StillRenderer(source.file, end: source.end, options, places: places, unless: isCancelled).rendered()
  }

  /// The whole file, with its movie.
  private func whole(of asset: Asset, _ source: Source) throws(PhotoLibraryError) -> Product {
    if source.mediaType == .photo, source.movie == nil || source.pairedFile != nil, options != ExportOptions(),
      let product = try renderedProduct(of: asset, source)
    {
      return product
    }
    return Product(parts: try whole(source), ending: source.ending(ofCopy: asset.name))
  }

  private func whole(_ source: Source) throws(PhotoLibraryError) -> [FilePart] {
    if options == ExportOptions() { return [.file(source.file, 0..<source.file.size)] }
    guard source.mediaType == .photo else {
      if try !source.isMadeOfBoxes() {
        return try source.file.parse { file throws(FormatError) in try PlacelessMovie.pieces(of: file) }
      }
      return try MovieCopy.parts(of: source.file, range: 0..<source.file.size, try changes(source))
    }
    guard let range = source.movie, source.pairedFile == nil else {
      // A description of a movie that isn't there is of no use, and would be of a trailer that is cut.
      return try picture(source, PictureCopy.Changes(dropsMovie: try claimsMovie(source)))
    }
    let movie = try MovieCopy.parts(of: source.file, range: range, try changes(source))
    let isSame = source.isTight && movie.byteCount == range.upperBound - range.lowerBound
    return try picture(
      source,
      PictureCopy.Changes(movieLength: isSame ? nil : movie.byteCount, presentationTime: source.photoDisplayTime))
      + box(of: movie, source) + movie
  }

  /// The head of the box that a movie is in behind a HEIC or AVIF.
  private func box(of movie: [FilePart], _ source: Source) throws(PhotoLibraryError) -> [FilePart] {
    guard source.format?.isHEIF == true else { return [] }
    return try source.file.parse { _ throws(FormatError) in
      [.bytes(try HEIFHead.movieBoxHead(movieLength: movie.byteCount))]
    }
  }

  /// The movie of a live photo of two files, under the name of the photo.
  private func videoProducts(_ source: Source) throws(PhotoLibraryError) -> [Product] {
    guard let file = source.pairedFile, let range = source.movie else { return [] }
    let parts =
      options == ExportOptions()
      ? [FilePart.file(file, range)] : try MovieCopy.parts(of: file, range: range, try changes(source))
    return [Product(parts: parts, ending: FileName.ending(of: file.path))]
  }

  /// The raw picture, which goes with copies that change nothing.
  private func rawProducts(of asset: Asset) throws(PhotoLibraryError) -> [Product] {
    guard options == ExportOptions(), asset.mediaType == .photo, let path = layout.relative(asset.url.path) else {
      return []
    }
    let own = try index.raw(of: asset.id, at: path, in: layout, disk: disk)
    let others = try index.parts(of: asset.id).filter { $0.link?.role == .raw }.map { layout.absolute($0.path) }
    return try ([own].compactMap(\.self) + others).map { path throws(PhotoLibraryError) in
      let file = try ReadableFile(path, disk: disk)
      return Product(parts: [.file(file, 0..<file.size)], ending: FileName.ending(of: path))
    }
  }

  private func claimsMovie(_ source: Source) throws(PhotoLibraryError) -> Bool {
    try PictureHead(source.file)?.xmp.flatMap { MotionPhotoDescription(xmp: $0) } != nil
  }

  private func picture(_ source: Source, _ changes: PictureCopy.Changes) throws(PhotoLibraryError) -> [FilePart] {
    var changes = changes
    changes.dropsPictures = source.losesPictures
    changes.dropsLocation = options.dropsLocation
    if options.dropsLocation { changes.places = try source.moviePlaces() }
    return try PictureCopy.parts(of: source.file, end: source.end, changes)
  }

  /// A picture in another size or form, under its format's name; `nil` when its own can be used.
  private func renderedProduct(of asset: Asset, _ source: Source) throws(PhotoLibraryError) -> Product? {
    guard let rendered = try rendered(source) else { return nil }
    let ending = source.ending(ofCopy: asset.name)
    let isSame = PhotoFormat(fileExtension: ending.dropFirst()) == rendered.format
    return Product(
      parts: [.bytes(rendered.data)], ending: isSame ? ending : ".\(rendered.format.fileExtension)",
      losesTransparency: rendered.losesTransparency)
  }

  private func still(
    of asset: Asset, _ source: Source
  ) throws(PhotoLibraryError) -> (product: Product, note: String?) {
    guard source.mediaType == .photo else {
      throw .unusableFile(path: asset.url.path, reason: localized("it’s a video and has no still picture"))
    }
    if let product = try renderedProduct(of: asset, source) { return (product, nil) }
    let ending = source.ending(ofCopy: asset.name)
    let claimsMovie = try claimsMovie(source)
    if !claimsMovie || options.dropsLocation || source.losesPictures {
      let changes = PictureCopy.Changes(dropsMovie: claimsMovie)
      return (Product(parts: try picture(source, changes), ending: ending), nil)
    }
    switch try MetadataRewriter.withoutMovie(source.file) {
    case .possible(_, _, let bytes?):
      return (Product(parts: Self.cut(bytes.parts(of: source.file), at: source.end), ending: ending), nil)
    case .possible: return (Product(parts: [.file(source.file, 0..<source.end)], ending: ending), nil)
    case .impossible(let reason):
      let note = localized(
        """
        The copy of “\(asset.name)” is still marked as a live photo, though its video was left out: \
        \(reason).
        """)
      return (Product(parts: [.file(source.file, 0..<source.end)], ending: ending), note)
    }
  }

  /// Pieces of a rewritten file up to an offset of the old one.
  private static func cut(_ parts: [FilePart], at end: UInt64) -> [FilePart] {
    parts.compactMap { part in
      guard case .file(let file, let range) = part else { return part }
      return range.lowerBound < end ? .file(file, range.lowerBound..<min(range.upperBound, end)) : nil
    }
  }

  /// The still and the movie, with the same new content identifier.
  private func appleLivePhoto(
    of asset: Asset, _ source: Source, named name: String?
  ) throws(PhotoLibraryError) -> [Product] {
    guard source.isLive else {
      throw .exportFailed(
        path: asset.url.path, reason: localized("it isn’t a live photo; export the current version instead"))
    }
    guard source.format != .avif else {
      throw .exportFailed(
        path: asset.url.path,
        reason: localized("iPhones don’t accept AVIF files as live photos; export its photo and its video"))
    }
    let identifier = AppleContentIdentifier.make()
    let still = try picture(source, PictureCopy.Changes(dropsMovie: true, contentIdentifier: identifier))
    var movie = try changes(source)
    movie.pair = AppleLivePhotoTrack.Pair(
      contentIdentifier: identifier, stillTime: source.photoDisplayTime,
      created: LocalTime(milliseconds: asset.created.millisecondsSince1970, utcOffset: asset.utcOffset),
      location: options.dropsLocation ? nil : asset.location)
    let parts = try MovieCopy.parts(of: source.movieFile, range: try self.movie(of: source), movie)
    // As iPhones name them, unless the given name says otherwise.
    let given = name.map { FileName.ending(of: $0) } ?? ""
    let isRight = Self.isStill(given) && PhotoFormat(fileExtension: given.dropFirst()) == source.format
    let ending = isRight ? given : source.format == .heic ? ".HEIC" : ".JPG"
    return [
      Product(parts: still, ending: ending),
      Product(parts: parts, ending: ending == ending.lowercased() ? ".mov" : ".MOV"),
    ]
  }

  static func isStill(_ ending: String) -> Bool {
    PhotoFormat(fileExtension: ending.dropFirst())?.canBeLive == true
  }
}

extension Asset {
  /// The name of its file.
  var name: String { url.lastPathComponent }
}
