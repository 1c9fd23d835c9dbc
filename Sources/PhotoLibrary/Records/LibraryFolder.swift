// The layout of a library's folder, and the names of its files.

import CameraCore
import Foundation

/// The paths and names of one library.
struct LibraryFolder: Sendable, Hashable {
  /// Absolute, without a trailing slash.
  let path: String

  init(_ url: URL) {
    // The resolved path is the folder's one name, for the index and for inotify.
    let standardized = url.standardizedFileURL.path
    if let resolved = realpath(standardized, nil) {
      path = String(cString: resolved)
      free(resolved)
    } else {
      path = standardized
    }
  }

  var url: URL { URL(fileURLWithPath: path, isDirectory: true) }
  /// 16 hexadecimal digits that stand for the path in the names of other files.
  var digest: String { String(AssetIdentity.digest(Data(path.utf8)).prefix(16)) }

  /// Everything that isn't for the user's eyes.
  var hidden: String { path + "/.photome" }
  /// Unfinished shots, in one folder per process.
  var incoming: String { hidden + "/incoming" }

  /// The records of assets, one file each.
  var records: String { hidden + "/assets" }
  /// The records of albums and folders of albums, one file each.
  var albums: String { hidden + "/albums" }
  /// The untouched originals of edited pictures.
  var originals: String { hidden + "/originals" }
  /// The mattes of people in the untouched originals, PNG files of one gray channel: of the pictures whose edits need them.
  var mattes: String { hidden + "/mattes" }
  /// The pictures and movies that people have chosen as backdrops, named by their content.
  var backdrops: String { hidden + "/backdrops" }
  /// The journals of changes that may be unfinished.
  var journals: String { hidden + "/journal" }
  /// The journals of changes that wait for something, as for a disk that isn't mounted. They keep nobody from changing
  /// something, and so are carried out only if what they speak of is unchanged then.
  var waiting: String { hidden + "/waiting" }
  /// The lists of pictures whose files don't have the metadata of their records yet, named as journals are.
  var pending: String { hidden + "/pending" }
  /// Versions of hidden files that another program has put there, kept when the library's own took their names.
  var kept: String { hidden + "/kept" }
  /// The marks of the disks that were seen in the place of the library's folders: see `LibraryDisks`.
  var disks: String { hidden + "/disks" }
  /// The lock file, held while anything but new pictures is written.
  var lock: String { hidden + "/lock" }

  /// Relative to the library's folder.
  static let hiddenFolder = ".photome"
  static let recordFolder = ".photome/assets"
  static let albumFolder = ".photome/albums"

  /// The id in the name of a record; `nil` for other names.
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

  /// The id of the asset whose matte has this name; `nil` for other names.
  static func matteID(_ name: String) -> Asset.ID? {
    guard name.hasSuffix(".png") else { return nil }
    let id = String(name.dropLast(4))
    return AssetIdentity.isID(id) ? id : nil
  }

  /// The id and kind of the backdrop in a file of this name; `nil` for other names.
  static func backdrop(_ name: String) -> (id: String, kind: KeptBackdrop.Kind)? {
    let (stem, ending) = FileName.split(name)
    guard AssetIdentity.isID(stem),
      let kind = KeptBackdrop.Kind.allCases.first(where: { ".\($0.fileExtension)" == ending })
    else { return nil }
    return (stem, kind)
  }

  func backdrop(_ id: String, _ kind: KeptBackdrop.Kind) -> String { "\(backdrops)/\(id).\(kind.fileExtension)" }
  func record(_ id: Asset.ID) -> String { "\(records)/\(id).json" }
  func matte(_ id: Asset.ID) -> String { "\(mattes)/\(id).png" }
  func album(_ id: AssetCollection.ID) -> String { "\(albums)/\(id).json" }

  func absolute(_ relative: String) -> String { relative.isEmpty ? path : path + "/" + relative }

  /// The file's path in the library; `nil` when it lies outside.
  func relative(_ absolute: String) -> String? {
    // By bytes: a name may begin with a combining accent, which makes one character with the slash.
    let start = path.utf8.count + 1
    guard absolute.utf8.starts(with: (path + "/").utf8) else { return nil }
    return String(decoding: absolute.utf8.dropFirst(start), as: UTF8.self)
  }

  /// The file extension of a photo: phones and photo servers recognize a Motion Photo by `.MP.jpg`.
  static func fileExtension(_ format: PhotoFormat, isLive: Bool) -> String {
    (isLive ? ".MP." : ".") + format.fileExtension
  }

  /// The file extension of an asset's untouched original, from which its kind is recognized.
  static func fileExtension(ofOriginal asset: Asset) -> String {
    switch asset.mediaType {
    case .photo:
      fileExtension(
        PhotoFormat(fileExtension: asset.url.pathExtension) ?? .jpeg, isLive: asset.isLive && asset.pairedVideo == nil)
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

  /// The `attempt`-th name for a stem; the first is the plain one. The number follows an underscore, which sorts after
  /// the dot, so that the order of names is the order of shots. A stem that is too long for the number loses its end.
  static func name(stem: String, extension ending: String, attempt: Int) -> String {
    FileName.fitting(stem, attempt == 1 ? ending : "_\(attempt)\(ending)")
  }

  /// The stem and the extension for a version of a file that another program has made, beside the library's own.
  static func keptParts(ofName name: String) -> (stem: String, ending: String) {
    var (stem, ending) = FileName.split(name)
    // Dots in a long name are no extension.
    if ending.utf8.count > 32 { (stem, ending) = (name, "") }
    let mark = " (changed elsewhere)"
    // With room for a number. A name is at most 255 bytes long.
    while !stem.isEmpty, stem.utf8.count + mark.utf8.count + ending.utf8.count > 240 { stem.removeLast() }
    return (stem + mark, ending)
  }

  /// The name of a file while it is being written: hidden, with the token of its process. Of a long name, only as much is
  /// in it as has room.
  static func temporaryName(for name: String, token: String, number: Int) -> String {
    FileName.fitting(".\(name)", ".\(token).\(number).tmp")
  }

  /// The token of the process that is writing a temporary file; `nil` for other names.
  static func token(temporaryName name: String) -> String? {
    guard name.isHiddenName, name.ends(with: ".tmp") else { return nil }
    let parts = name.parts(between: ".").filter { !$0.isEmpty }
    guard parts.count >= 4, Int(parts[parts.count - 2]) != nil else { return nil }
    let token = parts[parts.count - 3]
    return isToken(token) ? token : nil
  }

  /// The name that a temporary file was to have, without the dots at its beginning; of a long one what was in it.
  static func name(temporaryName name: String) -> String {
    name.parts(between: ".").filter { !$0.isEmpty }.dropLast(3).joined(separator: ".")
  }

  /// The name of a file that a change has renamed aside, where there are no hard links: it is a person's, and is never
  /// removed while the file whose name it had is missing. A long name loses the end of its stem.
  static func asideName(for name: String, token: String, number: Int) -> String {
    let (stem, ending) = FileName.split(name)
    return FileName.fitting(".\(stem)", "\(ending).\(token).\(number).aside")
  }

  /// The name of a file that was renamed aside, and the token of the process that did it; `nil` for other names.
  static func aside(_ name: String) -> (name: String, token: String)? {
    guard name.isHiddenName, name.ends(with: ".aside") else { return nil }
    let parts = Array(name.parts(between: ".").dropFirst())
    guard parts.count >= 4, Int(parts[parts.count - 2]) != nil else { return nil }
    let (token, before) = (parts[parts.count - 3], parts.dropLast(3).joined(separator: "."))
    return isToken(token) && !before.isEmpty ? (before, token) : nil
  }

  static func makeToken() -> String { AssetIdentity.hex(UInt64.random(in: .min ... .max)) }

  static func isToken(_ text: String) -> Bool {
    text.utf8.count == 16 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
