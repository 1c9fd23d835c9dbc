// What must be true of whatever a parser makes of whatever bytes: the rest of the program counts on it.

import CameraCore
import Foundation

@testable import PhotoLibrary

extension FuzzedParser {
  /// More than any picture has; 1 MB would be a way to fill the index.
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

  /// A copy is never longer than the movie and what is written around it, and what is copied lies in the file.
  static func checkCopies(ofMovie file: ReadableFile) throws {
    let pair = MovieCopy.ApplePair(
      contentIdentifier: AppleContentIdentifier.make(), stillTime: 0.1,
      created: LocalTime(milliseconds: 0, utcOffset: 0))
    for changes in [
      MovieCopy.Changes(dropsSound: true), MovieCopy.Changes(dropsLocation: true), MovieCopy.Changes(pair: pair),
      MovieCopy.Changes(dropsSound: true, dropsLocation: true, pair: pair),
    ] {
      guard let parts = try? MovieCopy.parts(of: file, range: 0..<file.size, changes) else { continue }
      for case .file(_, let range) in parts { precondition(range.upperBound <= file.size, "bytes beyond the file") }
      // A chunk's place may take twice the room, and names are not longer than these.
      precondition(parts.byteCount <= 3 * file.size + 4096, "a copy that has grown")
    }
  }

  static func checkCopies(ofPicture file: ReadableFile) throws {
    let id = AppleContentIdentifier.make()
    for changes in [
      PictureCopy.Changes(dropsMovie: true, contentIdentifier: id), PictureCopy.Changes(dropsLocation: true),
      PictureCopy.Changes(movieLength: 77), PictureCopy.Changes(movieLength: 77, dropsLocation: true),
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

  /// A name that is text, as the file system may give it: everything that is asked of a name.
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
