// The choice of the camera's resolution and frame rate.

import CameraCore
import Localization

extension CameraModel {
  /// The camera whose modes are chosen from: the one that runs, else the one that was asked for; `nil` without any.
  public var camera: CameraDevice? {
    let id = session?.camera.id ?? selectedCameraID
    return id.flatMap { id in devices.cameras.first { $0.answers(to: id) } } ?? session?.camera
  }

  /// The sizes and rates of the camera.
  public var modes: ModeChoices { ModeChoices(camera?.formats ?? [], isHDR: isHDR) }

  /// The size that was chosen for the camera; `nil` where PhotoMe chooses.
  public var chosenSize: PixelSize? { chosen.size.flatMap { modes.sizes.contains($0) ? $0 : nil } }

  /// The frame rate that was chosen for the camera; `nil` where PhotoMe chooses.
  public var chosenRate: FrameRate? {
    chosen.rate.flatMap { wanted in modes.rates(of: chosenSize).first(where: wanted.isAlike) }
  }

  /// Whether pictures are as large as the camera can make them.
  public var isHighResolution: Bool { chosenSize != nil && chosenSize == modes.largest }

  /// Chooses the size of pictures, and remembers it for this camera.
  ///
  /// - Parameter size: `nil` lets PhotoMe choose.
  public func selectSize(_ size: PixelSize?) async { await select { $0.size = size } }

  /// Chooses the frame rate, and remembers it for this camera.
  ///
  /// - Parameter rate: `nil` lets PhotoMe choose.
  public func selectRate(_ rate: FrameRate?) async { await select { $0.rate = rate } }

  /// Takes pictures as large as the camera can make them, or of the usual size.
  public func setHighResolution(_ isOn: Bool) async { await selectSize(isOn ? modes.largest : nil) }

  /// Whether the camera has modes with 10 bits, so that a high dynamic range can be chosen.
  public var hasHDR: Bool { camera?.deepFormats.isEmpty == false }

  /// Whether modes with 10 bits were chosen for the camera.
  public var isHDR: Bool { hasHDR && chosen.isHDR }

  /// Takes pictures with 10 bits a sample or with 8, and remembers it for this camera.
  public func setHDR(_ isOn: Bool) async { await select { $0.isHDR = isOn } }

  /// Sentences about the pictures that keep 10 bits, without the last period.
  public var hdrNote: String {
    let format = photoFormat
    let photos =
      service.deepRefusal(of: format).map { refusal in
        format.isHEIF
          ? localized("Photos have 8 bits: \(refusal.asClause).")
          : localized("\(format.name) photos have 8 bits. HEIC keeps all 10.")
      } ?? localized("\(format.name) photos keep 10 bits.")
    let movies =
      if settings.values.movieCodec == .h264 {
        localized("Videos have 8 bits, because H.264 is chosen for them.")
      } else if let refusal = service.deepMovieRefusal() {
        localized("Videos have 8 bits: \(refusal.asClause).")
      } else {
        localized("Videos are HEVC with 10 bits.")
      }
    return [photos, movies, localized("With Live on, only low resolutions keep 10 bits.")].joined(separator: " ")
      .asClause
  }

  private var chosen: AppSettings.PerCamera {
    camera.map { settings.values.camera($0.id, among: devices) } ?? .init()
  }

  private func select(_ change: (inout AppSettings.PerCamera) -> Void) async {
    guard let camera, mayChangeCamera() else { return }
    var wanted = chosen
    change(&wanted)
    guard wanted != chosen else { return }
    settings.update { $0.cameras[camera.id] = wanted }
    await show(remembered(camera.id))
    guard let session, session.camera.id == camera.id else { return }
    let (size, rate) = (session.format.size.localized, Int(session.frameRate.framesPerSecond.rounded()))
    messages.post(
      session.isHDR
        ? localized("Camera set to \(size), \(rate) fps, 10-bit.") : localized("Camera set to \(size), \(rate) fps."),
      topic: .setting)
  }
}
