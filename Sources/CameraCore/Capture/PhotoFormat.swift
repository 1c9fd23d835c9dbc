// The file formats of photos.

/// A file format of still pictures.
public enum PhotoFormat: String, Codable, Sendable, CaseIterable {
  /// The camera's own JPEG where it sends one.
  case jpeg
  /// HEVC in HEIF: half of a JPEG's size.
  case heic
  /// AV1 in HEIF.
  case avif
  /// Without loss, and several times as large.
  case png

  /// The format of a file extension without its dot, in any case; `nil` for other files.
  public init?(fileExtension: some StringProtocol) {
    switch fileExtension.lowercased() {
    case "jpg", "jpeg": self = .jpeg
    case "heic", "heif", "hif": self = .heic
    case "avif": self = .avif
    case "png": self = .png
    default: return nil
    }
  }

  /// Of new files, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  public var mimeType: String { "image/\(rawValue)" }

  /// As it is shown to people.
  public var name: String { rawValue.uppercased() }

  /// Whether it is a HEIF file, made of items in boxes.
  public var isHEIF: Bool { self == .heic || self == .avif }

  /// Whether a movie may follow the picture: Motion Photo 1.0 names no PNG.
  public var canBeLive: Bool { self != .png }
}
