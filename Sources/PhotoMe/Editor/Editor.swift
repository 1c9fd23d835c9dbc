// The editor's window, over the main one.
//
//     AdwWindow, modal
//     ├ header bar: Cancel, Undo, Redo, menu, Done
//     ├ the last problem
//     └ states ┬ opening
//              ├ failed: why the picture can't be edited
//              └ editing: picture or movie ─ over it: crop or brush, ORIGINAL badge, progress of saving
//                         frames of the movie
//                         pages: effects, adjust, crop, live, person ─ their switcher

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization
import PhotoEffects

/// Shows an `EditModel` while a picture is edited.
@MainActor final class Editor {
  /// The `AdwWindow`.
  let window: GObjectRef

  private let model: EditModel
  private let states: GObjectRef
  private let failure: GObjectRef
  private let failureRevert: GObjectRef
  private let problem: GObjectRef
  private let problemText: GObjectRef
  private let pages: GObjectRef
  private let tools: GObjectRef
  private let saving: GObjectRef
  private let savingText: GObjectRef
  private let stop: GObjectRef
  private let progress: GObjectRef
  private let dialogs: Dialogs
  private let picture: EditorPicture
  private let effects: EffectStrip
  private let adjustments: AdjustmentSliders
  private let crop: CropTools
  private let live: LiveTools
  private let matte: MatteTools
  private let extensions: ExtensionsMenu
  private let presets: PresetsMenu
  private let chooser: FolderChooser
  private let frames: FrameStrip
  private let keys: EditorKeys
  private var observations: [ModelObservation] = []
  private var shownState: String?
  private var shownTab: EditModel.Tab?

  /// - Parameter parent: The main window.
  init(data: DataFolder, model: EditModel, parent: GObjectRef) throws(InstallationError) {
    self.model = model
    pm_preview_view_ensure_type()
    pm_center_scale_ensure_type()
    pm_focus_group_ensure_type()
    let interface = try Interface(data.ui("editor"))
    window = interface["editor"]
    states = interface["editor_states"]
    failure = interface["editor_failure"]
    failureRevert = interface["editor_failure_revert"]
    problem = interface["editor_problem"]
    problemText = interface["editor_problem_text"]
    pages = interface["editor_pages"]
    tools = interface["editor_tools"]
    saving = interface["editor_saving"]
    savingText = interface["editor_saving_text"]
    stop = interface["editor_stop_saving"]
    progress = interface["editor_progress"]
    dialogs = Dialogs(window: window)
    picture = EditorPicture(interface: interface, model: model)
    effects = try EffectStrip(interface: interface, data: data, model: model)
    adjustments = AdjustmentSliders(interface: interface, model: model)
    crop = CropTools(interface: interface, model: model)
    live = LiveTools(interface: interface, model: model)
    matte = MatteTools(interface: interface, model: model)
    presets = PresetsMenu(menu: interface["editor_presets"], model: model)
    chooser = FolderChooser(window: window)
    extensions = ExtensionsMenu(menu: interface["editor_extensions"], model: model)
    frames = FrameStrip(area: interface["frame_strip"], model: model)
    keys = EditorKeys(window: window, canvas: interface["brush_area"], model: model)
    let parentWindow = parent.of(GtkWindow.self)
    gtk_window_set_transient_for(window.of(GtkWindow.self), parentWindow)
    gtk_application_add_window(gtk_window_get_application(parentWindow), window.of(GtkWindow.self))
    gtk_window_set_default_widget(window.of(GtkWindow.self), interface["editor_done"].widget)
    window.onQuestion("close-request") {
      model.cancel()
      return true
    }
    interface["editor_problem_close"].on("clicked") { model.dismissProblem() }
    stop.on("clicked") { model.cancelSaving() }
    pages.onChange(of: "visible-child-name") { [weak self] in self?.pageChanged() }
    observations = [
      ModelObservation { [weak self] in self?.followState() },
      ModelObservation { [weak self] in self?.followTab() },
      ModelObservation { [weak self] in self?.followProblem() },
      ModelObservation(of: { model.asking }) { [weak self] in
        if $0 != nil { self?.ask() } else { self?.dialogs.close() }
      },
    ]
  }

  func present() { gtk_window_present(window.of(GtkWindow.self)) }

  /// Closes the window. This object can't be used afterward.
  func close() {
    observations = []
    picture.stop()
    gtk_window_destroy(window.of(GtkWindow.self))
  }

  // MARK: Presets

  func askPreset() {
    dialogs.askTitle(
      localized("Save as Preset"), text: localized("Its effect and adjustments can be used for other pictures."),
      answer: localized("_Save")
    ) { [model] in model.savePreset($0) }
  }

  func askImportPreset() {
    chooser.askFile(
      localized("Import Preset"), kind: localized("Presets"), mimeType: EditPreset.mimeType,
      suffix: EditPreset.fileExtension, accept: localized("_Import")
    ) { [model] in model.importPreset($0) }
  }

  func askExportPreset(_ name: String) {
    guard let preset = model.presets.presets.first(where: { $0.name == name }) else { return }
    chooser.askNewFile(localized("Export Preset"), name: preset.fileName, accept: localized("_Export")) { [model] in
      model.exportPreset(name, to: $0)
    }
  }

  func askDeletePreset(_ name: String) {
    dialogs.ask(model.deletionQuestion(preset: name), then: { [model] in model.deletePreset(name) })
  }

  // MARK: Following the model

  private func followState() {
    let state = model.state
    var page = "editing"
    switch state {
    case .closed: return
    case .opening: page = "opening"
    case .failed(let text):
      page = "failed"
      adw_status_page_set_description(failure.opaque, escapedMarkup(text))
      failure.nameStatusPage(String(cString: adw_status_page_get_title(failure.opaque)), text)
      gtk_widget_set_visible(failureRevert.widget, model.canRevert.gboolean)
    case .editing: break
    case .saving(let part):
      gtk_label_set_text(savingText.opaque, localized("Saving…"))
      gtk_progress_bar_set_fraction(progress.opaque, part)
    case .reverting:
      if shownState == "failed" || shownState == "opening" { page = "opening" }
      gtk_label_set_text(savingText.opaque, localized("Reverting…"))
      gtk_progress_bar_pulse(progress.opaque)
    }
    gtk_stack_set_visible_child_name(states.opaque, page)
    let isAtWork = if case .saving = state { true } else { state == .reverting }
    gtk_revealer_set_reveal_child(saving.opaque, isAtWork.gboolean)
    gtk_widget_set_sensitive(tools.widget, (!isAtWork).gboolean)
    // Reverting takes a moment and can't be stopped halfway.
    gtk_widget_set_visible(stop.widget, (state != .reverting).gboolean)
    if page == "editing", shownState != page { effects.focus() }
    shownState = page
  }

  private func followTab() {
    let tab = model.tab
    gtk_stack_set_visible_child_name(pages.opaque, tab.rawValue)
    guard tab != shownTab, model.state == .editing else { return }
    shownTab = tab
    // The arrow keys belong to the subject of the page.
    switch tab {
    case .effects: effects.focus()
    case .adjust: adjustments.focus()
    case .crop: picture.focusCrop()
    case .live: frames.focus()
    case .matte: picture.focusBrush()
    }
  }

  private func pageChanged() {
    let name = gtk_stack_get_visible_child_name(pages.opaque).map { String(cString: $0) }
    guard let tab = name.flatMap(EditModel.Tab.init), tab != model.tab else { return }
    model.select(tab: tab)
  }

  private func followProblem() {
    let text = model.problem ?? model.preview.failure ?? model.preview.silence
    if let text { gtk_label_set_text(problemText.opaque, text) }
    gtk_revealer_set_reveal_child(problem.opaque, (text != nil).gboolean)
  }

  private func ask() {
    guard let question = model.question else { return }
    dialogs.ask(
      question, then: { [model] in Task { await model.confirm() } }, otherwise: { [model] in model.dismiss() })
  }
}
