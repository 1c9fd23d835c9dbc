// The invariants of parsed values, on which the rest of the program relies.

import CameraCore
import Foundation
import MediaFormats

@testable import PhotoLibrary

extension FuzzedParser {
  /// In bytes. Longer names could fill the index.
  private static let longestName = 1000

  static func check(_ facts: FileFacts?) {
    guard let facts else { return }
    precondition(facts.contentID.utf8.count == 32, "an id of another form")
    precondition(facts.size.width > 0 && facts.size.height > 0, "a size of nothing")
    precondition(facts.cameraName.map { $0.utf8.count <= longestName } ?? true, "a camera with an endless name")
    if let duration = facts.duration { precondition((0...864_000).contains(duration), "a movie of no length") }
    if let time = facts.photoDisplayTime { precondition((0...864_000).contains(time), "a still from beyond the movie") }
    if let range = facts.movieRange { precondition(!range.isEmpty, "a movie without bytes") }
    check(facts.created)
    // As the index keeps it and gives it back.
    _ = facts.created.stamp + facts.created.exifDate + facts.created.exifOffset + facts.created.monthFolder
  }

  static func check(exif: Data) {
    guard let facts = MetadataToolkit.facts(exif: exif, wantsThumbnail: true) else { return }
    precondition((1...8).contains(facts.orientation), "an orientation that there is not")
    precondition(facts.uniqueID.map { $0.utf8.count == 32 } ?? true, "an id of another form")
    precondition(facts.cameraName.map { $0.utf8.count <= longestName } ?? true, "a camera with an endless name")
    precondition(facts.thumbnail.map { $0.count <= exif.count } ?? true, "a thumbnail larger than its picture")
    if let time = facts.time { check(time) }
  }

  static func check(_ description: MotionPhotoDescription?) {
    guard let description else { return }
    precondition(description.isMotionPhoto || description.isMicroVideo, "a description of nothing")
    precondition(description.items.count <= 17, "an endless directory")
    precondition((description.presentationTime ?? 0) >= 0, "a time before the movie")
    precondition((description.microVideoPresentationTime ?? 0) >= 0, "a time before the movie")
  }

  static func check(_ segments: JPEGSegments) {
    precondition(segments.end <= segments.data.count, "a picture beyond its bytes")
    let rebuilt = segments.removing([.exif, .xmp, .jfif]).assemble()
    precondition(rebuilt.count <= segments.data.count, "a picture that grew when it lost its metadata")
    guard let again = try? JPEGSegments(parsing: rebuilt) else { preconditionFailure("no picture any more") }
    precondition(again.size == segments.size && again.scan.count == segments.scan.count, "another picture")
  }

  /// A copy is not longer than the movie and the metadata around it, and its samples lie in the file.
  static func checkCopies(ofMovie file: FuzzedBytes) throws {
    let pair = AppleLivePhotoTrack.Pair(
      contentIdentifier: AppleContentIdentifier.make(), stillTime: 0.1, creationDate: "2026-11-21T07:31:06+0100")
    for changes in [
      MovieCopy.Changes(dropsSound: true), MovieCopy.Changes(dropsLocation: true), MovieCopy.Changes(pair: pair),
      MovieCopy.Changes(dropsSound: true, dropsLocation: true, pair: pair),
    ] {
      guard let pieces = try? MovieCopy.pieces(of: file, range: 0..<file.count, changes) else { continue }
      for case .file(_, let range) in pieces { precondition(range.upperBound <= file.count, "bytes beyond the file") }
      // A chunk's offset may take twice the room, and names are not longer than these.
      let byteCount = pieces.reduce(UInt64(0)) { $0 + $1.count }
      precondition(byteCount <= 3 * file.count + 4096, "a copy that has grown")
    }
  }

  /// All of a movie, parts of it, and what no movie has.
  private static let windows: [ClosedRange<Double>?] = [nil, 0...0.01, 0.005...1e6, 1e9...1e10, 0...1e300]

  /// The path of an edit without its encoder: the fuzzed movie gives its sound, the part that is kept and its metadata.
  static func checkRendering(ofMovie source: FuzzedBytes) throws {
    let index = try MP4Index(source)
    for encoded in Seeds.tables().prefix(2) {
      for window in windows {
        var assembly = MP4Assembly(try MP4Index(FuzzedBytes(encoded)))
        assembly.metadataSource = index
        assembly.addSound(of: index, window: window)
        guard let pieces = try? assembly.pieces() else { continue }
        var movie = Data()
        for piece in pieces {
          switch piece {
          case .bytes(let bytes): movie += bytes
          case .file(let file, let range):
            precondition(range.upperBound <= file.count, "bytes beyond the file")
            // Samples may lie upon each other: the result can be longer than both files.
            guard movie.count < 1 << 20 else { return }
            movie += try file.data(at: range.lowerBound, count: range.count)
          }
        }
        let result = FuzzedBytes(movie)
        guard let again = try? MP4Index(result) else { preconditionFailure("a result that can't be read") }
        try check(again)
        try checkCopies(ofMovie: result)
      }
    }
  }

  /// Pictures end in the file, and so does the movie of a trailer.
  static func checkExtent(of file: FuzzedBytes) throws {
    if let extent = try JPEGExtent(file, upTo: file.count) {
      precondition(
        extent.end <= extent.endOfPictures && extent.endOfPictures <= file.count, "a picture beyond its file")
    }
    if let matte = try JPEGPortraitMatte(file, upTo: file.count) {
      precondition(!matte.range.isEmpty && matte.range.upperBound <= file.count, "a matte beyond its file")
    }
    guard let trailer = try SamsungTrailer(file, from: 0) else { return }
    precondition(trailer.range.upperBound == file.count, "a trailer that isn't at the end")
    precondition(trailer.blocks.allSatisfy { $0.content.upperBound <= file.count }, "a block beyond the file")
    if let range = try trailer.movieRange(in: file) { precondition(!range.isEmpty, "a movie without bytes") }
  }

  /// A packet that loses its place is still one, and names no place.
  static func checkPlaces(in bytes: Data) {
    let places = PlaceNames(photoshop: [UInt8](bytes))
    _ = PlaceNames(exif: bytes)
    guard var packet = try? XMPPacket([UInt8](bytes)) else { return }
    guard (try? packet.removeLocation(naming: places)) != nil else { return }
    precondition(packet.placeNames.isEmpty, "a place")
  }

  /// Samples lie in the file, and a movie with any of its sound can be assembled.
  static func check(_ index: MP4Index) throws {
    for track in index.tracks {
      precondition(track.chunks.allSatisfy { $0.range.upperBound <= index.source.count }, "samples beyond the file")
      _ = (track.startTimes.count, track.duration, track.frameCount(within: 0.1...0.2))
    }
    if let plan = try MP4Defragmentation(index) {
      precondition(
        plan.length <= index.source.count && plan.headOffset + UInt64(plan.head.count) < plan.length,
        "an ordinary movie that is longer than its fragments")
    }
    for window in windows {
      var assembly = MP4Assembly(index)
      assembly.addSound(of: index, window: window)
      guard let pieces = try? assembly.pieces() else { continue }
      for case .file(_, let range) in pieces {
        precondition(range.upperBound <= index.source.count, "bytes beyond the file")
      }
    }
  }

  /// A completed frame is complete.
  static func check(_ completed: CompletedJPEG) {
    completed.block.withUnsafeBytes { bytes in
      guard let again = try? JPEGStream.check(bytes) else { preconditionFailure("no frame any more") }
      precondition(again.size == completed.size && again.repairs == [], "a frame that is still incomplete")
    }
  }

  static func checkCopies(ofPicture file: ReadableFile) throws {
    let id = AppleContentIdentifier.make()
    for changes in [
      PictureCopy.Changes(dropsMovie: true, contentIdentifier: id), PictureCopy.Changes(dropsLocation: true),
      PictureCopy.Changes(movieLength: 77, presentationTime: 0.5, dropsPictures: true),
      PictureCopy.Changes(movieLength: 77, dropsLocation: true),
    ] {
      guard let parts = try? PictureCopy.parts(of: file, end: file.size, changes) else { continue }
      guard case .bytes(let head)? = parts.first else { continue }
      precondition(head.starts(with: [0xff, 0xd8]), "no picture any more")
      if changes.dropsLocation { precondition(head.range(of: Data("GPSLatitude".utf8)) == nil, "a place") }
    }
  }

  static func check(_ time: LocalTime) {
    precondition((1...12).contains(time.month) && (1...31).contains(time.day), "a day that there is not")
    precondition((0...23).contains(time.hour) && (0...59).contains(time.minute), "a time that there is not")
    _ = time.milliseconds
  }

  /// All uses of a file name that is text.
  static func check(name bytes: Data) {
    let bytes = bytes.prefix(255).filter { $0 != 0 && $0 != UInt8(ascii: "/") }
    guard let name = String(validating: bytes, as: UTF8.self), !name.isEmpty, name != ".", name != ".." else { return }
    _ = FileFacts.Kind(name: name)
    _ = LibraryFolder.token(temporaryName: name)
    if let time = FileFacts.time(name: name) { check(time) }
    let folder = LibraryFolder(URL(fileURLWithPath: "/", isDirectory: true))
    for parent in ["", name] {
      // The index keeps the relative path and makes URLs of it; nothing on the way may change a byte.
      let path = parent.isEmpty ? name : "\(parent)/\(name)"
      let url = URL(fileURLWithPath: "/pictures", isDirectory: true).appendingPathComponent(path, isDirectory: false)
      precondition(url.path.utf8.elementsEqual("/pictures/\(path)".utf8), "a path that leads elsewhere")
      precondition(Disk.folder(of: path).utf8.elementsEqual(parent.utf8), "a file in another folder")
      precondition(Disk.parent(of: "/\(path)").utf8.elementsEqual("/\(parent)".utf8), "a file with another parent")
      let absolute = folder.absolute(path)
      precondition(folder.relative(absolute)?.utf8.elementsEqual(path.utf8) == true, "a file outside of its folder")
    }
  }
}
