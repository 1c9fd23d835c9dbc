// The file formats of movies.

/// A file format of movies: a container, whatever the codecs in it.
public enum MovieFormat: String, Codable, Sendable, CaseIterable {
  /// PhotoMe's own, and that of phones.
  case mp4
  /// QuickTime: the same boxes under another name.
  case mov
  /// Matroska: of screen recorders and video converters.
  case mkv
  /// The part of Matroska that browsers record and play.
  case webm
  /// Of older cameras.
  case avi

  /// By file extension.
  private static let extensions: [String: MovieFormat] = [
    "mp4": .mp4, "m4v": .mp4, "mov": .mov, "mkv": .mkv, "webm": .webm, "avi": .avi,
  ]

  /// The format of a file extension without its dot, in any case; `nil` for other files.
  public init?(fileExtension: some StringProtocol) {
    guard let format = Self.extensions[fileExtension.lowercased()] else { return nil }
    self = format
  }

  /// Of new files, without the dot.
  public var fileExtension: String { rawValue }

  public var mimeType: String {
    switch self {
    case .mp4: "video/mp4"
    case .mov: "video/quicktime"
    case .mkv: "video/x-matroska"
    case .webm: "video/webm"
    case .avi: "video/x-msvideo"
    }
  }

  /// As it is shown to people.
  public var name: String { self == .webm ? "WebM" : rawValue.uppercased() }

  /// The structure of a format's files. Names within one are often mixed up, and do no harm.
  public enum Structure: Sendable, Hashable {
    /// Boxes: ISO/IEC 14496-12 and QuickTime.
    case boxes
    /// EBML elements: Matroska and WebM.
    case elements
    /// RIFF chunks: AVI.
    case chunks
  }

  public var structure: Structure {
    switch self {
    case .mp4, .mov: .boxes
    case .mkv, .webm: .elements
    case .avi: .chunks
    }
  }

  /// The format of edits of such a movie: its own, or MP4 where edited movies can't be saved in it.
  public var ofEdits: MovieFormat { structure == .boxes ? self : .mp4 }
}
