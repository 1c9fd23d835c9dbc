// The preferences window.

import CGtk
import CameraCore
import CameraModels

/// All settings in one window. Each is also where it is needed, and either follows the other.
@MainActor final class PreferencesWindow {
  private let window: GObjectRef
  /// The bindings of the rows.
  var rows: [AnyObject] = []
  let models: Models

  /// - Throws: `InstallationError` when its file can't be read.
  init(models: Models, data: DataFolder, showFolder: @escaping () -> Void) throws(InstallationError) {
    self.models = models
    let interface = try Interface(data.ui("preferences"))
    window = interface["preferences"]
    addCamera(interface)
    addShutter(interface)
    addSound(interface)
    addLibrary(interface, showFolder)
  }

  func present(over parent: GObjectRef) {
    gtk_window_set_transient_for(window.of(GtkWindow.self), parent.of(GtkWindow.self))
    gtk_window_present(window.of(GtkWindow.self))
  }

  /// Called when the user closes the window.
  func onClose(_ closed: @escaping () -> Void) {
    window.onQuestion("close-request") {
      closed()
      return false
    }
  }

  private func addCamera(_ interface: Interface) {
    let (camera, settings) = (models.camera, models.camera.settings)
    let isIdle = { camera.movies?.isBusy != true }
    rows.append(
      ComboSetting<String>(
        interface["camera"],
        items: {
          camera.devices.realCameras.map { ($0.id, $0.name.displayed) } + [(CameraDevice.testID, "Test Camera")]
        },
        chosen: { camera.selectedCameraID ?? "" }, isEnabled: isIdle,
        choose: { id in Task { await camera.selectCamera(id) } }))
    rows.append(
      ComboSetting<PixelSize?>(
        interface["resolution"],
        items: { [(nil, "Automatic")] + camera.modes.sizes.map { ($0, "\($0.width) × \($0.height)") } },
        chosen: { camera.chosenSize }, isEnabled: isIdle, choose: { size in Task { await camera.selectSize(size) } }))
    rows.append(
      ComboSetting<FrameRate?>(
        interface["frame_rate"],
        items: {
          [(nil, "Automatic")] + camera.modes.rates(of: camera.chosenSize).map { ($0, Self.text($0)) }
        },
        chosen: { camera.chosenRate }, isEnabled: isIdle, choose: { rate in Task { await camera.selectRate(rate) } }))
    rows.append(
      SwitchSetting(
        interface["high_resolution"], isOn: { camera.isHighResolution },
        isEnabled: { camera.modes.largest != nil && isIdle() },
        set: { isOn in Task { await camera.setHighResolution(isOn) } }))
    let rawRow = interface["raw_row"]
    rows.append(
      SwitchSetting(
        interface["raw"], isOn: { camera.savesRaw }, isEnabled: { camera.rawRefusal == nil && isIdle() },
        set: { isOn in Task { await camera.setSavesRaw(isOn) } }))
    rows.append(
      ModelObservation {
        let text = camera.rawRefusal ?? "Keeps the sensor's own frame as a DNG beside each picture"
        adw_action_row_set_subtitle(rawRow.of(AdwActionRow.self), escapedMarkup(text.displayed))
      })
    rows.append(
      ComboSetting<PhotoQuality>(
        interface["photo_quality"],
        items: { [(.quality, "Best in Dim Light"), (.balanced, "Balanced"), (.speed, "Fastest")] },
        chosen: { settings.values.photoQuality }, choose: { camera.setPhotoQuality($0) }))
    rows.append(
      SwitchSetting(interface["mirror"], isOn: { settings.values.isMirrored }) { isOn in
        settings.update { $0.isMirrored = isOn }
      })
  }

  private func addSound(_ interface: Interface) {
    let camera = models.camera
    rows.append(
      ComboSetting<MicrophoneChoice>(
        interface["microphone"],
        items: { camera.microphones.rows.map { ($0.choice, $0.title.displayed) } },
        chosen: { camera.microphones.selected },
        choose: { choice in Task { await camera.microphones.select(choice) } }))
    rows.append(
      ComboSetting<RecordingSettings.Quality>(
        interface["movie_quality"],
        items: { [(.high, "High"), (.standard, "Standard"), (.compact, "Small Files")] },
        chosen: { camera.settings.values.movieQuality },
        choose: { quality in camera.settings.update { $0.movieQuality = quality } }))
  }

  private func addLibrary(_ interface: Interface, _ showFolder: @escaping () -> Void) {
    let lock = models.hiddenLock
    adw_action_row_set_subtitle(
      interface["library_folder"].of(AdwActionRow.self), escapedMarkup(models.library.folder.path.displayed))
    interface["show_folder"].on("clicked", showFolder)
    let place = models.place
    let locationRow = interface["location_row"]
    rows.append(SwitchSetting(interface["location"], isOn: { place.isOn }, set: { place.setOn($0) }))
    rows.append(
      ModelObservation {
        adw_action_row_set_subtitle(locationRow.of(AdwActionRow.self), escapedMarkup(place.explanation))
      })
    rows.append(
      SwitchSetting(interface["lock_hidden"], isOn: { lock.isOn }, isEnabled: { !lock.isAsking }) { isOn in
        Task { await lock.setOn(isOn) }
      })
  }

  private static func text(_ rate: FrameRate) -> String {
    "\(rate.framesPerSecond.formatted(.number.precision(.fractionLength(0...2)))) frames per second"
  }
}
