// Where things lie in a library's folder, and how its files are called.

import Foundation

/// The layout of one library on disk.
struct LibraryFolder: Sendable, Hashable {
  /// Absolute, without a slash at the end.
  let path: String

  init(_ url: URL) {
    // What symbolic links lead to is the folder's one name, for the index and for the watch.
    let standardized = url.standardizedFileURL.path
    if let resolved = realpath(standardized, nil) {
      path = String(cString: resolved)
      free(resolved)
    } else {
      path = standardized
    }
  }

  var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  /// What is not for people's eyes.
  var hidden: String { path + "/.photome" }
  /// Shots that are not finished; a folder a process.
  var incoming: String { hidden + "/incoming" }

  /// What PhotoMe knows of assets that their files can't say; a file an asset.
  var records: String { hidden + "/assets" }
  /// Albums and folders of albums; a file each.
  var albums: String { hidden + "/albums" }
  /// The untouched originals of edited pictures.
  var originals: String { hidden + "/originals" }
  /// Changes that have been decided on and may not be finished.
  var journals: String { hidden + "/journal" }
  /// Held while anything but new pictures is written.
  var lock: String { hidden + "/lock" }

  /// Relative to the library's folder.
  static let hiddenFolder = ".photome"
  static let recordFolder = ".photome/assets"
  static let albumFolder = ".photome/albums"

  /// The id in the name of a record or of an album; `nil` for other names.
  static func recordID(_ name: String) -> String? {
    guard name.hasSuffix(".json") else { return nil }
    let id = String(name.dropLast(5))
    return AssetIdentity.isID(id) ? id : nil
  }

  /// The id of the asset whose untouched original has this name; `nil` for other names.
  static func originalID(_ name: String) -> Asset.ID? {
    let id = String(decoding: name.utf8.prefix(32), as: UTF8.self)
    return AssetIdentity.isID(id) ? id : nil
  }

  func record(_ id: Asset.ID) -> String { "\(records)/\(id).json" }
  func album(_ id: AssetCollection.ID) -> String { "\(albums)/\(id).json" }

  func absolute(_ relative: String) -> String { relative.isEmpty ? path : path + "/" + relative }

  /// The file's path in the library; `nil` when it lies outside.
  func relative(_ absolute: String) -> String? {
    // By bytes: a name may begin with an accent, which makes one character with the slash.
    let start = path.utf8.count + 1
    guard absolute.utf8.starts(with: (path + "/").utf8) else { return nil }
    return String(decoding: absolute.utf8.dropFirst(start), as: UTF8.self)
  }

  /// The end of a photo's name: phones and photo servers know a Motion Photo by `.MP.jpg`.
  static func fileExtension(isLive: Bool) -> String { isLive ? ".MP.jpg" : ".jpg" }

  /// Of the untouched original of an asset, by which its kind is known.
  static func fileExtension(ofOriginal asset: Asset) -> String {
    switch asset.mediaType {
    case .photo: fileExtension(isLive: asset.isLive)
    case .video: ".\(asset.url.pathExtension.lowercased())"
    }
  }

  /// `IMG_20261121_073106_123`.
  static func stem(_ metadata: PhotoMetadata) -> String { "IMG_" + time(metadata).stamp }

  /// `2026-11`.
  static func month(_ metadata: PhotoMetadata) -> String { time(metadata).monthFolder }

  private static func time(_ metadata: PhotoMetadata) -> LocalTime {
    LocalTime(milliseconds: metadata.date.millisecondsSince1970, utcOffset: metadata.utcOffset)
  }

  /// The name number `attempt` for a stem: the first is the plain one. The number follows an underscore, which sorts
  /// behind the point, so that names and shots have one order.
  static func name(stem: String, extension ending: String, attempt: Int) -> String {
    attempt == 1 ? stem + ending : "\(stem)_\(attempt)\(ending)"
  }

  /// The name of a file while it is being written: hidden, and telling whose it is.
  static func temporaryName(for name: String, token: String, number: Int) -> String {
    ".\(name).\(token).\(number).tmp"
  }

  /// Whose a temporary file is; `nil` for other names.
  static func token(temporaryName name: String) -> String? {
    guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return nil }
    let parts = name.split(separator: ".")
    guard parts.count >= 4, Int(parts[parts.count - 2]) != nil else { return nil }
    let token = String(parts[parts.count - 3])
    return isToken(token) ? token : nil
  }

  static func makeToken() -> String { AssetIdentity.hex(UInt64.random(in: .min ... .max)) }

  static func isToken(_ text: String) -> Bool {
    text.utf8.count == 16 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
