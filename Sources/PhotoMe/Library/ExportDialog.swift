// The export dialog: preset, format, size, what is removed, and the folder; the same for sending.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Shows an `ExportModel` while it is open.
@MainActor final class ExportDialog {
  /// The `AdwWindow`.
  let window: GObjectRef

  private let interface: Interface
  private let chooser: FolderChooser
  private let dialogs: Dialogs
  /// The bindings of the rows.
  private var rows: [AnyObject] = []

  /// - Throws: `InstallationError` when its file can't be read.
  init(model: ExportModel, data: DataFolder) throws(InstallationError) {
    let interface = try Interface(data.ui("export"))
    self.interface = interface
    window = interface["export"]
    chooser = FolderChooser(window: window)
    dialogs = Dialogs(window: window)
    addRows(model)
    followTexts(model)
    let chooser = chooser
    interface["export_choose_folder"].on("clicked") {
      chooser.askFolder(localized("Choose Export Folder"), accept: localized("_Choose"), beginningAt: model.folder) {
        folder in
        Task { await model.choose(folder: folder) }
      }
    }
    interface["export_save_preset"].on("clicked") { [weak self] in
      self?.dialogs.askTitle(
        localized("Save Export Preset"),
        text: localized("Its format, size and options can be chosen again by its name."),
        answer: localized("_Save")
      ) { model.savePreset($0) }
    }
    interface["export_delete_preset"].on("clicked") { model.deletePreset() }
    interface["export_cancel"].on("clicked") { model.cancel() }
    interface["export_accept"].on("clicked") { Task { await model.export() } }
    window.onQuestion("close-request") {
      // The model closes it.
      model.cancel()
      return true
    }
  }

  func present(over parent: GObjectRef) {
    gtk_window_set_transient_for(window.of(GtkWindow.self), parent.of(GtkWindow.self))
    gtk_window_present(window.of(GtkWindow.self))
    WidgetSearch.nameMadeParts(in: window.widget)
    WidgetSearch.nameMadeLists(in: window.widget)
  }

  func close() { gtk_window_destroy(window.of(GtkWindow.self)) }

  /// Uses a row as a person does; see `Interface.use`.
  func use(_ id: String, _ value: String) -> Bool { interface.use(id, value) }

  private func addRows(_ model: ExportModel) {
    rows = [
      ComboSetting<ExportPresets.Item?>(
        interface["export_preset"], hasLongTitles: true,
        items: { [(nil, localized("None", context: "export preset"))] + model.presets.map { ($0, $0.title) } },
        chosen: { model.preset }, choose: { model.choose($0) }),
      ComboSetting<ExportChoice>(
        interface["export_format"], hasLongTitles: true, items: { model.choices.map { ($0, $0.title) } },
        chosen: { model.choice }, choose: { model.choose($0) }),
      ComboSetting<Int?>(
        interface["export_size"], items: { model.sizes.map { ($0, model.choice.title(ofSize: $0)) } },
        chosen: { model.longestSide }, choose: { model.setSize($0) }),
      SwitchSetting(
        interface["export_location"], isOn: { model.removesLocation }, set: { model.setRemovesLocation($0) }),
      SwitchSetting(interface["export_sound"], isOn: { model.removesSound }, set: { model.setRemovesSound($0) }),
      SwitchSetting(interface["export_names"], isOn: { model.showsNames }, set: { model.setShowsNames($0) }),
      SwitchSetting(interface["export_bursts"], isOn: { model.includesBursts }, set: { model.setIncludesBursts($0) }),
    ]
  }

  private func followTexts(_ model: ExportModel) {
    let (window, heading, note) = (window, interface["export_title"], interface["export_note"])
    let (format, folder) = (interface["export_format"], interface["export_folder"])
    let (choose, accept) = (interface["export_choose_folder"], interface["export_accept"])
    let (saving, deletion) = (interface["export_save_preset"], interface["export_delete_preset"])
    let folders = interface["export_folders"]
    let places = [
      // An empty group would be a line.
      (interface["export_options"], { model.hasLocation || model.hasSound || model.hasBursts || model.hasNames }),
      (interface["export_location_row"], { model.hasLocation }), (interface["export_sound_row"], { model.hasSound }),
      (interface["export_bursts_row"], { model.hasBursts }), (interface["export_names_row"], { model.hasNames }),
    ]
    rows +=
      [
        ModelObservation {
          gtk_window_set_title(window.of(GtkWindow.self), model.title)
          adw_window_title_set_title(heading.opaque, model.title)
        },
        ModelObservation {
          adw_action_row_set_subtitle(format.of(AdwActionRow.self), escapedMarkup(model.choice.explanation))
        },
        ModelObservation {
          gtk_label_set_text(note.opaque, model.note ?? "")
          gtk_widget_set_visible(note.widget, (model.note != nil).gboolean)
        },
        ModelObservation {
          for (row, isShown) in places { gtk_widget_set_visible(row.widget, isShown().gboolean) }
        },
        ModelObservation {
          let text = (model.folderProblem ?? model.folderText).displayed
          adw_action_row_set_subtitle(folder.of(AdwActionRow.self), escapedMarkup(text))
          pm_set_accessible_description(choose.widget, text)
          folder.setClass("error", model.folderProblem != nil)
        },
        ModelObservation { gtk_widget_set_sensitive(accept.widget, model.canExport.gboolean) },
        ModelObservation {
          let isSending = model.purpose == .sending
          gtk_button_set_label(accept.of(GtkButton.self), isSending ? localized("_Send…") : localized("_Export"))
          gtk_widget_set_visible(folders.widget, (!isSending).gboolean)
        },
        ModelObservation { gtk_widget_set_sensitive(deletion.widget, (model.preset?.isOwn == true).gboolean) },
        ModelObservation { gtk_widget_set_sensitive(saving.widget, (model.preset == nil).gboolean) },
      ] as [AnyObject]
  }
}
