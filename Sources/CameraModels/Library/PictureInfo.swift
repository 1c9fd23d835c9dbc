// A picture's details, as the viewer's panel lists them.

import CameraCore
import Foundation
import Localization
import PhotoLibrary
import Synchronization

/// One row of the details. A place without a value is one that can be added.
public struct PictureInfo: Hashable, Sendable, Identifiable {
  public var title: String
  public var value: String
  /// The dialog that changes the value; `nil` for one that can't be changed.
  public var adjustment: Adjustment?

  /// The dialogs that change a picture's metadata.
  public enum Adjustment: Hashable, Sendable {
    case date
    case place
  }

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
    let date = asset.created.localized(Date.FormatStyle(date: .complete, time: .omitted, timeZone: zone))
    let time = asset.created.localized(Date.FormatStyle(date: .omitted, time: .standard, timeZone: zone))
    var lines = [
      PictureInfo(title: localized("Date"), value: date, adjustment: .date),
      PictureInfo(title: localized("Time"), value: time),
    ]
    func add(_ title: String, _ value: String?) {
      if let value, !value.isEmpty { lines.append(PictureInfo(title: title, value: value)) }
    }
    add(localized("Camera"), asset.cameraName)
    add(localized("Kind"), kind(of: asset))
    add(localized("Duration"), asset.duration.map(length))
    let megapixels = Double(asset.size.width * asset.size.height) / 1_000_000
    if megapixels > 0 {
      add(localized("Dimensions"), localized("\(asset.size.localized), \(megapixels, decimals: 1...1) megapixels"))
    }
    add(localized("File"), asset.url.lastPathComponent)
    add(localized("Video File"), asset.pairedVideo?.lastPathComponent)
    add("RAW", raw?.lastPathComponent)
    add(localized("Folder"), folder(asset.url.deletingLastPathComponent().path, home: home.path))
    add(
      localized("Size"), ByteCountFormatStyle(style: .file, locale: .forNumbers).format(Int64(clamping: asset.fileSize))
    )
    let place = asset.location.map(coordinates)
    // A picture that isn't in the library can't be changed.
    if place != nil || !asset.isOutside {
      lines.append(PictureInfo(title: localized("Location"), value: place ?? "", adjustment: .place))
    }
    if !albums.isEmpty { add(localized("Albums"), albums.map(\.title).localizedList) }
    return lines
  }

  /// `~/Pictures` for a folder in the home folder.
  static func folder(_ path: String, home: String) -> String {
    guard home.count > 1, path == home || path.hasPrefix(home + "/") else { return path }
    return "~" + path.dropFirst(home.count)
  }

  /// “Photo”, “Live photo” or “Video”.
  public static func kindName(of asset: Asset) -> String {
    asset.mediaType == .video ? localized("Video") : kindName(isLive: asset.isLive)
  }

  static func kindName(isLive: Bool) -> String { isLive ? localized("Live photo") : localized("Photo") }

  /// The date and time of the picture in short form, in the time zone where it was taken.
  public static func when(_ asset: Asset) -> String {
    asset.created.localized(
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
  static func burstName(_ count: Int) -> String {
    localized("Burst, \(count) photo", plural: "Burst, \(count) photos", count: count)
  }

  /// The same of what the picture stands for: “Photo booth, 4 photos” for the sheet of the booth's.
  private static func groupName(of asset: Asset) -> String {
    guard asset.isSheet else { return burstName(asset.groupCount) }
    let photos = asset.groupCount - 1
    return localized("Photo booth, \(photos) photo", plural: "Photo booth, \(photos) photos", count: photos)
  }

  /// The accessible name of a picture: “Live photo, edited, Nov 21, 2026 at 7:31 AM, favorite”; of one that stands for
  /// a burst: “Burst, 12 photos, Nov 21, 2026 at 7:31 AM”.
  public static func spokenName(of asset: Asset) -> String {
    var name =
      if asset.representsBurst {
        groupName(of: asset)
      } else if asset.mediaType == .video, let duration = asset.duration {
        localized("\(kindName(of: asset)), \(clock(duration))", context: "details")
      } else {
        kindName(of: asset)
      }
    if asset.isEdited { name = localized("\(name), \(localized("edited"))", context: "details") }
    return asset.isFavorite
      ? localized("\(name), \(when(asset)), favorite", comment: "{0} is a kind of picture, {1} a date")
      : localized("\(name), \(when(asset))", context: "details")
  }

  private static func kind(of asset: Asset) -> String {
    var kind = kindName(of: asset)
    func add(_ detail: String) { kind = localized("\(kind), \(detail)", context: "details") }
    if asset.isSheet {
      add(localized("sheet of the photo booth"))
    } else if asset.burstID != nil {
      add(asset.isKeyPhoto ? localized("key photo of a burst") : localized("from a burst"))
    }
    if asset.isEdited { add(localized("edited")) }
    if asset.isFavorite { add(localized("favorite")) }
    return kind
  }

  /// Seconds as `3.0 s`, and as `2:05` from a minute on.
  static func length(_ seconds: Double) -> String {
    seconds < 60 ? localized("\(seconds, decimals: 1...1) s", comment: "Seconds") : clock(seconds)
  }

  /// Seconds as `0:07`, `2:05` or `1:00:00`.
  public static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "" }
    let whole = Int(max(0, seconds).rounded(.down))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? String(format: "%d:%02d:%02d", hours, minutes, rest) : String(format: "%d:%02d", minutes, rest)
  }

  static func coordinates(_ place: GeoLocation) -> String {
    let (latitude, longitude) = (
      abs(place.latitude).localized(decimals: 4...4), abs(place.longitude).localized(decimals: 4...4)
    )
    return switch (place.latitude < 0, place.longitude < 0) {
    case (false, false): localized("\(latitude)° N, \(longitude)° E")
    case (false, true): localized("\(latitude)° N, \(longitude)° W")
    case (true, false): localized("\(latitude)° S, \(longitude)° E")
    case (true, true): localized("\(latitude)° S, \(longitude)° W")
    }
  }
}
