// The menu of the user's presets.

import CGtk
import CameraModels
import Localization

/// Keeps the editor's submenu up to date with the presets.
@MainActor final class PresetsMenu {
  private let menu: GObjectRef
  private let model: EditModel
  private var observation: ModelObservation?

  /// - Parameter menu: A `GMenu`, filled here.
  init(menu: GObjectRef, model: EditModel) {
    self.menu = menu
    self.model = model
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  private func follow() {
    let names = model.presets.presets.map(\.name)
    g_menu_remove_all(menu.opaque)
    if !names.isEmpty { addSection { Self.add(names, action: "app.edit-preset", to: $0) } }
    addSection {
      g_menu_append($0.opaque, localized("_Save as Preset…"), "app.ask-preset")
      g_menu_append($0.opaque, localized("_Import Preset…"), "app.ask-import-preset")
    }
    guard !names.isEmpty else { return }
    addSection {
      Self.addSubmenu(localized("_Export", context: "presets"), names, action: "app.ask-export-preset", to: $0)
      Self.addSubmenu(localized("_Delete", context: "presets"), names, action: "app.ask-delete-preset", to: $0)
    }
  }

  private func addSection(_ fill: (GObjectRef) -> Void) {
    guard let made = g_menu_new() else { return }
    let section = GObjectRef(adopting: made)
    fill(section)
    g_menu_append_section(menu.opaque, nil, section.of(GMenuModel.self))
  }

  private static func addSubmenu(_ label: String, _ names: [String], action: String, to section: GObjectRef) {
    guard let made = g_menu_new() else { return }
    let submenu = GObjectRef(adopting: made)
    add(names, action: action, to: submenu)
    g_menu_append_submenu(section.opaque, label, submenu.of(GMenuModel.self))
  }

  private static func add(_ names: [String], action: String, to menu: GObjectRef) {
    for name in names { menu.appendItem(escapedMnemonics(name), action: action, target: name) }
  }
}
