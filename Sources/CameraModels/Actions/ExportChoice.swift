// The export dialog's formats and sizes.

import Localization
import PhotoLibrary

/// A format that pictures can be exported in.
public struct ExportChoice: Sendable, Hashable, Identifiable {
  /// The value of `photomectl export --as`, or `jpeg` and `png` for stills in these formats.
  public let id: String
  public let title: String
  public let form: ExportForm
  public var stillFormat = ExportOptions.StillFormat.own

  /// The first one is the default.
  public static var all: [ExportChoice] {
    [
      ExportChoice(id: "current", title: localized("Current Version"), form: .current),
      ExportChoice(id: "original", title: localized("Unedited Original"), form: .original),
      ExportChoice(id: "still", title: localized("Still Photo"), form: .still),
      ExportChoice(id: "jpeg", title: localized("Still Photo (JPEG)"), form: .still, stillFormat: .jpeg),
      ExportChoice(id: "png", title: localized("Still Photo (PNG)"), form: .still, stillFormat: .png),
      ExportChoice(id: "movie", title: localized("Video", context: "export format"), form: .movie),
      ExportChoice(
        id: "apple-live-photo", title: localized("Apple Live Photo (Still Photo and MOV)"), form: .appleLivePhoto),
      ExportChoice(id: "gif", title: localized("Animated GIF"), form: .gif),
      ExportChoice(id: "webp", title: localized("Animated WebP"), form: .webp),
    ]
  }

  /// The choice with an ID; the default for an unknown one.
  public static func of(_ id: String?) -> ExportChoice {
    let all = all
    return all.first { $0.id == id } ?? all[0]
  }

  /// The sizes, in pixels of the longer side; `nil` is the picture's own.
  public static var sizes: [(id: String, title: String, longestSide: Int?)] {
    [("full", localized("Full Size"), nil)]
      + smallerSizes.map { side in
        ("\(side)", localized("Up to \(side) Pixels (Still Photos and Animations)"), side)
      }
  }
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
