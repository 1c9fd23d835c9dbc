// The file that is exported, and the names of its place.

import CameraCore
import Foundation
import Localization
import MediaFormats

extension AssetExporter {
  /// The file to export for an asset, and its contents.
  struct Source: Sendable {
    var file: ReadableFile
    var mediaType: AssetMediaType
    /// Of a picture; `nil` when it needn't be known.
    var format: PhotoFormat?
    /// In `movieFile`; `nil` for a picture without a movie.
    var movie: Range<UInt64>?
    /// The file of a movie that isn't in the picture's.
    var pairedFile: ReadableFile?
    /// In seconds from the movie's start.
    var photoDisplayTime: Double?
    /// The modification time of the copy, in nanoseconds since 1970; `nil` for the file's.
    var modified: Int64?
    /// The end of the picture and of the further ones that belong to it; what a phone has put behind them, or between them
    /// and the movie, is in no copy that changes anything.
    var end: UInt64
    /// Whether further pictures are left out, because they don't follow at once.
    var losesPictures = false
    /// The file extension of the copy, with the dot, where it isn't the asset's own.
    var ending: String?
    /// The names of the place that are known from the file of which this one was made.
    var places = PlaceNames()

    var isLive: Bool { mediaType == .photo && movie != nil }
    /// The file that contains the movie.
    var movieFile: ReadableFile { pairedFile ?? file }
    /// Whether the movie follows the pictures directly and ends with the file, as the common format demands.
    var isTight: Bool {
      if pairedFile != nil { return true }
      let start = end + (format?.isHEIF == true ? HEIFHead.moviePadding : 0)
      return movie.map { $0 == start..<file.size } ?? true
    }

    /// Whether it is an MP4 or QuickTime movie, or has one behind its picture. Others can only be copied, or converted.
    ///
    /// - Throws: When the file can't be read.
    func isMadeOfBoxes() throws(PhotoLibraryError) -> Bool {
      guard mediaType == .video, let format = try MovieHead.format(of: file) else { return true }
      return format.structure == .boxes
    }

    /// - Parameters:
    ///   - movie: Of this file, or of the other.
    ///   - isCopiedWhole: Whether nothing of it has to be known.
    init(
      file: ReadableFile, mediaType: AssetMediaType, movie: Range<UInt64>?, photoDisplayTime: Double?,
      pairedFile: ReadableFile? = nil, isCopiedWhole: Bool = false
    ) throws(PhotoLibraryError) {
      (self.file, self.mediaType, self.movie) = (file, mediaType, movie)
      (self.pairedFile, self.photoDisplayTime) = (pairedFile, photoDisplayTime)
      let limit = pairedFile == nil ? movie?.lowerBound ?? file.size : file.size
      end = limit
      guard mediaType == .photo, !isCopiedWhole else { return }
      let head = try PictureHead(file)
      format = head?.format
      if let head, head.format != .jpeg {
        if let known = head.end { end = known }
        return
      }
      let extent = try file.parse { file throws(FormatError) in try JPEGExtent(file, upTo: limit) }
      if let extent { (end, losesPictures) = (extent.endOfPictures, extent.losesPictures) }
    }
  }
}

extension AssetExporter.Source {
  /// The file extension, with the dot, of a copy in the source's own format: the asset's, unless that is another format's.
  ///
  /// - Parameter name: The asset's file name.
  func ending(ofCopy name: String) -> String {
    let own = ending ?? FileName.ending(of: name)
    guard mediaType == .photo, let format, PhotoFormat(fileExtension: own.dropFirst()) != format else { return own }
    return ".\(format.fileExtension)"
  }

  /// The ending by which readers recognize a Motion Photo; `nil` where the format isn't known.
  var motionPhotoEnding: String? { format.map { LibraryFolder.fileExtension($0, isLive: true) } }

  /// The names of the place in both halves: in the movie's description and packets, and in the picture's blocks.
  ///
  /// - Throws: When the file can't be read.
  func allPlaces() throws(PhotoLibraryError) -> PlaceNames {
    let names = try moviePlaces()
    return mediaType == .photo ? try PictureCopy.placeNames(file, end: end, known: names) : names
  }

  /// Those in the movie's description and packets, which its picture must not have either.
  ///
  /// - Throws: When the file can't be read.
  func moviePlaces() throws(PhotoLibraryError) -> PlaceNames {
    var names = places
    guard let movie else { return names }
    names.formUnion(
      try movieFile.parse { file throws(FormatError) in try MovieCopy.placeNames(of: file, range: movie) })
    let packets = try MoviePackets(movieFile, range: movie).parsed(movieFile)
    for packet in packets { names.formUnion(packet.placeNames) }
    for packet in packets { packet.noteHierarchies(in: &names) }
    return names
  }
}

extension AssetExporter {
  /// A sentence about the texts that a copy without the location loses; `nil` when none.
  ///
  /// - Throws: When the file can't be read.
  func lostTexts(of asset: Asset, _ source: Source, as form: ExportForm) throws(PhotoLibraryError) -> String? {
    let name = asset.url.lastPathComponent
    if source.mediaType == .photo, form != .movie {
      switch try PictureCopy.lostText(source.file, end: source.end, known: source.moviePlaces()) {
      case .namesPlace:
        return localized("A caption or title of “\(name)” names the place. The copy doesn’t include it.")
      case .otherForm:
        return localized(
          """
          A caption of “\(name)” is stored only with the location, such as in IPTC data. The copy \
          doesn’t include it.
          """)
      case nil: break
      }
    }
    guard let range = source.movie, form != .still else { return nil }
    let places = try source.allPlaces()
    if try !source.isMadeOfBoxes() {
      let losesTexts = try source.file.parse { file throws(FormatError) in try PlacelessMovie.losesTexts(file) }
      guard losesTexts else { return nil }
      return localized(
        "The copy of “\(name)” doesn’t include its tags, titles, and attachments, which may name the place.")
    }
    let hasCaptions = try MoviePackets(source.movieFile, range: range).parsed(source.movieFile).contains {
      !$0.captions.isEmpty
    }
    let losesTexts = try source.movieFile.parse { file throws(FormatError) in
      try MovieCopy.losesTexts(of: file, range: range, places: places)
    }
    guard hasCaptions || losesTexts else { return nil }
    return localized(
      """
      The copy of “\(name)” doesn’t include the title, description, or credits of its video, which may \
      name the place.
      """)
  }
}
