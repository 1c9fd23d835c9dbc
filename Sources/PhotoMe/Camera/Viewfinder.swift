// The viewfinder and what is drawn over it: the LIVE badge, the blink, and the status pages.

import CGtk
import CameraCore
import CameraModels
import EngineInterface
import GtkShim

/// Shows the camera's picture, or a page that explains why there is none.
@MainActor final class Viewfinder {
  /// The time that a camera may take to start before a spinner appears, in milliseconds.
  private static let patience: UInt32 = 300

  /// The viewfinder's size in a window of the default size, in the layout's pixels.
  private static let expectedSize = PixelSize(width: 960, height: 540)

  private let camera: CameraModel
  private let retries: CameraRetryModel
  private let source: any PreviewSource
  private let view: GObjectRef
  private let states: GObjectRef
  private let statusPage: GObjectRef
  private let remedies: GObjectRef
  private let badge: GObjectRef
  private let feed: PreviewFeed
  private let guides: GuidesOverlay
  private let hasSettings: Bool
  private var observations: [ModelObservation] = []
  private var shownPage: StatusPage?
  private let spinner: GObjectRef
  private let startingLabel: GObjectRef
  private let startingRemedy: GObjectRef
  /// Runs while a camera is being started.
  private var patienceTimer: UInt32?
  private var isWaiting = false
  private var (exposuresSeen, blinksSeen) = (0, 0)

  /// Called at each exposure.
  var exposed: (() -> Void)?
  /// Called with each frame of the camera, before it is painted.
  var frameArrived: (() -> Void)?

  init(
    interface: Interface, camera: CameraModel, retries: CameraRetryModel, source: any PreviewSource, hasSettings: Bool
  ) {
    self.camera = camera
    self.retries = retries
    self.source = source
    self.hasSettings = hasSettings
    view = interface["viewfinder"]
    spinner = interface["starting_spinner"]
    startingLabel = interface["starting_label"]
    startingRemedy = interface["starting_remedy"]
    states = interface["states"]
    statusPage = interface["status_page"]
    remedies = interface["remedies"]
    badge = interface["live_badge"]
    feed = PreviewFeed(view: view, source: source)
    guides = GuidesOverlay(interface: interface, camera: camera, view: view)
    // The camera may be faster than the window: a frame of about the right size is ready when the window appears.
    let scale = Int(gtk_widget_get_scale_factor(view.widget))
    source.setTarget(PixelSize(width: Self.expectedSize.width * scale, height: Self.expectedSize.height * scale))
    view.onSize("resized") { [weak self] in self?.feed.resized(width: $0, height: $1) }
    view.on("painted") { [weak self] in self?.feed.painted() }
    view.onTimes("shown") { [weak self] in self?.feed.shown(time: $0, since: $1) }
    feed.willShow = { [weak self] in
      self?.lighten()
      self?.frameArrived?()
    }
    (exposuresSeen, blinksSeen) = (camera.exposureCount, camera.blinkCount)
    observations = [
      ModelObservation { [weak self] in self?.followStatus() },
      ModelObservation { [weak self] in self?.followMirror() },
      ModelObservation { [weak self] in self?.followBadge() },
      ModelObservation(of: { (camera.exposureCount, camera.blinkCount) }) { [weak self] in
        self?.followExposures($0, blinks: $1)
      },
    ]
  }

  /// Reports what is on screen as far as it can be known, because a shot is about to be chosen from it.
  func settle() { pm_preview_view_settle(view.opaque) }

  private func followMirror() { source.setMirrored(camera.isMirrored) }

  private func followBadge() {
    let isRolling = camera.live.rollingCount > 0
    gtk_revealer_set_reveal_child(badge.opaque, isRolling.gboolean)
    // An animation of the style sheet starts a frame sixty times a second, also of an invisible widget.
    if isRolling {
      gtk_widget_add_css_class(badge.widget, "rolling")
    } else {
      gtk_widget_remove_css_class(badge.widget, "rolling")
    }
  }

  private func followExposures(_ count: Int, blinks: Int) {
    guard count != exposuresSeen else { return }
    // A blink while unmapped would be seen later, when the view is mapped again.
    if blinks != blinksSeen, !Motion.isReduced, gtk_widget_get_mapped(view.widget) != 0 {
      pm_preview_view_blink(view.opaque)
    }
    (exposuresSeen, blinksSeen) = (count, blinks)
    exposed?()
  }

  private func followStatus() {
    let (status, isRetrying) = (camera.status, retries.isRetrying)
    let page = StatusPage(
      status, hasSettings: hasSettings, cameraSwitch: camera.cameraSwitch, concealments: camera.concealments)
    guard let page else {
      switch status {
      // The page of the failure stays until there is a picture.
      case .starting where isRetrying, .awaitingPermission where isRetrying, .awaitingPicture where isRetrying: break
      case .starting: wait()
      case .awaitingPermission: wait(forPermission: true)
      case .awaitingPicture(let name): wait(for: name)
      default: endWait(); show("picture")
      }
      return
    }
    endWait()
    view.clearPicture()
    lighten(isForced: true)
    fill(page)
    show("status")
  }

  /// A camera is being started. The last picture of the one before stays, dimmed.
  ///
  /// - Parameter asksPermission: Whether the desktop is asking the person.
  private func wait(forPermission asksPermission: Bool = false) {
    gtk_label_set_text(
      startingLabel.opaque, StatusPage.startingText(camera: nil, asksPermission: asksPermission))
    // The status may change while nothing else does: the same camera is tried in another way.
    guard !isWaiting else { return }
    isWaiting = true
    // Without one, the first frame may come before the word that the camera runs.
    if pm_preview_paintable_has_frame(pm_preview_view_get_paintable(view.opaque)) != 0 {
      pm_preview_view_set_dimmed(view.opaque, true.gboolean)
    }
    gtk_widget_set_visible(startingRemedy.widget, false.gboolean)
    // Most cameras start before anyone would notice a spinner.
    show("picture")
    patienceTimer = MainLoop.after(milliseconds: Self.patience) { [weak self] in
      self?.patienceTimer = nil
      self?.show("starting")
    }
  }

  /// A camera takes longer than most to send its first picture: another one may be the better choice.
  private func wait(for name: String) {
    wait()
    patienceTimer.map(MainLoop.cancel)
    patienceTimer = nil
    gtk_label_set_text(startingLabel.opaque, StatusPage.startingText(camera: name.displayed))
    gtk_widget_set_visible(startingRemedy.widget, true.gboolean)
    show("starting")
  }

  private func endWait() {
    patienceTimer.map(MainLoop.cancel)
    patienceTimer = nil
    isWaiting = false
  }

  /// The first frame of a running camera is about to be shown in place of the dimmed one.
  private func lighten(isForced: Bool = false) {
    if isForced || camera.session != nil { pm_preview_view_set_dimmed(view.opaque, false.gboolean) }
  }

  private func show(_ page: String) {
    gtk_stack_set_visible_child_name(states.opaque, page)
    // Even an invisible spinner makes GTK start a frame sixty times a second.
    gtk_spinner_set_spinning(spinner.opaque, (page == "starting").gboolean)
  }

  private func fill(_ page: StatusPage) {
    guard page != shownPage else { return }
    shownPage = page
    // A camera that rests while another page or window covers it is no news.
    if gtk_widget_get_mapped(view.widget) != 0, camera.status != .interrupted(.suspended) {
      pm_announce("\(page.title). \(page.text)")
    }
    adw_status_page_set_icon_name(statusPage.opaque, page.icon)
    adw_status_page_set_title(statusPage.opaque, escapedMarkup(page.title))
    adw_status_page_set_description(statusPage.opaque, escapedMarkup(page.text))
    statusPage.nameStatusPage(page.title, page.text)
    let box = remedies.of(GtkBox.self)
    while let old = gtk_widget_get_first_child(remedies.widget) { gtk_box_remove(box, old) }
    for (index, remedy) in page.remedies.enumerated() {
      guard let button = gtk_button_new_with_mnemonic(remedy.label) else { continue }
      WidgetSearch.nameByLabel(button)
      gtk_actionable_set_action_name(OpaquePointer(button), remedy.action)
      gtk_widget_add_css_class(button, "pill")
      if index == 0 { gtk_widget_add_css_class(button, "suggested-action") }
      gtk_box_append(box, button)
    }
  }
}
