// A picture as `photomectl library` prints it.

import CameraCore
import Foundation
import Localization
import PhotoLibrary

/// A picture as `--json` prints it.
struct AssetReport: Encodable {
  struct Adjustment: Encodable {
    var formatIdentifier: String
    var formatVersion: String
    /// The settings, in Base64.
    var data: String
  }

  /// A value that is encoded as `null` when it is missing.
  struct Nullable<Value: Encodable>: Encodable {
    var value: Value?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let value { try container.encode(value) } else { try container.encodeNil() }
    }
  }

  var id: String
  var path: String
  /// The raw file beside it.
  var rawPath: String?
  /// The movie of a live photo in a file of its own.
  var videoPath: String?
  /// `photo` or `video`.
  var mediaType: String
  var live: Bool
  /// ISO 8601 with the UTC offset at the place where it was taken.
  var created: String
  var width: Int
  var height: Int
  /// Of the movie, in seconds.
  var duration: Double?
  /// In seconds from the movie's start.
  var photoDisplayTime: Double?
  var fileSize: UInt64
  var camera: String?
  /// In degrees north and east, where it was taken.
  var latitude: Double?
  var longitude: Double?
  var favorite: Bool
  var hidden: Bool
  /// Titles, in order.
  var albums: [String]
  var edited: Bool
  /// The id that all pictures of a burst share.
  var burst: String?
  /// The number of the picture in its burst, from 1, and that of the burst's pictures.
  var burstPosition: Int?
  var burstCount: Int?
  /// Whether it stands for its burst.
  var keyPhoto: Bool?
  /// The edit; `null` for an unedited picture.
  var adjustment: Nullable<Adjustment>

  /// - Parameter frames: The pictures of its burst, in order; empty for a picture that is in none.
  init(_ asset: Asset, raw: URL?, albums: [String], frames: [Asset], adjustment: AdjustmentData?) {
    id = asset.id
    path = asset.url.path
    rawPath = raw?.path
    videoPath = asset.pairedVideo?.path
    mediaType = asset.mediaType.rawValue
    live = asset.isLive
    let zone = TimeZone(secondsFromGMT: asset.utcOffset) ?? .gmt
    created = asset.created.ISO8601Format(.init(includingFractionalSeconds: true, timeZone: zone))
    width = asset.size.width
    height = asset.size.height
    duration = asset.duration
    photoDisplayTime = asset.photoDisplayTime
    fileSize = asset.fileSize
    camera = asset.cameraName
    (latitude, longitude) = (asset.location?.latitude, asset.location?.longitude)
    favorite = asset.isFavorite
    hidden = asset.isHidden
    self.albums = albums
    edited = asset.isEdited
    burst = asset.burstID
    if asset.burstID != nil {
      burstPosition = frames.firstIndex { $0.id == asset.id }.map { $0 + 1 }
      burstCount = frames.count
      keyPhoto = Asset.keyPhoto(of: frames)?.id == asset.id
    }
    self.adjustment = Nullable(
      value: adjustment.map {
        Adjustment(
          formatIdentifier: $0.formatIdentifier, formatVersion: $0.formatVersion, data: $0.data.base64EncodedString())
      })
  }

  /// Reports of several pictures, with their albums and edits.
  static func reports(_ assets: [Asset], in library: PhotoLibrary) async throws -> [AssetReport] {
    let albums = try await library.fetchAlbums(ofAssets: assets.map(\.id))
    var bursts: [String: [Asset]] = [:]
    var reports: [AssetReport] = []
    reports.reserveCapacity(assets.count)
    for asset in assets {
      let adjustment = asset.isEdited ? try await library.adjustmentData(for: asset.id) : nil
      let raw = await library.rawFile(of: asset)
      if let burst = asset.burstID, bursts[burst] == nil { bursts[burst] = try await library.burst(of: asset) }
      reports.append(
        AssetReport(
          asset, raw: raw, albums: (albums[asset.id] ?? []).map(\.title),
          frames: asset.burstID.flatMap { bursts[$0] } ?? [], adjustment: adjustment))
    }
    return reports
  }

  /// Prints pictures, in their order.
  static func show(_ assets: [Asset], in library: PhotoLibrary, _ output: OutputOptions) async throws {
    let reports = try await reports(assets, in: library)
    if output.json { return try printJSON(reports) }
    for report in reports { say(oneLine(report.line)) }
  }

  /// Prints pictures as they are now.
  static func show(_ ids: [Asset.ID], in library: PhotoLibrary, _ output: OutputOptions) async throws {
    let assets = try await library.fetch(in: AssetCollection(transient: ids, title: "")).allAssets()
    try await show(assets, in: library, output)
  }

  /// For people.
  var lines: [String] {
    let nothing = "–"
    func seconds(_ time: Double?) -> String { time.map { localized("\($0, decimals: 3...3) s") } ?? nothing }
    let isVideo = mediaType == AssetMediaType.video.rawValue
    let kind = live ? localized("kind: live photo") : isVideo ? localized("kind: video") : localized("kind: photo")
    let (size, bytes) = ("\(width)x\(height)", String(fileSize))
    return [
      localized("id: \(id)"), localized("path: \(path)"),
      localized("raw: \(rawPath ?? nothing)", comment: "{0} is the path of the RAW photo"),
      kind, localized("created: \(created)"), localized("size: \(size)", comment: "{0} is like 1280x720"),
      localized("duration: \(seconds(duration))"),
      localized(
        "key photo at: \(seconds(photoDisplayTime))", comment: "The moment of its video that a live photo shows"),
      localized("camera: \(camera ?? nothing)"),
      localized("file size: \(bytes) byte", plural: "file size: \(bytes) bytes", count: Int(clamping: fileSize)),
      favorite ? localized("favorite: yes") : localized("favorite: no"),
      hidden ? localized("hidden: yes") : localized("hidden: no"),
      localized("albums: \(albums.isEmpty ? nothing : albums.joined(separator: ", "))"),
      localized("burst: \(burstText ?? nothing)"), edit,
    ]
  }

  /// Whether it is edited, and what wrote the edit.
  private var edit: String {
    if let adjustment = adjustment.value {
      let format = "\(adjustment.formatIdentifier) \(adjustment.formatVersion)"
      return localized("edited: \(format)", comment: "{0} is the format of the edit")
    }
    return edited ? localized("edited: yes") : localized("edited: no")
  }

  /// “3 of 12, key photo”; `nil` for a picture that is in no burst.
  private var burstText: String? {
    guard let burstPosition, let burstCount else { return nil }
    return keyPhoto == true
      ? localized("\(burstPosition) of \(burstCount), key photo", comment: "Of a burst")
      : localized("\(burstPosition) of \(burstCount)")
  }

  /// One line in a list.
  var line: String {
    let kind = live ? "live " : mediaType == AssetMediaType.video.rawValue ? "video" : "photo"
    let movie = duration.map { String(format: "  %.1f s", $0) } ?? ""
    let burst = burstText.map { "  \(localized("burst: \($0)"))" } ?? ""
    return "\(id)  \(kind)  \(width)x\(height)\(movie)\(favorite ? "  ♥" : "")\(burst)  \(path)"
  }
}
