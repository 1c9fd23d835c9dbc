// The camera menu: cameras, the test camera, microphones, and the quality of movies.

import CGtk
import CameraCore
import CameraModels

/// Keeps the menu up to date with the connected devices.
@MainActor final class CameraMenu {
  private let camera: CameraModel
  private let menu: GObjectRef
  private var observation: ModelObservation?
  private var shown: DeviceList?
  private var shownMicrophones: [MicrophoneModel.Row] = []

  /// - Parameter menu: A `GMenu`, filled here.
  init(menu: GObjectRef, camera: CameraModel) {
    self.menu = menu
    self.camera = camera
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    let (devices, microphones) = (camera.devices, camera.microphones.rows)
    guard devices != shown || microphones != shownMicrophones else { return }
    (shown, shownMicrophones) = (devices, microphones)
    g_menu_remove_all(menu.opaque)
    addSection("Camera", action: "app.select-camera", devices.realCameras.map { ($0.name, $0.id) })
    addSection(nil, action: "app.select-camera", [("Test Camera", CameraDevice.testID)])
    addSection(
      "Microphone", action: "app.select-microphone", microphones.map { ($0.title, $0.choice.reportName) })
    addSection(
      "Video Quality", action: "app.movie-quality",
      RecordingSettings.Quality.allCases.map { ($0.title, $0.rawValue) })
  }

  private func addSection(_ title: String?, action: String, _ items: [(name: String, id: String)]) {
    guard !items.isEmpty, let made = g_menu_new() else { return }
    let section = GObjectRef(adopting: made)
    for item in items {
      section.appendItem(escapedMnemonics(item.name), action: action, target: item.id)
    }
    g_menu_append_section(menu.opaque, title, section.of(GMenuModel.self))
  }
}

extension MicrophoneChoice {
  /// The choice as the state of the action `select-microphone`: a device's ID, or one of two words that no device has.
  var reportName: String {
    switch self {
    case .automatic: "automatic"
    case .none: "none"
    case .device(let id): id
    }
  }

  init(reportName: String) {
    self =
      switch reportName {
      case "automatic": .automatic
      case "none": .none
      default: .device(reportName)
      }
  }
}
