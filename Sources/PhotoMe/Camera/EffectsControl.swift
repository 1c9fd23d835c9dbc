// The effects button with the name of the active effect, and the page of effects in the viewfinder's place.

import CGtk
import CameraCore
import CameraModels
import GtkShim

/// Follows an `EffectsModel`. The page is built when it is first opened.
@MainActor final class EffectsControl {
  /// Called with the number of tiles that show a picture, when it changes.
  var picturesChanged: ((_ count: Int) -> Void)?
  /// Called with each set of the camera's pictures on the page, before they are painted.
  var picturesArrived: (() -> Void)?

  private let camera: CameraModel
  private let model: EffectsModel
  private let data: DataFolder
  private let pages: GObjectRef
  private let holder: GObjectRef
  private let button: GObjectRef
  private let label: GObjectRef
  private let viewfinder: GObjectRef
  private let shutter: GObjectRef
  private let keys = GObjectRef(adopting: gtk_event_controller_key_new())
  private var page: EffectsPage?
  private var isShown = false
  private var observations: [ModelObservation] = []

  init(interface: Interface, camera: CameraModel, model: EffectsModel, data: DataFolder) {
    self.camera = camera
    self.model = model
    self.data = data
    pages = interface["finder_pages"]
    holder = interface["effects_holder"]
    button = interface["effects_button"]
    label = interface["effects_label"]
    viewfinder = interface["viewfinder"]
    shutter = interface["shutter"]
    keys.onKey("key-pressed") { key, _ in
      guard Int32(key) == GDK_KEY_Escape, model.isOpen else { return false }
      model.close()
      return true
    }
    interface["camera_page"].addController(keys)
    // The last picture from before would be seen for a moment when the viewfinder comes back.
    viewfinder.onSize("resized") { [weak self] width, _ in
      if width == 0, self?.isShown == true { self?.viewfinder.clearPicture() }
    }
    observations = [
      ModelObservation { [weak self] in self?.followChoice() },
      ModelObservation(of: { model.isOpen }) { [weak self] in self?.show($0) },
    ]
  }

  private func followChoice() {
    gtk_label_set_text(label.opaque, model.title)
    gtk_widget_set_tooltip_text(button.widget, model.explanation)
    pm_set_accessible_description(button.widget, model.explanation)
    if model.setting == nil {
      gtk_widget_remove_css_class(button.widget, "on")
    } else {
      gtk_widget_add_css_class(button.widget, "on")
    }
  }

  private func show(_ isOpen: Bool) {
    guard isOpen != isShown else { return }
    isShown = isOpen
    guard isOpen else {
      gtk_stack_set_visible_child_name(pages.opaque, "viewfinder")
      gtk_widget_grab_focus(shutter.widget)
      page?.close()
      return
    }
    guard let page = effectsPage(), let session = camera.session else { return model.close() }
    gtk_stack_set_visible_child_name(pages.opaque, "effects")
    page.open(frame: session.format.size)
  }

  private func effectsPage() -> EffectsPage? {
    if let page { return page }
    guard let gallery = model.gallery else { return nil }
    do throws(InstallationError) {
      let page = try EffectsPage(data: data, model: model, gallery: gallery)
      page.picturesChanged = { [weak self] in self?.picturesChanged?($0) }
      page.picturesArrived = { [weak self] in self?.picturesArrived?() }
      gtk_box_append(holder.of(GtkBox.self), page.root.widget)
      self.page = page
      return page
    } catch {
      camera.messages.post(error.description)
      return nil
    }
  }
}
