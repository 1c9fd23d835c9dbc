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
  }

  let layout: LibraryFolder
  let disk: Disk
  private let index: LibraryIndex
  let folder: String
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
    try disk.makeFolder(folder)
    guard !library.contains(folder: URL(fileURLWithPath: folder, isDirectory: true)) else {
      throw .unusableFile(
        path: folder, reason: localized("it’s inside the library; choose a folder outside the library"))
    }
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
    var note: String?
    let products: [Product]
    switch form {
    case .still:
      let still = try still(of: asset, source)
      (products, note) = ([still.product], still.note)
    case .movie:
      let paired = source.pairedFile.map { FilePairs.ending(of: $0.path) }
      let ending = paired ?? (asset.isLive ? ".mp4" : source.ending ?? Self.split(asset.name).ending)
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
      if source.format == .raw, whole.ending != source.ending ?? Self.split(asset.name).ending {
        note = localized("“\(asset.name)” was exported as a JPEG because RAW files are never changed.")
      }
    }
    if note == nil, options.dropsLocation { note = try lostTexts(of: asset, source, as: form) }
    return try write(
      products, of: asset, as: form, name: name, modified: source.modified ?? source.file.status.modified,
      note: note, progress)
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
  func rendered(_ source: Source) throws(PhotoLibraryError) -> (data: Data, format: PhotoFormat)? {
    let places = options.dropsLocation ? try source.moviePlaces() : PlaceNames()
    return try StillRenderer(source.file, end: source.end, options, places: places).rendered()
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
    return [Product(parts: parts, ending: FilePairs.ending(of: file.path))]
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
      return Product(parts: [.file(file, 0..<file.size)], ending: FilePairs.ending(of: path))
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
    return Product(parts: [.bytes(rendered.data)], ending: isSame ? ending : ".\(rendered.format.fileExtension)")
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
    let given = name.map { Self.split($0).ending } ?? ""
    let isRight = Self.isStill(given) && PhotoFormat(fileExtension: given.dropFirst()) == source.format
    let ending = isRight ? given : source.format == .heic ? ".HEIC" : ".JPG"
    return [
      Product(parts: still, ending: ending),
      Product(parts: parts, ending: ending == ending.lowercased() ? ".mov" : ".MOV"),
    ]
  }

  // MARK: Writing

  /// Writes the files durably under hidden names, and then renames them: all of them or none.
  func write(
    _ products: [Product], of asset: Asset, as form: ExportForm, name: String?, modified: Int64?, note: String? = nil,
    _ progress: (Double) -> Void = { _ in }
  ) throws(PhotoLibraryError) -> ExportReport.Exported {
    let token = LibraryFolder.makeToken()
    let temporaries = products.indices.map { number in
      "\(folder)/" + LibraryFolder.temporaryName(for: asset.name, token: token, number: number)
    }
    var written = 0
    let total = products.reduce(0) { $0 + $1.parts.byteCount }
    var done: UInt64 = 0
    do throws(PhotoLibraryError) {
      for (product, path) in zip(products, temporaries) {
        try FileWriter(disk: disk).write(
          product.parts, modified: modified, isCancelled: { isCancelled.isSet }, to: path
        ) { count in
          done += count
          progress(Double(done) / Double(max(1, total)))
        }
        written += 1
      }
      let paths = try publish(temporaries, products, asset, form, name: name)
      let urls = paths.map { URL(fileURLWithPath: $0, isDirectory: false) }
      return ExportReport.Exported(
        assetID: asset.id, url: urls[0], companions: Array(urls.dropFirst()), note: note)
    } catch {
      for path in temporaries.prefix(written) { disk.discard(path) }
      throw error
    }
  }

  private func publish(
    _ temporaries: [String], _ products: [Product], _ asset: Asset, _ form: ExportForm, name: String?
  ) throws(PhotoLibraryError) -> [String] {
    var attempt = 1
    while true {
      let names = name.map { Self.names($0, products) } ?? Self.names(of: asset, as: form, products, attempt)
      let paths = names.map { "\(folder)/\($0)" }
      if let taken = try rename(temporaries, to: paths) {
        guard name == nil else {
          throw .unusableFile(
            path: taken, reason: localized("a file with that name already exists; choose another name"))
        }
        attempt += 1
        continue
      }
      do throws(PhotoLibraryError) { try disk.synchronizeFolder(folder) } catch {
        for path in paths { disk.discard(path) }
        throw error
      }
      return paths
    }
  }

  /// Renames all files, or none.
  ///
  /// - Returns: The path that is taken; `nil` on success.
  private func rename(_ temporaries: [String], to paths: [String]) throws(PhotoLibraryError) -> String? {
    for index in paths.indices {
      var isDone = false
      defer {
        if !isDone {
          for done in 0..<index { _ = disk.system.rename(paths[done], temporaries[done]) }
        }
      }
      guard try disk.renameNew(temporaries[index], to: paths[index]) else { return paths[index] }
      isDone = true
    }
    return nil
  }

  // MARK: Names

  /// The names for a given name: the first file has it, the others differ in their extensions. A name without an extension gets
  /// the file's.
  private static func names(_ name: String, _ products: [Product]) -> [String] {
    guard products.count > 1 else {
      let given = split(name).ending.dropFirst().lowercased()
      let isKnown =
        PhotoFormat(fileExtension: given) != nil || MovieFormat(fileExtension: given) != nil || given == "dng"
      return [isKnown ? name : name + (products.first?.ending ?? "")]
    }
    let parts = split(name)
    let stem = PhotoFormat(fileExtension: parts.ending.dropFirst()) != nil ? parts.stem : name
    return products.map { stem + $0.ending }
  }

  /// `IMG.MP.jpg` becomes `IMG.jpg` as a still and `IMG.mp4` as a movie; a second one becomes `IMG (2).mp4`.
  private static func names(
    of asset: Asset, as form: ExportForm, _ products: [Product], _ attempt: Int
  ) -> [String] {
    var stem = form.sheetName ?? split(asset.name).stem
    // Readers recognize live photos by the end of the stem.
    let staysLive = form == .original || form == .current
    let mark = asset.isLive && !form.isSheet ? [".MP", "_MP"].first { stem.hasSuffix($0) } ?? "" : ""
    stem = String(stem.dropLast(mark.count))
    let number = attempt > 1 ? " (\(attempt))" : ""
    return products.map {
      let marked = (staysLive && mark == "_MP" ? mark : "") + number + (staysLive && mark == ".MP" ? mark : "")
      return FileName.fitting(stem, marked + $0.ending)
    }
  }

  private static func isStill(_ ending: String) -> Bool {
    PhotoFormat(fileExtension: ending.dropFirst())?.canBeLive == true
  }

  private static func split(_ name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}

extension Asset {
  /// The name of its file.
  fileprivate var name: String { url.lastPathComponent }
}
