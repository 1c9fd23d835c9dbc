// The file format of photos: the setting, and what it means for live photos.

import CameraCore
import Localization

extension CameraModel {
  /// Chooses what matters most in photos, and remembers it.
  public func setPhotoQuality(_ quality: PhotoQuality) {
    settings.update(saying: localized("Photo quality: \(quality.title).")) { $0.photoQuality = quality }
    service.prepare(for: quality)
  }

  /// The file format of the next photos.
  public var photoFormat: PhotoFormat { settings.values.photoFormat }

  /// The formats that photos can be saved in, and the chosen one.
  public var photoFormats: [PhotoFormat] {
    PhotoFormat.ofShots.filter { $0 == photoFormat || service.refusal(of: $0) == nil }
  }

  /// Chooses the file format of photos, and remembers it. One that can't be written is refused, and a message says why.
  public func setPhotoFormat(_ format: PhotoFormat) {
    guard format != photoFormat, PhotoFormat.ofShots.contains(format) else { return }
    if let refusal = service.refusal(of: format) {
      messages.post(localized("Photos can’t be saved as \(format.name): \(refusal.asClause)."))
      return
    }
    settings.update { $0.photoFormat = format }
    messages.post(
      format.canBeLive || !live.isActive
        ? localized("Photos are now saved as \(format.name).")
        : localized(
          """
          Photos are now saved as \(format.name). Live photos are saved as JPEG, because \(format.name) can’t hold a \
          video.
          """
        ),
      topic: .setting)
  }

  /// Sentences about the chosen format and those that can't be chosen, without the last period.
  public var photoFormatNote: String {
    let formats = photoFormats
    let missing = PhotoFormat.ofShots.filter { !formats.contains($0) }.compactMap { format in
      service.refusal(of: format).map { localized("\(format.name) isn’t available: \($0.asClause).") }
    }
    return ([chosenFormatNote] + missing).joined(separator: " ").asClause
  }

  private var chosenFormatNote: String {
    if let refusal = service.refusal(of: photoFormat) {
      return localized("Photos are saved as JPEG: \(refusal.asClause).")
    }
    return switch photoFormat {
    case .jpeg: localized("The camera’s own format, which opens everywhere.")
    case .heic: localized("About half the size of JPEG.")
    case .avif: localized("Smaller than JPEG, but slower to save.")
    case .png: localized("Lossless, but much larger. Live photos are saved as JPEG.")
    // No shots are saved in the others.
    case .webp, .tiff, .gif, .jxl, .raw: ""
    }
  }

  /// The format that a shot gets now.
  func format(isLive: Bool) -> PhotoFormat {
    let format = photoFormat
    return isLive && !format.canBeLive || service.refusal(of: format) != nil ? .jpeg : format
  }
}
