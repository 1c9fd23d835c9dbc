// The rules by which files of one name are one asset: a photo with its video, or with its raw file.

import CameraCore
import Foundation

/// Files that other programs and cameras write side by side for one shot.
///
/// - An Apple Live Photo is a photo and a QuickTime movie. Both have the same content identifier; where a program has removed
///   that from one of them, a JPEG, a HEIC or a raw file and its movie are a pair by name and time.
/// - Many cameras write a raw file and a JPEG, or a HEIC, of the same base name and time.
///
/// Only files in one folder, of one base name, are compared, so that whoever copies or renames both keeps the pair, and
/// whoever renames one takes them apart.
enum FilePairs {
  /// What has to be known of a file.
  struct File: Sendable, Hashable {
    var path: String
    var mediaType: AssetMediaType
    /// Whether it is a photo with a movie in its own file.
    var isLive: Bool
    /// Whether it is a rendering of PhotoMe's, in which a live photo has its movie.
    var isEdited: Bool
    /// In milliseconds since 1970.
    var created: Int64
    /// Whether the file itself says so; otherwise it is when it was last written, where the disk has no other time.
    var isDated = true
    /// Of the movie, in seconds; `nil` when unknown.
    var duration: Double?
    /// The content identifier of an Apple Live Photo; `nil` for other files.
    var pairID: String?

    fileprivate var isRaw: Bool { format == .raw }

    /// Whether cameras write such a picture beside its movie. One in another format was made of one or both, as an animation
    /// or the picture of a frame, and has the name of the movie for that reason.
    fileprivate var mayBeKeyPhoto: Bool { [.jpeg, .heic, .raw].contains(format) }

    private var format: PhotoFormat? {
      if case .picture(let format)? = FileFacts.Kind(name: Disk.name(of: path)) { format } else { nil }
    }
  }

  /// The role that a file has in another one's asset.
  enum Role: Int, Sendable, Hashable {
    case video = 1
    case raw
  }

  /// One file as a part of another's asset, by their indexes.
  struct Link: Sendable, Hashable {
    var lead: Int
    var part: Int
    var role: Role
  }

  /// In seconds: the videos of phones are of three, those of some cameras longer.
  private static let longestVideo = 10.0
  /// In milliseconds. The video begins before the photo, and cameras write whole seconds.
  private static let videoTolerance: Int64 = 5_000
  private static let rawTolerance: Int64 = 2_000
  /// In milliseconds: a file whose time has no offset from UTC is read in that of the computer, and another file of the shot
  /// may tell its own. All offsets are multiples of it.
  private static let zoneStep: Int64 = 900_000
  private static let widestZones: Int64 = 26 * 3_600_000

  /// The part of a name or path that the files of one asset share, without regard to case: without the extension, and
  /// without the mark of a live photo before it.
  static func stem(of path: String) -> String { base(of: path).lowercased() }

  /// The name of a part beside a file of this name.
  ///
  /// - Parameter ending: Of the part, with the dot.
  static func name(beside path: String, _ ending: String) -> String { FileName.fitting(base(of: path), ending) }

  private static func base(of path: String) -> String {
    let stem = FileName.stem(of: path)
    if let mark = [".MP", ".mp", "_MP"].first(where: { stem.hasSuffix($0) && stem.count > 3 }) {
      return String(stem.dropLast(mark.count))
    }
    return stem
  }

  /// The links among files of one folder and one base name.
  ///
  /// - Parameters:
  ///   - files: In any order; the result doesn't depend on it.
  ///   - former: The links before files were changed. A pair by time stays one when the time of one is that of the change:
  ///     on FAT and exFAT, a picture without a date of its own has no other.
  static func links(among files: [File], formerly former: [Link] = []) -> [Link] {
    guard files.count > 1 else { return [] }
    let order = files.indices.sorted {
      // A raw file stands behind the picture that was made of it.
      (files[$0].isRaw ? 1 : 0, files[$0].path) < (files[$1].isRaw ? 1 : 0, files[$1].path)
    }
    let photos = order.filter { files[$0].mediaType == .photo }
    var links: [Link] = []
    var leadsWithVideo: Set<Int> = []
    var parts: Set<Int> = []
    for raw in photos where files[raw].isRaw {
      let lead = photos.first { !files[$0].isRaw && isShot(files[$0], files[raw], within: rawTolerance) }
      guard let lead else { continue }
      links.append(Link(lead: lead, part: raw, role: .raw))
      parts.insert(raw)
    }
    // What says that it belongs together comes first, and what only did so last.
    for reason in [Reason.identifier, .time, .habit] {
      for video in order where files[video].mediaType == .video && !parts.contains(video) {
        let lead = photos.first {
          !parts.contains($0) && !leadsWithVideo.contains($0) && isPair(files[$0], files[video], by: reason)
            && (reason != .habit || former.contains(Link(lead: $0, part: video, role: .video)))
        }
        guard let lead else { continue }
        links.append(Link(lead: lead, part: video, role: .video))
        leadsWithVideo.insert(lead)
        parts.insert(video)
      }
    }
    return links
  }

  private enum Reason {
    case identifier
    case time
    /// They were a pair, and nothing contradicts it.
    case habit
  }

  private static func isPair(_ photo: File, _ video: File, by reason: Reason) -> Bool {
    // The movie of an edited one is in its own file until it is reverted.
    guard !photo.isLive || photo.isEdited else { return false }
    if let one = photo.pairID, let other = video.pairID { return one == other }
    guard reason != .identifier, photo.mayBeKeyPhoto, let duration = video.duration, duration <= longestVideo else {
      return false
    }
    switch FileFacts.Kind(name: Disk.name(of: video.path)) {
    case .movie(.mov), .movie(.mp4):
      return reason == .habit ? !photo.isDated || !video.isDated : isShot(photo, video, within: videoTolerance)
    default: return false
    }
  }

  /// Whether two files were taken at the same time, whatever time zones they are in.
  private static func isShot(_ one: File, _ other: File, within tolerance: Int64) -> Bool {
    let (difference, isTooMuch) = one.created.subtractingReportingOverflow(other.created)
    guard !isTooMuch, difference.magnitude <= UInt64(widestZones + tolerance) else { return false }
    let rest = Int64(difference.magnitude) % zoneStep
    return min(rest, zoneStep - rest) <= tolerance
  }
}
