// A row of the index's table of assets.

import CameraCore
import Foundation
import GRDB

/// A file of the library with its id, its metadata, and the flags from its record.
struct IndexedFile: Sendable, Hashable {
  /// The row number, which stays with the id; `nil` for a row that has not been inserted yet.
  var number: Int64?
  var id: Asset.ID
  /// Relative to the library's folder.
  var path: String
  var contentID: Asset.ID
  var mediaType: AssetMediaType
  /// Milliseconds since 1970.
  var created: Int64
  var utcOffset: Int
  var size: PixelSize
  var duration: Double?
  var photoDisplayTime: Double?
  var movieRange: Range<UInt64>?
  var cameraName: String?
  var location: GeoLocation?
  var burstID: String?
  /// Whether the file says that it stands for its burst, and whether its record does.
  var isBurstPrimary = false
  var isKeyPhoto = false
  var isSheet = false
  var isOwn: Bool
  var isFavorite = false
  var isHidden = false
  var isEdited = false
  var fileSize: UInt64
  /// Nanoseconds since 1970.
  var modified: Int64
  /// Nanoseconds since 1970; see `Disk.Status`.
  var changed: Int64
  /// `nil` in rows of earlier versions. It may be given to another file later.
  var inode: UInt64?
  /// Whether the file itself says when it was taken.
  var isDated = false
  /// Whether it is on another file system than the library's folder.
  var isElsewhere = false
  /// The mark of that one; empty when it has none.
  var diskID = ""
  /// The content identifier of an Apple Live Photo.
  var pairID: String?
  /// The asset that it is a part of, and as what; set by `IndexTransaction.pairUp` alone, and lost when the row is written
  /// anew, as its movie is.
  var link: PartLink?
  /// The movie of a photo in a file of its own.
  var video: PairedVideo?

  /// The place of a file in another one's asset.
  struct PartLink: Sendable, Hashable {
    /// The row number of the asset.
    var lead: Int64
    var role: FilePairs.Role
  }

  /// The video of an Apple pair.
  struct PairedVideo: Sendable, Hashable {
    /// Relative to the library's folder.
    var path: String
    /// In bytes.
    var size: UInt64
    var duration: Double?
    var photoDisplayTime: Double?

    /// - Parameter file: The row of the video. One that doesn't tell has the still in its middle.
    init(_ file: IndexedFile) {
      (path, size, duration) = (file.path, file.fileSize, file.duration)
      let time = file.photoDisplayTime ?? duration.map { $0 / 2 }
      photoDisplayTime = time.map { min($0, duration ?? $0) }
    }

    fileprivate init(path: String, size: UInt64, duration: Double?, photoDisplayTime: Double?) {
      (self.path, self.size) = (path, size)
      (self.duration, self.photoDisplayTime) = (duration, photoDisplayTime)
    }
  }

  init(path: String, facts: FileFacts, status: Disk.Status) {
    id = facts.contentID
    self.path = path
    contentID = facts.contentID
    mediaType = facts.mediaType
    created = facts.created.milliseconds
    utcOffset = facts.created.utcOffset
    size = facts.size
    duration = facts.duration
    photoDisplayTime = facts.photoDisplayTime
    movieRange = facts.movieRange
    cameraName = facts.cameraName
    location = facts.location
    burstID = facts.burstID
    isBurstPrimary = facts.isBurstPrimary
    isSheet = facts.isSheet
    isOwn = facts.isOwn
    fileSize = status.size
    modified = status.modified
    changed = status.changed
    inode = status.number
    isDated = facts.isDated
    pairID = facts.pairID
  }

  /// Without what the rows of other files say about it.
  var alone: IndexedFile {
    var file = self
    (file.link, file.video) = (nil, nil)
    return file
  }

  func asset(in folder: URL) -> Asset {
    let isPhoto = mediaType == .photo
    let video = isPhoto && movieRange == nil ? video : nil
    let range = video.map { 0..<$0.size } ?? movieRange
    var asset = Asset(
      id: id, url: folder.appendingPathComponent(path, isDirectory: false), mediaType: mediaType,
      isLive: isPhoto && range != nil, created: Date(millisecondsSince1970: created), utcOffset: utcOffset, size: size,
      duration: video.map(\.duration) ?? duration,
      photoDisplayTime: isPhoto ? video.map(\.photoDisplayTime) ?? photoDisplayTime : nil, movieRange: range,
      fileSize: fileSize, modified: Date(timeIntervalSince1970: Double(modified) / 1e9),
      changed: Date(timeIntervalSince1970: Double(changed) / 1e9), cameraName: cameraName, location: location,
      isFavorite: isFavorite, isHidden: isHidden, isEdited: isEdited, burstID: burstID)
    (asset.isPicked, asset.isBurstPrimary, asset.isSheet) = (isKeyPhoto, isBurstPrimary, isSheet)
    asset.pairedVideo = video.map { folder.appendingPathComponent($0.path, isDirectory: false) }
    return asset
  }
}

extension IndexedFile: FetchableRecord, PersistableRecord {
  static let databaseTableName = "asset"

  /// In the order of `Asset.isNewer`.
  static let newestFirst = "created DESC, path DESC"

  init(row: Row) {
    number = row["number"]
    id = row["id"]
    path = row["path"]
    contentID = row["contentID"]
    mediaType = row["isVideo"] ? .video : .photo
    created = row["created"]
    utcOffset = row["utcOffset"]
    size = PixelSize(width: row["width"], height: row["height"])
    duration = row["duration"]
    photoDisplayTime = row["photoDisplayTime"]
    let (start, end): (Int64?, Int64?) = (row["movieStart"], row["movieEnd"])
    if let start, let end, start >= 0, end >= start { movieRange = UInt64(start)..<UInt64(end) }
    cameraName = row["cameraName"]
    if let latitude = row["latitude"] as Double?, let longitude = row["longitude"] as Double? {
      location = GeoLocation(latitude: latitude, longitude: longitude)
    }
    burstID = row["burst"]
    isBurstPrimary = row["isBurstPrimary"]
    isKeyPhoto = row["isKeyPhoto"]
    isSheet = row["isSheet"]
    isOwn = row["isOwn"]
    isFavorite = row["isFavorite"]
    isHidden = row["isHidden"]
    isEdited = row["isEdited"]
    fileSize = UInt64(clamping: row["fileSize"] as Int64)
    modified = row["modified"]
    changed = row["changed"]
    inode = (row["inode"] as Int64?).map { UInt64(bitPattern: $0) }
    isDated = row["isDated"]
    isElsewhere = row["isElsewhere"]
    diskID = row["disk"]
    pairID = row["pairID"]
    if let lead = row["partOf"] as Int64?, let role = (row["role"] as Int?).flatMap(FilePairs.Role.init) {
      link = PartLink(lead: lead, role: role)
    }
    if let path = row["videoPath"] as String?, let size = row["videoSize"] as Int64?, size >= 0 {
      video = PairedVideo(
        path: path, size: UInt64(size), duration: row["videoDuration"], photoDisplayTime: row["videoTime"])
    }
  }

  func encode(to container: inout PersistenceContainer) {
    container["number"] = number
    container["id"] = id
    container["path"] = path
    container["folder"] = Disk.folder(of: path)
    container["name"] = Disk.name(of: path)
    container["search"] = SearchText.folded("\(Disk.name(of: path))\n\(cameraName ?? "")")
    container["contentID"] = contentID
    container["isVideo"] = mediaType == .video
    container["created"] = created
    container["utcOffset"] = utcOffset
    container["width"] = size.width
    container["height"] = size.height
    container["duration"] = duration
    container["photoDisplayTime"] = photoDisplayTime
    container["movieStart"] = movieRange.map { Int64(clamping: $0.lowerBound) }
    container["movieEnd"] = movieRange.map { Int64(clamping: $0.upperBound) }
    container["cameraName"] = cameraName
    container["latitude"] = location?.latitude
    container["longitude"] = location?.longitude
    container["burst"] = burstID
    container["isBurstPrimary"] = isBurstPrimary
    container["isKeyPhoto"] = isKeyPhoto
    container["isSheet"] = isSheet
    container["isOwn"] = isOwn
    container["isFavorite"] = isFavorite
    container["isHidden"] = isHidden
    container["isEdited"] = isEdited
    container["fileSize"] = Int64(clamping: fileSize)
    container["modified"] = modified
    container["changed"] = changed
    container["inode"] = inode.map { Int64(bitPattern: $0) }
    container["isDated"] = isDated
    container["isElsewhere"] = isElsewhere
    container["disk"] = diskID
    container["pairID"] = pairID
    container["stem"] = FilePairs.stem(of: path)
  }
}
