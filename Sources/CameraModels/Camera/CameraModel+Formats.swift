// The file format of photos: the setting, and what it means for live photos.

import CameraCore

extension CameraModel {
  /// Chooses what matters most in photos, and remembers it.
  public func setPhotoQuality(_ quality: PhotoQuality) {
    settings.update(saying: "Photo quality: \(quality.title).") { $0.photoQuality = quality }
    service.prepare(for: quality)
  }

  /// The file format of the next photos.
  public var photoFormat: PhotoFormat { settings.values.photoFormat }

  /// The formats that photos can be saved in, and the chosen one.
  public var photoFormats: [PhotoFormat] {
    PhotoFormat.allCases.filter { $0 == photoFormat || service.refusal(of: $0) == nil }
  }

  /// Chooses the file format of photos, and remembers it. One that can't be written is refused, and a message says why.
  public func setPhotoFormat(_ format: PhotoFormat) {
    guard format != photoFormat else { return }
    if let refusal = service.refusal(of: format) {
      messages.post("Photos can’t be saved as \(format.name): \(refusal).")
      return
    }
    settings.update { $0.photoFormat = format }
    messages.post(
      format.canBeLive || !live.isActive
        ? "Photos are saved as \(format.name) from now on."
        : "Photos are saved as \(format.name), and live photos as JPEG: a \(format.name) can’t hold a video.",
      topic: .setting)
  }

  /// Sentences about the chosen format and those that can't be chosen, without the last period.
  public var photoFormatNote: String {
    let formats = photoFormats
    let missing = PhotoFormat.allCases.filter { !formats.contains($0) }.compactMap { format in
      service.refusal(of: format).map { "No \(format.name): \($0)" }
    }
    return ([chosenFormatNote] + missing).joined(separator: ". ")
  }

  private var chosenFormatNote: String {
    if let refusal = service.refusal(of: photoFormat) { return "Photos are saved as JPEG: \(refusal)" }
    return switch photoFormat {
    case .jpeg: "The camera’s original format; opens everywhere"
    case .heic: "About half as large as JPEG"
    case .avif: "Smaller than JPEG, and slower to save"
    case .png: "Lossless and much larger. Live photos are saved as JPEG"
    }
  }

  /// The format that a shot gets now.
  func format(isLive: Bool) -> PhotoFormat {
    let format = photoFormat
    return isLive && !format.canBeLive || service.refusal(of: format) != nil ? .jpeg : format
  }
}
