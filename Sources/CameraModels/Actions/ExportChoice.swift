// The export dialog's formats and sizes.

import PhotoLibrary

/// A format that pictures can be exported in.
public struct ExportChoice: Sendable, Hashable, Identifiable {
  /// The value of `photomectl export --as`, or `jpeg` and `png` for stills in these formats.
  public let id: String
  public let title: String
  public let form: ExportForm
  public var stillFormat = ExportOptions.StillFormat.own

  /// The first one is the default.
  public static let all = [
    ExportChoice(id: "current", title: "Current version", form: .current),
    ExportChoice(id: "original", title: "Unedited originals", form: .original),
    ExportChoice(id: "still", title: "Stills", form: .still),
    ExportChoice(id: "jpeg", title: "Stills (JPEG)", form: .still, stillFormat: .jpeg),
    ExportChoice(id: "png", title: "Stills (PNG)", form: .still, stillFormat: .png),
    ExportChoice(id: "movie", title: "Videos", form: .movie),
    ExportChoice(id: "apple-live-photo", title: "Apple Live Photos (still and MOV)", form: .appleLivePhoto),
    ExportChoice(id: "gif", title: "Animated GIF", form: .gif),
    ExportChoice(id: "webp", title: "Animated WebP", form: .webp),
  ]

  /// The choice with an ID; the default for an unknown one.
  public static func of(_ id: String?) -> ExportChoice { all.first { $0.id == id } ?? all[0] }

  /// The sizes, in pixels of the longer side; `nil` is the picture's own.
  public static let sizes: [(id: String, title: String, longestSide: Int?)] =
    [("full", "Full size", nil)] + smallerSizes.map { ("\($0)", "Up to \($0) pixels (stills and animations)", $0) }
  private static let smallerSizes: [Int] = [2048, 1280, 640, 320]

  /// The options that result from all choices of the dialog.
  ///
  /// - Parameter size: The ID of one of `sizes`.
  public func options(size: String?, dropsLocation: Bool, dropsSound: Bool) -> ExportOptions {
    ExportOptions(
      longestSide: Self.sizes.first { $0.id == size }?.longestSide, dropsLocation: dropsLocation,
      dropsSound: dropsSound,
      stillFormat: stillFormat)
  }
}
