// The file formats of photos.

/// A file format of still pictures.
public enum PhotoFormat: String, Codable, Sendable, CaseIterable {
  /// The camera's own JPEG where it sends one.
  case jpeg
  /// HEVC in HEIF: half of a JPEG's size.
  case heic
  /// AV1 in HEIF.
  case avif
  /// Without loss, and several times as large. With several frames it is an APNG.
  case png
  /// With loss or without, also animated.
  case webp
  /// Of scanners and photo editors.
  case tiff
  /// 256 colors, mostly animated.
  case gif
  /// JPEG XL: a JPEG's successor, also without loss.
  case jxl
  /// What a camera's sensor saw, undeveloped: DNG and the formats of makers.
  case raw

  /// The formats in which shots can be saved, as they are offered.
  public static let ofShots: [PhotoFormat] = [.jpeg, .heic, .avif, .png]

  /// By file extension.
  private static let extensions: [String: PhotoFormat] = {
    let lists: [(PhotoFormat, [String])] = [
      (.jpeg, ["jpg", "jpeg", "jpe", "jfif"]), (.heic, ["heic", "heif", "hif"]), (.avif, ["avif"]),
      (.png, ["png", "apng"]), (.webp, ["webp"]), (.tiff, ["tif", "tiff"]), (.gif, ["gif"]), (.jxl, ["jxl"]),
      (
        .raw,
        [
          "dng", "cr2", "cr3", "nef", "nrw", "arw", "sr2", "raf", "orf", "rw2", "rwl", "pef", "srw", "3fr", "erf",
          "mef",
        ]
      ),
    ]
    return Dictionary(uniqueKeysWithValues: lists.flatMap { format, endings in endings.map { ($0, format) } })
  }()

  /// Its file extensions, in lowercase and without the dot.
  public var fileExtensions: [String] { Self.extensions.filter { $0.value == self }.map(\.key).sorted() }

  /// The format of a file extension without its dot, in any case; `nil` for other files.
  public init?(fileExtension: some StringProtocol) {
    guard let format = Self.extensions[fileExtension.lowercased()] else { return nil }
    self = format
  }

  /// Of new files, without the dot.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .tiff: "tif"
    case .raw: "dng"
    default: rawValue
    }
  }

  public var mimeType: String { self == .raw ? "image/x-dcraw" : "image/\(rawValue)" }

  /// As it is shown to people.
  public var name: String {
    switch self {
    case .webp: "WebP"
    case .jxl: "JPEG XL"
    default: rawValue.uppercased()
    }
  }

  /// Whether a file may have several frames to be played.
  public var canBeAnimated: Bool { [.png, .webp, .gif, .jxl, .avif].contains(self) }

  /// Whether it is a HEIF file, made of items in boxes.
  public var isHEIF: Bool { self == .heic || self == .avif }

  /// Whether a movie may follow the picture: Motion Photo 1.0 names JPEG, HEIC and AVIF.
  public var canBeLive: Bool { self == .jpeg || isHEIF }

  /// The format of edits of such a picture: its own, or JPEG where edited pictures can't be saved in it.
  public var ofEdits: PhotoFormat { self == .gif || self == .raw ? .jpeg : self }
}
