// The preferences window.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// The settings in one window. Most are also where they are needed, and either follows the other. Messages are shown in this window
/// while it is open: it covers the main one.
@MainActor final class PreferencesWindow {
  /// The `AdwPreferencesWindow`.
  let window: GObjectRef
  private let interface: Interface
  /// The bindings of the rows.
  var rows: [AnyObject] = []
  let models: Models

  /// - Throws: `InstallationError` when its file can't be read.
  init(
    models: Models, data: DataFolder, showFolder: @escaping () -> Void, changeFolder: @escaping () -> Void
  ) throws(InstallationError) {
    self.models = models
    let interface = try Interface(data.ui("preferences"))
    self.interface = interface
    window = interface["preferences"]
    addCamera(interface)
    addShutter(interface)
    addSound(interface)
    addGeneral(interface, showFolder, changeFolder)
    allowNarrow()
  }

  /// libadwaita 1.2 asks for 360 px for the contents, which need less: with the border that the window has where nothing composes the
  /// screen, it would be wider than 360.
  private func allowNarrow() {
    var (narrowest, height, width): (Int32, Int32, Int32) = (0, 0, 0)
    gtk_widget_get_size_request(window.widget, &narrowest, nil)
    var child = gtk_widget_get_first_child(window.widget)
    while let part = child {
      gtk_widget_get_size_request(part, &width, &height)
      if width > narrowest { return gtk_widget_set_size_request(part, narrowest, height) }
      child = gtk_widget_get_first_child(part)
    }
  }

  func present(over parent: GObjectRef) {
    gtk_window_set_transient_for(window.of(GtkWindow.self), parent.of(GtkWindow.self))
    gtk_window_present(window.of(GtkWindow.self))
    WidgetSearch.nameMadeParts(in: window.widget)
    nameLists()
  }

  /// A group without a title of its own has a list without a name: it is what its page is about. So is the list of what
  /// a search finds.
  private func nameLists() {
    for list in WidgetSearch.all(in: window.widget, of: gtk_list_box_get_type()) {
      let group = gtk_widget_get_ancestor(list.widget, adw_preferences_group_get_type()).map {
        GObjectRef(retaining: $0)
      }
      let page = gtk_widget_get_ancestor(list.widget, adw_preferences_page_get_type()).map { GObjectRef(retaining: $0) }
      let title = group.flatMap { adw_preferences_group_get_title($0.of(AdwPreferencesGroup.self)) }
      if title.map({ $0.pointee != 0 }) == true { continue }
      if let page, let name = adw_preferences_page_get_title(page.of(AdwPreferencesPage.self)),
        name.pointee != 0
      {
        pm_set_accessible_label(list.widget, name)
      } else {
        pm_set_accessible_label(list.widget, localized("Search"))
      }
    }
  }

  /// Called when the user closes the window.
  func onClose(_ closed: @escaping () -> Void) {
    window.onQuestion("close-request") {
      closed()
      return false
    }
  }

  /// Shows a new toast over the rows. It goes with the window.
  func show(_ toast: Toast) {
    toast.show(over: window) { adw_preferences_window_add_toast(window.of(AdwPreferencesWindow.self), $0) }
  }

  // MARK: Rows

  /// Uses a row as a person does; see `Interface.use`.
  func use(_ id: String, _ value: String) -> Bool { interface.use(id, value) }

  private func addCamera(_ interface: Interface) {
    let camera = models.camera
    let isIdle = { camera.cameraChangeRefusal == nil }
    rows.append(
      ComboSetting<String>(
        interface["camera"], hasLongTitles: true,
        items: {
          camera.devices.realCameras.map { ($0.id, $0.name.displayed) } + [
            (CameraDevice.testID, localized("Test Camera"))
          ]
        },
        chosen: { camera.selectedCameraID ?? "" }, isEnabled: isIdle,
        choose: { id in Task { await camera.selectCamera(id) } }))
    rows.append(
      ComboSetting<PixelSize?>(
        interface["resolution"],
        items: { ([nil] + camera.modes.sizes).map { ($0, camera.title(of: $0)) } },
        chosen: { camera.chosenSize }, isEnabled: isIdle, choose: { size in Task { await camera.selectSize(size) } }))
    rows.append(
      ComboSetting<FrameRate?>(
        interface["frame_rate"],
        items: {
          [(nil, localized("Automatic", context: "frame rate"))]
            + camera.modes.rates(of: camera.chosenSize).map { ($0, Self.text($0)) }
        },
        chosen: { camera.chosenRate }, isEnabled: isIdle, choose: { rate in Task { await camera.selectRate(rate) } }))
    rows.append(
      SwitchSetting(
        interface["high_resolution"], isOn: { camera.isHighResolution },
        isEnabled: { camera.modes.largest != nil && isIdle() },
        set: { isOn in Task { await camera.setHighResolution(isOn) } }))
    let hdrRow = interface["hdr_row"]
    rows.append(
      SwitchSetting(
        interface["hdr"], isOn: { camera.isHDR }, isEnabled: isIdle,
        set: { isOn in Task { await camera.setHDR(isOn) } }))
    rows.append(
      ModelObservation {
        gtk_widget_set_visible(hdrRow.of(GtkWidget.self), camera.hasHDR ? 1 : 0)
        guard camera.hasHDR else { return }
        adw_action_row_set_subtitle(hdrRow.of(AdwActionRow.self), escapedMarkup(camera.hdrNote.displayed))
      })
    let rawRow = interface["raw_row"]
    rows.append(
      SwitchSetting(
        interface["raw"], isOn: { camera.savesRaw }, isEnabled: { camera.rawRefusal == nil && isIdle() },
        set: { isOn in Task { await camera.setSavesRaw(isOn) } }))
    rows.append(
      ModelObservation {
        let text = camera.rawRefusal ?? localized("Save the sensor’s raw frame as a DNG file with each photo")
        adw_action_row_set_subtitle(rawRow.of(AdwActionRow.self), escapedMarkup(text.displayed))
      })
    rows.append(
      ComboSetting<PhotoQuality>(
        interface["photo_quality"],
        items: { PhotoQuality.allCases.reversed().map { ($0, $0.title) } },
        chosen: { camera.photoQuality }, choose: { camera.setPhotoQuality($0) }))
    let formatRow = interface["photo_format"]
    rows.append(
      ComboSetting<PhotoFormat>(
        formatRow, hasLongTitles: true, items: { camera.photoFormats.map { ($0, $0.name) } },
        chosen: { camera.photoFormat }, choose: { camera.setPhotoFormat($0) }))
    rows.append(
      ModelObservation {
        adw_action_row_set_subtitle(formatRow.of(AdwActionRow.self), escapedMarkup(camera.photoFormatNote.displayed))
      })
    rows.append(
      SwitchSetting(interface["mirror"], isOn: { camera.isMirrored }, set: { camera.setMirrorsViewfinder($0) }))
  }

  private func addSound(_ interface: Interface) {
    let (camera, movies) = (models.camera, models.movies)
    rows.append(
      ComboSetting<MicrophoneChoice>(
        interface["microphone"], hasLongTitles: true,
        items: { camera.microphones.rows.map { ($0.choice, $0.title.displayed) } },
        chosen: { camera.microphones.selected },
        choose: { choice in Task { await camera.microphones.select(choice) } }))
    rows.append(
      ComboSetting<RecordingSettings.Quality>(
        interface["movie_quality"],
        items: { RecordingSettings.Quality.allCases.reversed().map { ($0, $0.title) } },
        chosen: { movies.quality }, choose: { movies.setQuality($0) }))
    let codecRow = interface["movie_codec"]
    rows.append(
      ComboSetting<RecordingSettings.Codec>(
        codecRow, hasLongTitles: true, items: { movies.codecs.map { ($0.codec, $0.title) } }, chosen: { movies.codec },
        choose: { movies.setCodec($0) }))
    rows.append(
      ModelObservation {
        adw_action_row_set_subtitle(codecRow.of(AdwActionRow.self), escapedMarkup(movies.codecNote))
      })
    rows.append(
      SwitchSetting(interface["stabilize"], isOn: { movies.isStabilized }, set: { movies.setStabilized($0) }))
  }

  private func addGeneral(
    _ interface: Interface, _ showFolder: @escaping () -> Void, _ changeFolder: @escaping () -> Void
  ) {
    let lock = models.hiddenLock
    let (folder, folderRow) = (models.libraryFolder, interface["library_folder"])
    rows.append(
      ModelObservation {
        adw_action_row_set_subtitle(folderRow.of(AdwActionRow.self), escapedMarkup(folder.text.displayed))
      })
    interface["show_folder"].on("clicked", showFolder)
    // The application's actions aren't this window's: it has no part in their keys.
    interface["change_folder"].on("clicked", changeFolder)
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
    let shell = models.window
    rows.append(
      ComboSetting<Appearance>(
        interface["appearance"], items: { Appearance.allCases.map { ($0, $0.title) } }, chosen: { shell.appearance },
        choose: { shell.setAppearance($0) }))
  }

  private static func text(_ rate: FrameRate) -> String {
    let number = rate.framesPerSecond
    return localized(
      "\(number) frame per second", plural: "\(number) frames per second", count: Int(number.rounded()))
  }
}
