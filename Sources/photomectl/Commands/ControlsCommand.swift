// `photomectl controls`: the controls of a camera, and those that PhotoMe supplies.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine

struct ControlsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "controls",
    abstract: localized("Lists and sets the controls of a camera: brightness, exposure, focus, zoom, and so on."),
    discussion: localized(
      """
      Without --camera the first real camera is used. Controls are set in the order in which they are given; a control \
      that the camera sets by itself is switched to manual first. What the window remembers of the camera’s own \
      controls isn’t changed. Brightness, contrast, and zoom that the camera lacks are done to the pictures by \
      PhotoMe: brightness and contrast are set here for its window, from its next start on; “capture” and “record” \
      have options for all three.
      """))

  @Option(help: ArgumentHelp(localized("The camera, as “photomectl cameras” names it."), valueName: "id|test"))
  var camera: String?

  @Flag(help: ArgumentHelp(localized("List the controls, after any were set."))) var list = false

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      localized(
        """
        Set a control: a number, on, off, a menu’s item or its number, or “default”; 1 for a button. Can be repeated.
        """),
      valueName: "name=value"))
  var settings: [String] = []

  @Flag(help: ArgumentHelp(localized("Set all controls to their defaults, before others are set."))) var reset = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    for setting in settings {
      guard let equals = setting.firstIndex(of: "="), equals != setting.startIndex else {
        throw ValidationError(localized("“\(setting)” isn’t in the form NAME=VALUE."))
      }
    }
  }

  func run() async throws { try await perform() }

  @MainActor
  private func perform() async throws {
    let engine = CameraEngine()
    let camera = try CameraOptions.camera(self.camera, among: await engine.devices())
    let hardware = try await engine.controls.controls(of: camera)
    let lines = MessageLines()
    let kept = SettingsModel(store: FileSettingsStore.standard, messages: lines.messages)
    var controls = Self.all(hardware, kept.keptControls(of: camera))
    // Of the settings' troubles, only those that matter here.
    if controls.contains(where: \.isSoftware) { lines.tell() }
    // A name that is wrong is known before anything is changed.
    for setting in settings { _ = try Self.write(setting, controls, camera) }
    if reset {
      kept.forget(controls.filter(\.isSoftware).map(\.id), of: camera)
      controls = Self.all(try await engine.controls.reset(camera), kept.keptControls(of: camera))
    }
    for setting in settings {
      let write = try Self.write(setting, controls, camera)
      if controls.contains(where: { $0.id == write.id && $0.isSoftware }) {
        kept.keep([write], among: controls, of: camera)
        controls = Self.all(controls.filter { !$0.isSoftware }, kept.keptControls(of: camera))
      } else {
        let writes = ControlPlan(controls).setting(write.id, to: write.value)
        controls = Self.all(try await engine.controls.set(writes, of: camera), kept.keptControls(of: camera))
      }
      if !list && !output.json { report(write, controls) }
    }
    await kept.saved()
    if controls.contains(where: \.isSoftware) { lines.tell() }
    if output.json { return try printJSON(controls.map(ControlReport.init)) }
    if list || settings.isEmpty && !reset { for control in controls { say(Self.line(control)) } }
  }

  /// The camera's own controls and those that PhotoMe supplies.
  ///
  /// - Parameter kept: The values that the window remembers for the camera.
  static func all(_ hardware: [CameraControl], _ kept: [CameraControl.ID: Int]) -> [CameraControl] {
    hardware
      + SoftwareControl.missing(from: hardware).map { control in
        var control = control
        // Digital zoom isn't kept.
        if control.standard != .zoom, let value = kept[control.id] { control.value = control.clamped(value) }
        return control
      }
  }

  static func write(
    _ setting: String, _ controls: [CameraControl], _ camera: CameraDevice
  ) throws -> ControlValue {
    let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let (name, value) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    guard let control = controls.first(where: { $0.answers(to: name) }) else {
      throw CameraControlError.unknown(name: name, camera: camera.name, known: controls.map(\.id))
    }
    guard control.isWritable else { throw CameraControlError.notWritable(name: control.id, camera: camera.name) }
    if control.isSoftware, control.standard == .zoom {
      throw CommandError(
        localized(
          """
          “\(camera.displayName)” has no zoom of its own, and digital zoom isn’t kept. Give --zoom to “capture” or \
          “record” instead.
          """))
    }
    return ControlValue(control.id, try control.value(from: value))
  }

  private func report(_ write: ControlValue, _ controls: [CameraControl]) {
    guard let control = controls.first(where: { $0.id == write.id }) else { return }
    say("\(control.id) = \(control.isButton ? write.value : control.value)")
  }

  static func line(_ control: CameraControl) -> String {
    var notes: [String] = []
    if control.state.contains(.readOnly) { notes.append(localized("read only", context: "camera control")) }
    if control.state.contains(.grabbed) { notes.append(localized("in use", context: "camera control")) }
    if control.isSoftware { notes.append(localized("done by PhotoMe", context: "camera control")) }
    if control.state.contains(.inactive) { notes.append(localized("set by the camera", context: "camera control")) }
    let note = notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))"
    if control.isButton { return "\(control.id)  \(control.validValues)\(note)" }
    let values = localized(
      "\(control.validValues); default \(String(control.defaultValue))",
      comment: "{0} is what a control of a camera can be set to")
    return "\(control.id) = \(control.value)  \(values)\(note)"
  }
}

/// A control as `--json` shows it.
struct ControlReport: Encodable {
  struct Item: Encodable {
    var value: Int
    var title: String
  }

  var id: String
  var title: String
  /// `boolean`, `integer`, `menu` or `button`.
  var kind: String
  var value: Int
  var defaultValue: Int
  var minimum: Int
  var maximum: Int
  var step: Int
  /// Of a menu.
  var items: [Item]?
  /// Whether setting it has an effect now.
  var isActive: Bool
  var isReadOnly: Bool
  /// Whether PhotoMe does it to the pictures, because the camera can't.
  var isSoftware: Bool

  init(_ control: CameraControl) {
    id = control.id
    title = control.title
    switch control.kind {
    case .button: (kind, items) = ("button", nil)
    case .boolean: (kind, items) = ("boolean", nil)
    case .integer: (kind, items) = ("integer", nil)
    case .menu(let menu): (kind, items) = ("menu", menu.map { Item(value: $0.value, title: $0.title) })
    }
    (value, defaultValue) = (control.value, control.defaultValue)
    (minimum, maximum, step) = (control.range.lowerBound, control.range.upperBound, control.step)
    (isActive, isReadOnly) = (control.isActive, control.state.contains(.readOnly))
    isSoftware = control.isSoftware
  }
}
