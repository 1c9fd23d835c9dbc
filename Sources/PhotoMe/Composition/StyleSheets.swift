// The style sheets: light or dark, and high contrast.

import CGtk
import CameraCore
import CameraModels

/// PhotoMe's style sheets on the display, as the chosen appearance and the desktop ask for.
@MainActor final class StyleSheets {
  private let manager: GObjectRef
  private let data: DataFolder
  private let colors = GObjectRef(adopting: gtk_css_provider_new())
  private let contrast = GObjectRef(adopting: gtk_css_provider_new())
  /// The names of the sheets that are loaded.
  private var loaded: (colors: String, contrast: String?) = ("", nil)
  private var observation: ModelObservation?

  /// - Parameter display: The `GdkDisplay` of the windows.
  init(on display: OpaquePointer, data: DataFolder) {
    manager = GObjectRef(retaining: adw_style_manager_get_default())
    self.data = data
    let common = GObjectRef(adopting: gtk_css_provider_new())
    gtk_css_provider_load_from_path(common.of(GtkCssProvider.self), data.style("style"))
    for (place, sheet) in [common, colors, contrast].enumerated() {
      // Of equal ones, GTK would prefer the one that was added last; the numbers say it.
      let priority = guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + guint(place)
      gtk_style_context_add_provider_for_display(display, sheet.opaque, priority)
    }
    for property in ["dark", "high-contrast"] { manager.onChange(of: property) { [weak self] in self?.update() } }
    update()
  }

  /// Follows the appearance that is chosen.
  func follow(_ window: WindowModel) {
    observation = ModelObservation(of: { window.appearance }) { [manager] appearance in
      adw_style_manager_set_color_scheme(manager.opaque, Self.scheme(of: appearance))
    }
  }

  private static func scheme(of appearance: Appearance) -> AdwColorScheme {
    switch appearance {
    case .system: ADW_COLOR_SCHEME_DEFAULT
    case .light: ADW_COLOR_SCHEME_FORCE_LIGHT
    case .dark: ADW_COLOR_SCHEME_FORCE_DARK
    }
  }

  private func update() {
    let name = adw_style_manager_get_dark(manager.opaque) != 0 ? "style-dark" : "style-light"
    if name != loaded.colors {
      loaded.colors = name
      gtk_css_provider_load_from_path(colors.of(GtkCssProvider.self), data.style(name))
    }
    let extra = adw_style_manager_get_high_contrast(manager.opaque) != 0 ? "style-high-contrast" : nil
    guard extra != loaded.contrast else { return }
    loaded.contrast = extra
    let provider = contrast.of(GtkCssProvider.self)
    if let extra {
      gtk_css_provider_load_from_path(provider, data.style(extra))
    } else {
      gtk_css_provider_load_from_data(provider, "", 0)
    }
  }
}
