// The application: command line, actions, window, and closing.

import CGtk
import CameraCore
import CameraModels
import Foundation
import GtkShim
import Localization
import Logging
import MediaEngine

/// PhotoMe on GTK's main loop.
@MainActor final class Application {
  static let id = "io.github.photome.PhotoMe"

  private let application: GObjectRef
  private let actions: Actions
  private let keys: ApplicationKeys
  private let data: DataFolder
  private var opening: Opening?
  private var options = LaunchOptions()
  private var assembly: Assembly?
  private var window: MainWindow?
  private var pictureCommands: PictureCommands?
  private var editCommands: EditCommands?
  private var effectsCommands: EffectsCommands?
  private var preferencesCommands: PreferencesCommands?
  private var historyCommands: HistoryCommands?
  private var movieCommands: MovieCommands?
  private var sleepInhibition: SleepInhibition?
  private var captureCommands: CaptureCommands?
  private var formatCommands: FormatCommands?
  private var controlsCommands: ControlsCommands?
  private var deviceCommands: DeviceCommands?
  private var openingCommands: OpeningCommands?
  private var helpCommands: HelpCommands?
  private var notifications: ShotNotifications?
  private var focus: WindowFocus?
  private let backgroundWork: BackgroundWork
  private var styles: StyleSheets?
  private var observations: [ModelObservation] = []
  private var phase = ProgramPhase()
  /// What is left to the next start, because the program was ending.
  private var late: [StartPurpose] = []
  /// The closings that are waited for.
  private var closingCount = 0
  /// Whether the closing had ended when it was to be called off: the program starts again.
  private var isTooLate = false
  private var restarts = false
  /// The reason why the program could not start, and its dialog.
  private var failure: String?
  private var failureDialog: StartFailure?

  init(data: DataFolder) {
    self.data = data
    application = GObjectRef(
      adopting: adw_application_new(Self.id, G_APPLICATION_HANDLES_OPEN))
    actions = Actions(map: application)
    keys = ApplicationKeys(application: application)
    backgroundWork = BackgroundWork(application: application)
    addOptions()
    application.onChange(of: "is-registered") { [weak self] in self?.registered() }
    application.on("startup") { [weak self] in self?.startUp() }
    application.on("activate") { [weak self] in
      guard self?.activate() == true else { return }
      self?.assembly?.models.navigation.filesWereOpened()
    }
    application.onFiles("open") { [weak self] in self?.start(.files($0)) }
    StartPurpose.addActions(to: actions) { [weak self] in self?.start($0) }
  }

  /// Runs the main loop until the program ends.
  ///
  /// - Returns: The process's exit status.
  func run(_ arguments: [String]) -> Int32 {
    // GTK 4.8 starts OpenGL even for the renderer that draws without it: 60 MB more where that means software rendering.
    if ProcessInfo.processInfo.environment["GSK_RENDERER"] == "cairo" { setenv("GDK_DEBUG", "gl-disable", 0) }
    MainLoop.onUnixSignal(SIGTERM) { [weak self] in self?.quit() }
    MainLoop.onUnixSignal(SIGINT) { [weak self] in self?.quit() }
    let (given, files) = LaunchOptions.parts(of: Array(arguments.dropFirst()))
    options.opensFiles = !files.isEmpty
    var pointers = arguments.map { strdup($0) } + [nil]
    let status = g_application_run(application.of(GApplication.self), Int32(arguments.count), &pointers)
    // The name on the bus is given back by now.
    if phase.startsAgain {
      let line = [arguments.first ?? "photome"] + StartPurpose.arguments(for: late, options: given)
      var again = line.map { strdup($0) } + [nil]
      execv("/proc/self/exe", &again)
    }
    return failure != nil ? 1 : status
  }

  // MARK: The command line

  private func addOptions() {
    LaunchOptions.add(to: application)
    application.onVerdict("handle-local-options") { [weak self] dictionary in
      guard let self, let dictionary else { return -1 }
      if let status = options.read(dictionary.assumingMemoryBound(to: GVariantDict.self)) { return status }
      if !options.request.isEmpty { options.opensFiles = false }
      opening = Assembly.prepare(options)
      return -1
    }
  }

  // MARK: Starting

  /// Whether this is the only PhotoMe on the desktop is known; GTK hasn't started yet. The camera is opened now, before
  /// anything else that takes time: it and the window take equally long, and can be made ready side by side.
  private func registered() {
    let application = application.of(GApplication.self)
    // The end of the registration is told as well.
    guard g_application_get_is_registered(application) != 0 else { return }
    let isService = g_application_get_flags(application).rawValue & G_APPLICATION_IS_SERVICE.rawValue != 0
    if g_application_get_is_remote(application) != 0 {
      // The one that runs shows its window, and does it.
      if !options.request.isEmpty {
        g_action_group_activate_action(
          self.application.opaque, "start-request", g_variant_new_string(options.request.text))
      }
    } else if !isService {
      makeAssembly()
    }
  }

  private func makeAssembly() {
    guard assembly == nil, failure == nil else { return }
    let opening = opening ?? Assembly.prepare(options)
    self.opening = opening
    do { assembly = try Assembly.make(options, data: data, opening: opening) } catch { fail(error) }
  }

  /// GTK has been started.
  private func startUp() {
    guard let display = gdk_display_get_default() else { return }
    let styles = StyleSheets(on: display, data: data)
    if let assembly { styles.follow(assembly.models.window) }
    self.styles = styles
    gtk_icon_theme_add_search_path(gtk_icon_theme_get_for_display(display), data.icons)
    gtk_window_set_default_icon_name(Self.id)
  }

  /// Shows the window, and makes it at the first time.
  ///
  /// - Returns: Whether it is shown; otherwise the program is ending, or can't start.
  @discardableResult
  private func activate() -> Bool {
    switch phase.activated() {
    case .showWindow: break
    case .cancelClosing:
      restarts = false
      if let closing = assembly?.closing, !closing.callOff() { isTooLate = closingCount > 0 }
    case .none: return false
    }
    makeAssembly()
    guard let assembly, failure == nil else {
      showFailure()
      return false
    }
    if let window {
      backgroundWork.end()
      window.present()
      return true
    }
    do throws(InstallationError) {
      let window = try MainWindow(
        models: assembly.models, preview: assembly.preview, data: data, hasSettings: SystemSettings.areInstalled)
      self.window = window
      addActions(assembly.models)
      pictureCommands = PictureCommands(actions: actions, models: assembly.models, window: window, data: data)
      editCommands = EditCommands(actions: actions, models: assembly.models, window: window, data: data)
      preferencesCommands = PreferencesCommands(actions: actions, models: assembly.models, window: window, data: data)
      historyCommands = HistoryCommands(actions: actions, models: assembly.models, window: window)
      controlsCommands = ControlsCommands(
        actions: actions, controls: assembly.models.controls, window: window)
      movieCommands = MovieCommands(
        actions: actions, camera: assembly.models.camera, movies: assembly.models.movies)
      sleepInhibition = SleepInhibition(
        camera: assembly.models.camera, window: window, application: application)
      window.movieControls.follow(assembly.closing)
      captureCommands = CaptureCommands(
        actions: actions, camera: assembly.models.camera, codes: assembly.models.codes, window: window)
      openingCommands = OpeningCommands(actions: actions, models: assembly.models, window: window)
      helpCommands = HelpCommands(
        actions: actions, window: window, data: data, models: assembly.models,
        editor: { [weak self] in self?.editCommands?.window }, restart: { [weak self] in self?.restart() })
      notifications = ShotNotifications(application: application, actions: actions, model: assembly.models.notices)
      deviceCommands = DeviceCommands(actions: actions, camera: assembly.models.camera, window: window)
      formatCommands = FormatCommands(
        actions: actions, camera: assembly.models.camera, movies: assembly.models.movies, window: window)
      effectsCommands = EffectsCommands(
        actions: actions, model: assembly.models.effects, window: window, messages: assembly.models.messages)
      window.exposed = assembly.soundShutter
      window.shutterApproached = assembly.prepareShutterSound
      let (look, notices) = (assembly.windowIsActive, assembly.models.notices)
      window.window.onChange(of: "is-active") { [shell = window.window] in
        if gtk_window_is_active(shell.of(GtkWindow.self)) != 0 { look() }
      }
      focus = WindowFocus { notices.setWindowActive($0) }
      window.window.onQuestion("close-request") { [weak self] in
        self?.leave()
        return true
      }
      gtk_application_add_window(
        application.of(GtkApplication.self), window.window.of(GtkWindow.self))
      window.window.on("map", assembly.windowIsMapped)
      window.present()
      helpCommands?.showWelcome()
      StatisticsReport.watch(window.window)
      assembly.session.start()
      let (windowIsShown, navigation, request) = (assembly.windowIsShown, assembly.models.navigation, options.request)
      Task { await windowIsShown() }
      if !request.isEmpty { Task { await navigation.perform(request) } }
      return true
    } catch {
      fail(error)
      return false
    }
  }

  /// Shows the window and does what a start is for: files of the command line or of the desktop, an action that can start
  /// the program.
  private func start(_ purpose: StartPurpose) {
    if assembly == nil {
      switch purpose {
      // It is performed with the window.
      case .request(let request): options.request = request
      // The camera stays off until its page is in front.
      case .files, .shot: options.opensFiles = options.request.isEmpty
      }
    }
    let isFirst = assembly == nil
    if activate(), let assembly, !isTooLate {
      if case .request = purpose, isFirst { return }
      Task { await purpose.perform(assembly.models) }
    } else if phase.startsAgain || isTooLate {
      late.append(purpose)
    }
  }

  /// Says why the program can't start: in one line for those who started it in a terminal, and in a dialog.
  private func fail(_ error: any Error) {
    let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    FileHandle.standardError.write(Data("photome: \(text)\n".utf8))
    failure = text
    // Before GTK has started, there is no dialog; GLib activates the application once it has.
    if gdk_display_get_default() != nil { showFailure() }
  }

  /// Shows the dialog of the failed start; the program ends with it.
  private func showFailure() {
    if let failureDialog { return failureDialog.present() }
    guard let failure else { return }
    let remedy =
      opening?.choice.origin == .preferences && assembly == nil
      ? StartFailure.Remedy(label: localized("_Use Default Folder")) { [weak self] in self?.useUsualFolder() } : nil
    failureDialog = StartFailure(failure, application: application, remedy: remedy) { [weak self] in self?.endLoop() }
    if failureDialog == nil { endLoop() }
  }

  /// Starts with the usual folder where the chosen one can't be used. The choice stays: its disk may be back at the next start.
  private func useUsualFolder() {
    opening = Opening(of: LibraryFolderChoice(named: nil, remembered: nil))
    (failure, failureDialog) = (nil, nil)
    // The files of the failed start are gone with it: this one shows the camera.
    options.opensFiles = false
    activate()
  }

  // MARK: Actions

  private func addActions(_ models: Models) {
    let camera = models.camera
    actions.add("take-photo") { camera.pressPhoto() }
    actions.addSwitch("toggle-live", isOn: camera.live.isOn) { Task { await camera.live.toggle() } }
    actions.addChoice("select-microphone", chosen: camera.microphones.selected.reportName) { name in
      Task { await camera.microphones.select(MicrophoneChoice(reportName: name)) }
    }
    actions.add("try-again") { Task { await models.retries.tryAgain() } }
    actions.add("open-settings") { SystemSettings.openCameraPanel { camera.messages.post($0) } }
    actions.add("open-selected") { models.navigation.openSelected() }
    actions.add("close-viewer") { models.viewer.close() }
    actions.addSwitch("full-screen", isOn: false) { [weak self] in self?.window?.state.toggleFullScreen() }
    // A state for scripts: whether the bars around the picture are shown, which they aren't always in full screen.
    actions.addReport("bars", text: "shown")
    actions.add("quit") { [weak self] in self?.leave() }
    // States for scripts: the words of the camera's trouble, and of the message that was shown last.
    for report in ["problem", "message", "toasts", "viewing"] { actions.addReport(report, text: "") }
    window?.messageToasts?.changed = { [weak self] in self?.actions.setState("toasts", $0) }
    actions.addReport("status", text: camera.status.reportName)
    for report in ["activity", "pictures"] { actions.addReport(report, text: "0") }
    actions.addReport("pressure", text: camera.pressure.state.level.name)
    keys.set(["<Control>q"], for: "app.quit")
    keys.set(["F11"], for: "app.full-screen")
    keys.set(["F1"], for: "app.help")
    keys.set(["<Control>question"], for: "app.shortcuts")
    keys.set(["<Control>comma"], for: "app.preferences")
    observations = [
      ModelObservation(of: { models.navigation.frontPage }) { [weak self] in
        self?.keys.setLetters(isOnCameraPage: $0 == .camera)
      },
      ModelObservation { [weak self] in
        self?.actions.setState("full-screen", models.window.isFullScreen)
        self?.actions.setState("bars", models.window.showsBars ? "shown" : "hidden")
      },
      ModelObservation { [weak self] in
        self?.actions.setState("toggle-live", camera.live.isOn)
        // Before it is known, a press finds out.
        let isImpossible = if case .unavailable = camera.live.capability { true } else { false }
        self?.actions.setEnabled("toggle-live", !isImpossible && camera.live.rests.isEmpty)
      },
      ModelObservation { [weak self] in
        self?.actions.setState("select-microphone", camera.microphones.selected.reportName)
      },
      ModelObservation { [weak self] in
        self?.actions.setState("status", camera.status.reportName)
        self?.actions.setState("problem", camera.status.error?.description ?? "")
      },
      ModelObservation { [weak self] in self?.actions.setState("message", models.messages.latestText) },
      ModelObservation { [weak self] in
        let count = if case .photo(let inFlight, _) = camera.activity { inFlight } else { 0 }
        self?.actions.setState("activity", "\(count)")
      },
      ModelObservation { [weak self] in
        self?.actions.setState("pressure", camera.pressure.state.level.name)
      },
      // Missing plugins are reported at the start, not at the first shot that needs them.
      ModelObservation(of: { camera.missingParts }) { parts in
        for part in parts { models.messages.post(part.description) }
      },
      ModelObservation { [weak self] in
        self?.actions.setState("pictures", "\(models.strip.items.reduce(0) { $0 + ($1.asset?.groupCount ?? 0) })")
      },
      ModelObservation { [weak self] in
        self?.actions.setEnabled("open-selected", models.navigation.stripAsset != nil)
      },
      ModelObservation { [weak self] in
        self?.actions.setState("viewing", models.viewer.asset?.url.path ?? "")
      },
    ]
  }

  // MARK: Closing

  /// Ends the program, and starts it again with another library.
  private func restart() {
    restarts = true
    leave()
  }

  /// The time that the library may take to close when all is finished, in milliseconds. Beyond that its disk hangs, and
  /// nothing is lost by not waiting for it.
  private static let patienceAtEnd: UInt32 = 20_000

  /// Ends the program, unless a picture is being edited: the editor asks about unsaved changes first, and stops saving.
  private func leave() {
    let editor = assembly?.models.editor
    editor?.cancel()
    if editor?.state ?? .closed == .closed { quit() }
  }

  /// Takes the window away at once, finishes the shots that are under way, and ends the program, unless PhotoMe is
  /// started again meanwhile.
  private func quit() {
    guard let assembly else { return endLoop() }
    guard phase.quit() else { return }
    window?.state.remember()
    if assembly.models.movies.isBusy { finishMovie(assembly.models.movies) } else { hideWindow() }
    Task {
      // A start may have come before this task.
      guard phase.isClosing else { return }
      closingCount += 1
      let outcome = await assembly.closing.close()
      closingCount -= 1
      if outcome == .calledOff, closingCount == 0 { performLate(assembly.models) }
      guard phase.closed(outcome) else { return }
      if restarts { _ = phase.activated() }
      // A start that came too late to cancel the closing has shown it.
      hideWindow()
      if outcome == .finished {
        _ = MainLoop.after(milliseconds: Self.patienceAtEnd) { [weak self] in self?.endLoop() }
        await assembly.models.camera.shutDown()
        await assembly.close()
      }
      endLoop()
    }
  }

  /// Does what seemed to come too late: the program goes on.
  private func performLate(_ models: Models) {
    isTooLate = false
    let purposes = late
    late = []
    Task { for purpose in purposes { await purpose.perform(models) } }
  }

  /// Leaves the window where it is until the movie is finished: that was asked for, takes a moment, and is said in it.
  private func finishMovie(_ movies: MovieModel) {
    Task {
      await movies.stop()
      if phase.isClosing { hideWindow() }
    }
  }

  private func hideWindow() {
    window.map { gtk_widget_set_visible($0.window.widget, false.gboolean) }
    if let messages = assembly?.models.messages { backgroundWork.begin(messages) }
  }

  private func endLoop() { g_application_quit(application.of(GApplication.self)) }
}
