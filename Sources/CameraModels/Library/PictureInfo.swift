// A picture's details, as the viewer's panel lists them.

import CameraCore
import Foundation
import PhotoLibrary
import Synchronization

/// One row of the details.
public struct PictureInfo: Hashable, Sendable, Identifiable {
  public var title: String
  public var value: String

  public var id: String { title }

  /// The details of an asset.
  ///
  /// - Parameters:
  ///   - raw: The DNG beside it; `nil` for none.
  ///   - albums: The albums that it is in.
  ///   - home: Folders inside this one are abbreviated with `~`.
  public static func lines(
    of asset: Asset, raw: URL? = nil, albums: [AssetCollection], home: URL = UserFolders().home
  ) -> [PictureInfo] {
    let zone = TimeZone(secondsFromGMT: asset.utcOffset) ?? .gmt
    let date = asset.created.formatted(Date.FormatStyle(date: .complete, time: .omitted, timeZone: zone))
    let time = asset.created.formatted(Date.FormatStyle(date: .omitted, time: .standard, timeZone: zone))
    var lines = [PictureInfo(title: "Date", value: date), PictureInfo(title: "Time", value: time)]
    func add(_ title: String, _ value: String?) {
      if let value, !value.isEmpty { lines.append(PictureInfo(title: title, value: value)) }
    }
    add("Camera", asset.cameraName)
    add("Kind", kind(of: asset))
    add("Duration", asset.duration.map(length))
    let megapixels = Double(asset.size.width * asset.size.height) / 1_000_000
    if megapixels > 0 {
      add("Dimensions", "\(asset.size.width) × \(asset.size.height), " + String(format: "%.1f megapixels", megapixels))
    }
    add("File", asset.url.lastPathComponent)
    add("RAW", raw?.lastPathComponent)
    add("Folder", folder(asset.url.deletingLastPathComponent().path, home: home.path))
    add("Size", Int64(clamping: asset.fileSize).formatted(.byteCount(style: .file)))
    add("Location", asset.location.map(coordinates))
    add("Albums", albums.map(\.title).joined(separator: ", "))
    return lines
  }

  /// `~/Pictures` for a folder in the home folder.
  private static func folder(_ path: String, home: String) -> String {
    guard home.count > 1, path == home || path.hasPrefix(home + "/") else { return path }
    return "~" + path.dropFirst(home.count)
  }

  /// “Photo”, “Live photo” or “Video”.
  public static func kindName(of asset: Asset) -> String {
    asset.mediaType == .video ? "Video" : kindName(isLive: asset.isLive)
  }

  static func kindName(isLive: Bool) -> String { isLive ? "Live photo" : "Photo" }

  /// The date and time of the picture in short form, in the time zone where it was taken.
  public static func when(_ asset: Asset) -> String {
    asset.created.formatted(
      Date.FormatStyle(date: .abbreviated, time: .shortened, timeZone: zone(asset.utcOffset)))
  }

  /// Making a time zone takes twenty times as long as formatting a date with it.
  private static let zones = Mutex<[Int: TimeZone]>([:])

  private static func zone(_ utcOffset: Int) -> TimeZone {
    zones.withLock { zones in
      if let known = zones[utcOffset] { return known }
      let zone = TimeZone(secondsFromGMT: utcOffset) ?? .gmt
      zones[utcOffset] = zone
      return zone
    }
  }

  /// The accessible name of a burst: “Burst, 12 photos”.
  static func burstName(_ count: Int) -> String { "Burst, \(count.formatted()) photos" }

  /// The same of what the picture stands for: “Photo booth, 4 photos” for the sheet of the booth's.
  private static func groupName(of asset: Asset) -> String {
    guard asset.isSheet else { return burstName(asset.groupCount) }
    let photos = asset.groupCount - 1
    return "Photo booth, \(photos.formatted()) \(photos == 1 ? "photo" : "photos")"
  }

  /// The accessible name of a picture: “Live photo, 21 Nov 2026 at 07:31, favorite”; of one that stands for a burst:
  /// “Burst, 12 photos, 21 Nov 2026 at 07:31”.
  public static func spokenName(of asset: Asset) -> String {
    if asset.representsBurst {
      return "\(groupName(of: asset)), \(when(asset))\(asset.isFavorite ? ", favorite" : "")"
    }
    let length = asset.mediaType == .video ? asset.duration.map { ", \(clock($0))" } ?? "" : ""
    return "\(kindName(of: asset))\(length), \(when(asset))\(asset.isFavorite ? ", favorite" : "")"
  }

  private static func kind(of asset: Asset) -> String {
    let burst =
      if asset.isSheet { ", sheet of the photo booth" } else if asset.burstID == nil { "" } else {
        asset.isKeyPhoto ? ", key photo of a burst" : ", from a burst"
      }
    return kindName(of: asset) + burst + (asset.isEdited ? ", edited" : "") + (asset.isFavorite ? ", favorite" : "")
  }

  /// Seconds as `3.0 s`, and as `2:05` from a minute on.
  static func length(_ seconds: Double) -> String {
    seconds < 60 ? String(format: "%.1f s", seconds) : clock(seconds)
  }

  /// Seconds as `0:07`, `2:05` or `1:00:00`.
  public static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "" }
    let whole = Int(max(0, seconds).rounded(.down))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
  }

  private static func coordinates(_ place: GeoLocation) -> String {
    String(
      format: "%.4f° %@, %.4f° %@", abs(place.latitude), place.latitude < 0 ? "S" : "N", abs(place.longitude),
      place.longitude < 0 ? "W" : "E")
  }
}
