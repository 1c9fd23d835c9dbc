// The camera menu: cameras, the test camera, the resolution, microphones, and the quality of movies.

import CGtk
import CameraCore
import CameraModels
import Localization

/// Keeps the menu up to date with the connected devices.
@MainActor final class CameraMenu {
  private let camera: CameraModel
  private let menu: GObjectRef
  private var observation: ModelObservation?
  private var shown: DeviceList?
  private var shownSizes: [Size] = []
  private var shownMicrophones: [MicrophoneModel.Row] = []
  /// The section with the submenu of resolutions.
  private var sizesSection: GObjectRef?

  private typealias Size = (name: String, id: String)

  /// - Parameter menu: A `GMenu`, filled here.
  init(menu: GObjectRef, camera: CameraModel) {
    self.menu = menu
    self.camera = camera
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    let (devices, microphones) = (camera.devices, camera.microphones.rows)
    let sizes = sizes
    let isSame = sizes.map(\.name) == shownSizes.map(\.name) && microphones == shownMicrophones
    guard devices != shown || !isSame else { return }
    (shown, shownSizes, shownMicrophones) = (devices, sizes, microphones)
    // GTK 4.8 keeps the page of a submenu whose section goes as a whole, and complains of the next one.
    if let sizesSection { g_menu_remove_all(sizesSection.opaque) }
    g_menu_remove_all(menu.opaque)
    addSection(localized("Camera"), action: "app.select-camera", devices.realCameras.map { ($0.name, $0.id) })
    addSection(nil, action: "app.select-camera", [(localized("Test Camera"), CameraDevice.testID)])
    addSizes(sizes)
    addSection(
      localized("Microphone"), action: "app.select-microphone", microphones.map { ($0.title, $0.choice.reportName) })
    addSection(
      localized("Video Quality"), action: "app.movie-quality",
      RecordingSettings.Quality.allCases.map { ($0.title, $0.rawValue) })
  }

  /// The choices of the camera's resolution; none where there is no choice.
  private var sizes: [Size] {
    let sizes = camera.offeredSizes
    guard !sizes.isEmpty else { return [] }
    return [(camera.title(of: nil), Self.name(of: nil))] + sizes.map { (camera.title(of: $0), Self.name(of: $0)) }
  }

  /// The parameter of the action `resolution`: `1280x720`, or `automatic`, which is no size.
  static func name(of size: PixelSize?) -> String { size.map { "\($0.width)x\($0.height)" } ?? "automatic" }

  private func addSizes(_ sizes: [Size]) {
    guard !sizes.isEmpty, let made = g_menu_new(), let section = g_menu_new() else { return }
    let (submenu, holder) = (GObjectRef(adopting: made), GObjectRef(adopting: section))
    for size in sizes { submenu.appendItem(size.name, action: "app.resolution", target: size.id) }
    g_menu_append_submenu(holder.opaque, localized("_Resolution"), submenu.of(GMenuModel.self))
    g_menu_append_section(menu.opaque, nil, holder.of(GMenuModel.self))
    sizesSection = holder
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
