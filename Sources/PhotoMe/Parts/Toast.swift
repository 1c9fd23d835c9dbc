// A toast with a text of several lines, which can change and be dismissed at any time.

import CGtk
import CameraCore
import GtkShim
import Localization

/// An `AdwToast` and the label in it.
///
/// libadwaita 1.2 frees a toast 300 ms after its dismissal. One that replaces another takes 500 ms to appear, and the end of
/// that animation finds it freed. So `dismiss` waits until the toast has appeared.
@MainActor final class Toast {
  private let toast: GObjectRef
  /// Whether it is neither shown nor queued anymore.
  private var isGone = false
  /// Called once when it is gone.
  var gone: (() -> Void)?

  private let label: GObjectRef
  private var buttonLabel: String?
  private var appeared: MonotonicTime?

  /// The longest animation of its appearance is 500 ms.
  private static let appearing = TimeSpan.milliseconds(600)
  private static let newFor = TimeSpan.milliseconds(2_000)
  /// A toast's margins, padding and close button, in pixels.
  private static let frameWidth = 130.0
  /// The padding of its button and the space before it.
  private static let buttonFrameWidth = 50.0

  /// - Returns: `nil` when GTK makes none.
  init?(_ text: String) {
    let text = Self.title(text)
    guard let made = adw_toast_new(""), let line = gtk_label_new(text) else { return nil }
    toast = GObjectRef(adopting: made)
    label = GObjectRef(retaining: line)
    // A toast's own title is a single line and gets ellipsized; ours say what can be done, which takes a few words.
    gtk_label_set_wrap(label.opaque, true.gboolean)
    gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
    gtk_label_set_natural_wrap_mode(label.opaque, GTK_NATURAL_WRAP_NONE)
    adw_toast_set_custom_title(made, label.widget)
    adw_toast_set_timeout(made, Self.readingTime(of: text))
    label.on("map") { [weak self] in
      self?.appeared = .now
      self?.nameButtons()
    }
    // One on a page that is covered isn't mapped before that page is.
    label.onChange(of: "root") { [weak self] in self?.nameButtons() }
    toast.on("dismissed") { [weak self] in self?.forget() }
  }

  /// libadwaita makes the buttons when the toast is shown, and leaves the one that closes it without a name.
  private func nameButtons() {
    guard let holder = gtk_widget_get_parent(label.widget), let shown = gtk_widget_get_parent(holder) else { return }
    WidgetSearch.nameButtonsByLabels(in: shown)
    let last = gtk_widget_get_last_child(shown)
    if let last, WidgetSearch.isInstance(last, of: gtk_button_get_type()) {
      pm_set_accessible_label(last, localized("Dismiss"))
    }
  }

  private func forget() {
    guard !isGone else { return }
    isGone = true
    gone?()
  }

  /// Hands the toast to whoever shows it.
  ///
  /// libadwaita 1.2 chooses the height by the longest line that the text may have, and then a width for that height, however
  /// narrow the window is. So no line may be longer than there is room.
  ///
  /// - Parameters:
  ///   - widget: What it is shown over, whose width it fits into.
  ///   - add: Takes over the reference that it gets.
  func show(over widget: GObjectRef, by add: (OpaquePointer) -> Void) {
    let room = Double(Self.expectedWidth(of: widget.widget)) - Self.frameWidth
    let line = (room - (buttonLabel.map { width(of: $0) + Self.buttonFrameWidth } ?? 0)) / characterWidth
    gtk_label_set_max_width_chars(label.opaque, gint(max(10, min(60, line))))
    g_object_ref(toast.address)
    add(toast.opaque)
  }

  /// The width of a widget. A page that has just been made has none yet, and gets that of its window; a window that isn't on
  /// the screen yet gets its default size.
  private static func expectedWidth(of widget: UnsafeMutablePointer<GtkWidget>) -> gint {
    let width = gtk_widget_get_width(widget)
    guard width <= 0, let window = gtk_widget_get_ancestor(widget, gtk_window_get_type()) else { return width }
    let shown = gtk_widget_get_width(window)
    guard shown <= 0 else { return shown }
    var (wanted, height): (gint, gint) = (0, 0)
    gtk_window_get_default_size(
      UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self), &wanted, &height)
    return wanted
  }

  /// Gives the toast a button.
  func setButton(_ label: String, action: String, target: String) {
    buttonLabel = label
    adw_toast_set_button_label(toast.opaque, label)
    adw_toast_set_action_name(toast.opaque, action)
    adw_toast_set_action_target_value(toast.opaque, g_variant_new_string(target))
  }

  /// Whether it has most of its time still.
  var isNew: Bool { appeared.map { .now - $0 < Self.newFor } ?? true }

  private func width(of text: String) -> Double { Double(text.count) * characterWidth }

  /// The width of a character as GtkLabel counts them, in pixels.
  private var characterWidth: Double {
    guard let metrics = pango_context_get_metrics(gtk_widget_get_pango_context(label.widget), nil, nil) else {
      return 8
    }
    defer { pango_font_metrics_unref(metrics) }
    let widths = [
      pango_font_metrics_get_approximate_char_width(metrics), pango_font_metrics_get_approximate_digit_width(metrics),
    ]
    return max(1, Double(widths.max() ?? 0) / Double(PANGO_SCALE))
  }

  /// Replaces the text of a toast that is shown or queued.
  func setText(_ text: String) { gtk_label_set_text(label.opaque, Self.title(text)) }

  /// A single sentence has no period, as the titles of toasts; of several, each has its own.
  nonisolated static func title(_ text: String) -> String {
    guard let last = text.last, ".。".contains(last) else { return text }
    let rest = text.dropLast()
    return rest.contains(where: { "?!…。".contains($0) }) || rest.contains(". ") ? text : String(rest)
  }

  /// Takes the toast away.
  func dismiss() {
    guard !isGone else { return }
    // One that is queued has no animation yet.
    guard let appeared else { return adw_toast_dismiss(toast.opaque) }
    let rest = Self.appearing - (.now - appeared)
    guard rest > .zero else { return adw_toast_dismiss(toast.opaque) }
    _ = MainLoop.after(milliseconds: UInt32(rest.seconds * 1000) + 1) { [weak self] in self?.dismiss() }
  }

  /// The time that a toast stays, in seconds: a moment to notice it, then 15 characters a second.
  private static func readingTime(of text: String) -> UInt32 { UInt32(4 + text.count / 15) }
}
