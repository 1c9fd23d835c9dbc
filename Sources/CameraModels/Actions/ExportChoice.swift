// The export dialog's formats and sizes.

import CameraCore
import Localization
import PhotoLibrary

/// A format that pictures can be exported in.
public struct ExportChoice: Sendable, Hashable, Identifiable {
  /// The value of `photomectl export --as`, or `jpeg` and `png` for stills in these formats.
  public let id: String
  public let title: String
  /// A description of the copies, in a few words.
  public let explanation: String
  public let form: ExportForm
  public var stillFormat = ExportOptions.StillFormat.own

  /// The first one is the default.
  public static var all: [ExportChoice] {
    [
      ExportChoice(
        id: "current", title: localized("Current Version"), explanation: localized("As it is now, with all edits"),
        form: .current),
      ExportChoice(
        id: "original", title: localized("Unedited Original"), explanation: localized("As taken or imported"),
        form: .original),
      ExportChoice(
        id: "still", title: localized("Still Photo"),
        explanation: localized("Live photos without their video, in the format they have"), form: .still),
      ExportChoice(
        id: "jpeg", title: localized("JPEG Photo"), explanation: localized("For all apps and devices; without video"),
        form: .still, stillFormat: .jpeg),
      ExportChoice(
        id: "png", title: localized("PNG Photo"), explanation: localized("Without loss, in large files; without video"),
        form: .still, stillFormat: .png),
      ExportChoice(
        id: "movie", title: localized("Video", context: "export format"),
        explanation: localized("Videos, and the videos of live photos"), form: .movie),
      ExportChoice(
        id: "apple-live-photo", title: localized("Apple Live Photo"),
        explanation: localized("A photo and a MOV video, for iPhones, iPads, and Macs"), form: .appleLivePhoto),
      ExportChoice(
        id: "motion-photo", title: localized("Motion Photo"),
        explanation: localized("A photo with its video in one file, for Android phones"), form: .motionPhoto),
      ExportChoice(
        id: "gif", title: localized("Animated GIF"), explanation: localized("A loop without sound, for the web"),
        form: .gif),
      ExportChoice(
        id: "webp", title: localized("Animated WebP"),
        explanation: localized("A loop without sound, with more colors than a GIF"), form: .webp),
      ExportChoice(
        id: "apng", title: localized("Animated PNG"),
        explanation: localized("A loop without sound and without loss, in large files"), form: .apng),
      ExportChoice(
        id: "avif", title: localized("Animated AVIF"),
        explanation: localized("A loop without sound, in the smallest files, for newer browsers"), form: .avif),
      ExportChoice(
        id: "four-up", title: localized("Four-Up"), explanation: localized("Four pictures on a sheet, as a photo"),
        form: .fourUp),
      ExportChoice(
        id: "contact-sheet", title: localized("Contact Sheet"),
        explanation: localized("All pictures in small on a sheet, as a photo"), form: .contactSheet),
    ]
  }

  /// The choice with an ID; `nil` for an unknown one.
  public static func named(_ id: String) -> ExportChoice? { all.first { $0.id == id } }

  /// The choice with an ID; the default for an unknown one.
  public static func of(_ id: String?) -> ExportChoice { id.flatMap(named) ?? all[0] }

  /// The choices that make sense for some assets: each makes something of one of them that no choice before it does.
  public static func choices(for assets: [Asset]) -> [ExportChoice] {
    all.filter { choice in
      switch choice.id {
      case "current": true
      case "original": assets.contains(where: \.isEdited)
      // Of others it is the current version.
      case "motion-photo": assets.contains { $0.pairedVideo != nil && choice.fits($0) }
      // A sheet of one picture is no sheet.
      case "four-up", "contact-sheet": assets.count > 1
      case "still", "movie": assets.contains { $0.isLive }
      default: assets.contains(where: choice.fits)
      }
    }
  }

  /// Whether an asset can have this format.
  public func fits(_ asset: Asset) -> Bool {
    switch form {
    case .original, .current, .fourUp, .contactSheet: true
    case .still: asset.mediaType == .photo
    case .movie, .gif, .webp, .apng, .avif: asset.movieRange != nil
    case .motionPhoto: asset.isLive && PhotoFormat(fileExtension: asset.url.pathExtension)?.canBeLive == true
    // iPhones accept none with an AVIF.
    case .appleLivePhoto: asset.isLive && PhotoFormat(fileExtension: asset.url.pathExtension) != .avif
    }
  }

  /// Whether copies of an asset have sound, if the asset does.
  public func keepsSound(of asset: Asset) -> Bool {
    !form.isAnimation && !form.isSheet && form != .still && asset.movieRange != nil
  }

  /// The longer sides to choose from, in pixels, after the full size.
  public static let smallerSizes = [2048, 1280, 640, 320]

  /// The title of a size.
  ///
  /// - Parameter longestSide: In pixels; `nil` for the asset's own, or that of an animation.
  public func title(ofSize longestSide: Int?) -> String {
    guard let longestSide else {
      return form.isAnimation || form.isSheet ? localized("Standard") : localized("Full Size")
    }
    return localized("Up to \(longestSide) Pixels")
  }

  /// The options of an export.
  public func options(
    longestSide: Int? = nil, dropsLocation: Bool = false, dropsSound: Bool = false, showsNames: Bool = false
  ) -> ExportOptions {
    ExportOptions(
      longestSide: longestSide, dropsLocation: dropsLocation, dropsSound: dropsSound, stillFormat: stillFormat,
      showsNames: showsNames)
  }
}
