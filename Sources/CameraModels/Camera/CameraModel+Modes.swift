// The choice of the camera's resolution and frame rate.

import CameraCore

extension CameraModel {
  /// The camera whose modes are chosen from: the one that runs, else the one that was asked for; `nil` without any.
  public var camera: CameraDevice? {
    let id = session?.camera.id ?? selectedCameraID
    return id.flatMap { id in devices.cameras.first { $0.answers(to: id) } } ?? session?.camera
  }

  /// The sizes and rates of the camera.
  public var modes: ModeChoices { ModeChoices(camera?.formats ?? []) }

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

  private var chosen: AppSettings.PerCamera {
    camera.map { settings.values.camera($0.id, among: devices) } ?? .init()
  }

  private func select(_ change: (inout AppSettings.PerCamera) -> Void) async {
    guard let camera else { return }
    // Its frames have one size from the first to the last.
    guard movies?.isBusy != true else {
      messages.post("A movie is being recorded. Stop it first.")
      return
    }
    var wanted = chosen
    change(&wanted)
    guard wanted != chosen else { return }
    settings.update { $0.cameras[camera.id] = wanted }
    await show(remembered(camera.id))
    guard let session, session.camera.id == camera.id else { return }
    messages.post(
      "Pictures are \(session.format.size.width) × \(session.format.size.height) now, "
        + "at \(Int(session.frameRate.framesPerSecond.rounded())) frames a second.")
  }
}
