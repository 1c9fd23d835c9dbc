// Printing with GTK, which asks the printing portal by itself in a sandbox.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import PhotoLibrary

/// Prints one job at a time over a window.
@MainActor final class PicturePrinting {
  /// Called with the state for scripts: `printing`, then `printed`, `canceled` or `failed`.
  var stateChanged: ((String) -> Void)?

  private let window: GObjectRef
  private let model: PrintModel
  /// The `GtkPrintOperation` of the job that is under way, from its dialog to its end.
  private var operation: GObjectRef?
  /// Whether its pages are on their way.
  private var hasBegun = false
  /// Why a page couldn't be drawn.
  private var failure: String?
  /// The person's settings, until the program ends.
  private var settings: GObjectRef?

  /// - Parameter window: The `GtkWindow` over which the dialogs open.
  init(window: GObjectRef, model: PrintModel) { (self.window, self.model) = (window, model) }

  /// Opens the print dialog, and prints when the person says so. Nothing while another job is under way.
  ///
  /// - Parameter file: Prints into this PDF file instead, without a dialog.
  func print(_ job: PrintJob, into file: URL? = nil) {
    guard operation == nil else { return model.refuse() }
    guard let made = gtk_print_operation_new() else { return }
    let operation = GObjectRef(adopting: made)
    self.operation = operation
    failure = nil
    gtk_print_operation_set_n_pages(made, gint(job.assets.count))
    gtk_print_operation_set_job_name(made, job.title)
    gtk_print_operation_set_unit(made, GTK_UNIT_POINTS)
    gtk_print_operation_set_allow_async(made, true.gboolean)
    gtk_print_operation_set_show_progress(made, true.gboolean)
    gtk_print_operation_set_embed_page_setup(made, true.gboolean)
    if let settings { gtk_print_operation_set_print_settings(made, settings.opaque) }
    if let file { gtk_print_operation_set_export_filename(made, file.path) }
    operation.onPageSetup { page, setup in
      guard let setup else { return }
      gtk_page_setup_set_orientation(
        OpaquePointer(setup),
        job.isLandscape(page: page) ? GTK_PAGE_ORIENTATION_LANDSCAPE : GTK_PAGE_ORIENTATION_PORTRAIT)
    }
    operation.onDrawPage { [weak self] page, context in
      if let context { self?.draw(job.assets[page], on: OpaquePointer(context)) }
    }
    operation.on("status-changed") { [weak self] in
      let stages = [GTK_PRINT_STATUS_PREPARING, GTK_PRINT_STATUS_GENERATING_DATA, GTK_PRINT_STATUS_SENDING_DATA]
      guard let self, let operation = self.operation else { return }
      guard !hasBegun, stages.contains(gtk_print_operation_get_status(operation.of(GtkPrintOperation.self))) else {
        return
      }
      hasBegun = true
      model.began()
    }
    operation.onNumber("done") { [weak self] result in self?.ended(GtkPrintOperationResult(UInt32(result))) }
    stateChanged?("printing")
    // Export into a file runs a main loop of its own until it is done. Started by a Swift task, that would keep the tasks waiting
    // which decode the pictures.
    MainLoop.whenIdle { [weak self] in self?.run(operation, asksFirst: file == nil) }
  }

  private func run(_ operation: GObjectRef, asksFirst: Bool) {
    let action = asksFirst ? GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG : GTK_PRINT_OPERATION_ACTION_EXPORT
    var error: UnsafeMutablePointer<GError>?
    let raw = operation.of(GtkPrintOperation.self)
    let result = gtk_print_operation_run(raw, action, window.of(GtkWindow.self), &error)
    defer { g_clear_error(&error) }
    // Where it couldn't begin, “done” may not have been told.
    guard result == GTK_PRINT_OPERATION_RESULT_ERROR, self.operation === operation else { return }
    end(.failed(reason: error.map { String(cString: $0.pointee.message) } ?? localized("unknown error")))
  }

  /// Draws a page when its picture has been decoded.
  private func draw(_ asset: Asset, on context: OpaquePointer) {
    guard let operation else { return }
    let raw = operation.of(GtkPrintOperation.self)
    gtk_print_operation_set_defer_drawing(raw)
    let width = gtk_print_context_get_width(context)
    let height = gtk_print_context_get_height(context)
    Task {
      // It may have been canceled meanwhile.
      defer { withExtendedLifetime(operation) {} }
      do {
        let picture = try await model.picture(of: asset, onWidth: width, height: height)
        if let cairo = gtk_print_context_get_cairo_context(context) {
          let place = PrintPlacement(of: picture.size, onWidth: width, height: height)
          picture.draw(on: cairo, x: place.x, y: place.y, width: place.width, height: place.height)
        }
      } catch {
        // A page without its picture is a waste of paper, and so would be the others that have to be printed again.
        if failure == nil { failure = error.localizedDescription }
        gtk_print_operation_cancel(raw)
      }
      gtk_print_operation_draw_page_finish(raw)
    }
  }

  private func ended(_ result: GtkPrintOperationResult) {
    guard let operation else { return }
    let raw = operation.of(GtkPrintOperation.self)
    if let failure { return end(.failed(reason: failure)) }
    switch result {
    case GTK_PRINT_OPERATION_RESULT_ERROR:
      var error: UnsafeMutablePointer<GError>?
      gtk_print_operation_get_error(raw, &error)
      let reason = error.map { String(cString: $0.pointee.message) } ?? localized("unknown error")
      g_clear_error(&error)
      end(.failed(reason: reason))
    case GTK_PRINT_OPERATION_RESULT_APPLY:
      settings = Self.kept(gtk_print_operation_get_print_settings(raw))
      end(.printed)
    default: end(.canceled)
    }
  }

  /// The settings without those that are about a single job: its pages, its copies, its file.
  private static func kept(_ settings: OpaquePointer?) -> GObjectRef? {
    guard let settings, let copy = gtk_print_settings_copy(settings) else { return nil }
    for name in ["print-pages", "page-ranges", "page-set", "n-copies", "reverse", "output-uri"] {
      gtk_print_settings_unset(copy, name)
    }
    return GObjectRef(adopting: copy)
  }

  private func end(_ end: PrintModel.End) {
    if let operation {
      // GTK keeps it until the printer has all pages, which may be long after its last signal.
      if hasBegun { operation.whenGone { [model] in model.sent() } }
      // It is in the middle of its signal.
      MainLoop.whenIdle { withExtendedLifetime(operation) {} }
    }
    (operation, hasBegun) = (nil, false)
    model.ended(end)
    stateChanged?(end.reportName)
  }
}

extension PrintModel.End {
  /// The state for scripts.
  fileprivate var reportName: String {
    switch self {
    case .printed: "printed"
    case .canceled: "canceled"
    case .failed: "failed"
    }
  }
}
