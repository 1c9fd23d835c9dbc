// The controls of the running camera: shown, set, and kept for it.

import CameraCore
import EngineInterface
import Localization
import Observation

/// Follows the camera that runs. Its controls are read when it opens, what was set before is applied again, and changes by
/// others are seen.
///
/// A value that is set is shown at once. Where the camera takes its time, only the newest value of each control is sent.
@MainActor @Observable
public final class ControlsModel {
  /// A heading and its controls.
  public struct Group: Equatable, Sendable {
    public var title: String
    public var controls: [CameraControl]
  }

  /// The controls of the camera that runs, those that PhotoMe supplies included; empty where none runs.
  public private(set) var controls: [CameraControl] = []
  /// Why the camera's own controls can't be had, or may differ from what is shown; `nil` where they can, or it has none.
  public private(set) var failure: String?
  /// Grows by one with each zoom step that the user makes on the picture: the moment to show the factor.
  public private(set) var zoomCount = 0

  @ObservationIgnored private let service: any CameraControlService
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var camera: CameraDevice?
  /// Grows with each camera: what an earlier one answers is dropped.
  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var following: Task<Void, Never>?
  /// What the camera said last; `nil` until it could be asked.
  @ObservationIgnored private var said: [CameraControl]?
  @ObservationIgnored private var writing: Task<Void, Never>?
  /// What waits to be sent, in the order of the first request.
  @ObservationIgnored private var pending: [ControlValue] = []
  /// What is being sent.
  @ObservationIgnored private var underWay: Set<CameraControl.ID> = []
  /// Digital zoom as long as the program runs: the next start shows the whole picture.
  @ObservationIgnored private var digitalZoom: [CameraDevice.ID: Int] = [:]

  public init(service: any CameraControlService, settings: SettingsModel, messages: MessageModel) {
    (self.service, self.settings, self.messages) = (service, settings, messages)
  }

  deinit {
    following?.cancel()
    writing?.cancel()
  }

  /// The controls by groups, without empty ones.
  public var groups: [Group] {
    StandardControl.Group.allCases.compactMap { group in
      let members = controls.filter { $0.group == group }
      return members.isEmpty ? nil : Group(title: group.title, controls: members)
    }
  }

  public func control(_ id: CameraControl.ID) -> CameraControl? { controls.first { $0.id == id } }

  /// Whether something differs from what the camera comes with.
  public var canReset: Bool {
    controls.contains { $0.isActive && $0.isChanged }
  }

  /// Why a control can't be set now; `nil` where it can.
  public func explanation(of control: CameraControl) -> String? {
    if control.isActive { return nil }
    if control.state.contains(.readOnly) { return localized("This can’t be changed.") }
    if control.state.contains(.grabbed) { return localized("This can’t be changed while the camera is in use.") }
    guard let ruler = control.standard?.automatic.flatMap({ self.control($0.rawValue) }) else {
      return localized("Set automatically.")
    }
    return localized("Set automatically. Change “\(ruler.title)” to adjust it manually.")
  }

  /// Reads the camera's controls anew: not every driver tells what the camera does by itself. Where they couldn't be had
  /// before, it is tried again.
  public func refresh() {
    guard let camera else { return }
    let generation = generation
    if said != nil {
      Task { await reread(camera, generation) }
    } else if failure != nil {
      following = Task { await self.open(camera, generation) }
    }
  }

  /// Shows what the camera says now. When it can't be asked, what it said last is shown, and why that may be wrong.
  private func reread(_ camera: CameraDevice, _ generation: Int) async {
    do throws(CameraControlError) {
      let now = try await service.controls(of: camera)
      guard generation == self.generation else { return }
      accept(now)
    } catch {
      guard generation == self.generation else { return }
      if let said { accept(said) }
      failure = error.description
    }
  }

  // MARK: Following the camera

  /// The camera that runs now; `nil` for none.
  func follow(_ camera: CameraDevice?) {
    guard camera != self.camera else { return }
    self.camera = camera
    generation += 1
    following?.cancel()
    writing?.cancel()
    (writing, pending, underWay, failure, said, controls) = (nil, [], [], nil, nil, [])
    guard let camera else { return }
    let generation = generation
    following = Task { await self.open(camera, generation) }
  }

  private func open(_ camera: CameraDevice, _ generation: Int) async {
    do throws(CameraControlError) {
      let present = try await service.controls(of: camera)
      guard generation == self.generation else { return }
      accept(present)
      applySoftware(of: camera)
      await applyKept(to: camera, present, generation)
    } catch {
      guard generation == self.generation else { return }
      accept([])
      said = nil
      failure = error.description
      applySoftware(of: camera)
      return
    }
    guard generation == self.generation else { return }
    for await changed in service.changes(of: camera) {
      guard generation == self.generation else { return }
      accept(changed)
    }
  }

  /// Brings back what was set the last time. What one control refuses doesn't keep the others from it.
  private func applyKept(to camera: CameraDevice, _ present: [CameraControl], _ generation: Int) async {
    var refusal: CameraControlError?
    for write in ControlPlan(present).applying(kept(of: camera)) {
      do throws(CameraControlError) {
        let now = try await service.set([write], of: camera)
        guard generation == self.generation else { return }
        accept(now)
      } catch {
        guard generation == self.generation else { return }
        refusal = refusal ?? error
      }
    }
    if let refusal { messages.post(localized("Some camera settings couldn’t be restored. \(refusal.description)")) }
  }

  private func applySoftware(of camera: CameraDevice) {
    let kept = kept(of: camera)
    for index in controls.indices where controls[index].isSoftware {
      let id = controls[index].id
      let value = id == StandardControl.zoom.rawValue ? digitalZoom[camera.id] : kept[id]
      controls[index].value = controls[index].clamped(value ?? controls[index].defaultValue)
    }
    service.setLook(SoftwareControl.look(of: controls), of: camera)
  }

  private func kept(of camera: CameraDevice) -> [CameraControl.ID: Int] {
    settings.keptControls(of: camera)
  }

  private func keep(_ writes: [ControlValue], of camera: CameraDevice) {
    settings.keep(writes, among: controls, of: camera)
  }

  /// Shows what the camera says, but for values that are still on their way to it.
  private func accept(_ hardware: [CameraControl]) {
    said = hardware
    if failure != nil { failure = nil }
    let shown = controls
    var list = hardware
    for index in list.indices where isWaiting(list[index].id) {
      list[index].value = shown.first { $0.id == list[index].id }?.value ?? list[index].value
    }
    let software = SoftwareControl.missing(from: hardware).map { control in
      shown.first { $0.id == control.id && $0.isSoftware } ?? control
    }
    list += software
    // The order of the standard controls holds for PhotoMe's own as well.
    let sorted = list.inDisplayOrder { $0 }
    if sorted != controls { controls = sorted }
  }

  private func isWaiting(_ id: CameraControl.ID) -> Bool {
    underWay.contains(id) || pending.contains { $0.id == id }
  }

  // MARK: Setting

  /// Sets a control, and remembers it for this camera. What the camera would set by itself is taken over by hand.
  ///
  /// - Parameter value: Clamped to what the control can have.
  public func set(_ id: CameraControl.ID, to value: Int) {
    guard let camera, let index = controls.firstIndex(where: { $0.id == id }), controls[index].isWritable,
      !controls[index].isButton
    else { return }
    let value = controls[index].clamped(value)
    guard value != controls[index].value else { return }
    if controls[index].isSoftware {
      controls[index].value = value
      if id == StandardControl.zoom.rawValue {
        digitalZoom[camera.id] = value
      } else {
        keep([ControlValue(id, value)], of: camera)
      }
      return service.setLook(SoftwareControl.look(of: controls), of: camera)
    }
    controls[index].value = value
    send(ControlValue(id, value), to: camera)
  }

  /// Makes the camera do what a button of its driver stands for. Nothing is remembered.
  public func press(_ id: CameraControl.ID) {
    guard let camera, let control = control(id), control.isButton, control.isWritable else { return }
    send(ControlValue(id, CameraControl.pressed), to: camera)
  }

  /// Sends a value as soon as the camera has taken those before.
  private func send(_ value: ControlValue, to camera: CameraDevice) {
    pending.removeAll { $0.id == value.id }
    pending.append(value)
    guard writing == nil else { return }
    let generation = generation
    writing = Task { await self.write(to: camera, generation) }
  }

  /// Sends what waits, until nothing does.
  private func write(to camera: CameraDevice, _ generation: Int) async {
    while generation == self.generation, !pending.isEmpty {
      let next = pending.removeFirst()
      let writes = ControlPlan(controls.filter { !$0.isSoftware }).setting(next.id, to: next.value)
      underWay = [next.id]
      do throws(CameraControlError) {
        let now = try await service.set(writes, of: camera)
        guard generation == self.generation else { return }
        underWay = []
        keep(writes, of: camera)
        accept(now)
      } catch {
        guard generation == self.generation else { return }
        underWay = []
        messages.post(error.description)
        // What was shown isn't so.
        await reread(camera, generation)
      }
    }
    if generation == self.generation { writing = nil }
  }

  /// Returns when everything that was set has reached the camera.
  func settled() async {
    while let writing { await writing.value }
  }

  /// Sets all controls to what the camera comes with, and forgets what was kept for it.
  public func reset() async {
    guard let camera else { return }
    let generation = generation
    pending = []
    await settled()
    guard generation == self.generation else { return }
    var chosen = settings.values.camera(camera.id, among: DeviceList(cameras: [camera]))
    chosen.controls = [:]
    settings.update { $0.cameras[camera.id] = chosen }
    digitalZoom[camera.id] = nil
    applySoftware(of: camera)
    do throws(CameraControlError) {
      let now = try await service.reset(camera)
      guard generation == self.generation else { return }
      accept(now)
      messages.post(localized("The settings of “\(camera.name)” were reset."))
    } catch {
      guard generation == self.generation else { return }
      messages.post(error.description)
      await reread(camera, generation)
    }
  }

  // MARK: Zoom

  /// The factor of one key press or one notch of a wheel.
  public static let zoomStep = 1.1

  private var zoom: (control: CameraControl, scale: ZoomScale)? {
    guard let control = control(StandardControl.zoom.rawValue), control.isWritable else { return nil }
    let scale = ZoomScale(control)
    return scale.maximum > 1 ? (control, scale) : nil
  }

  /// Whether the picture can be enlarged.
  public var canZoom: Bool { zoom != nil }

  /// The enlargement of the picture; 1 is all of it.
  public var zoomFactor: Double { zoom.map { $0.scale.factor(of: $0.control.value) } ?? 1 }

  /// As “1.5×”.
  public var zoomText: String { zoom.map { $0.scale.text(of: $0.control.value) } ?? "" }

  /// Enlarges the picture, or makes it smaller: by the camera's own zoom where it has one, else digitally.
  ///
  /// - Parameter factor: The enlargement, clamped to what there is.
  public func setZoom(_ factor: Double) {
    guard let (control, scale) = zoom else { return }
    zoomCount += 1
    set(control.id, to: scale.value(of: factor))
  }

  /// Zooms by some steps; by at least one value that the camera knows.
  ///
  /// - Parameter steps: Above 0 to enlarge.
  public func zoom(bySteps steps: Double) {
    guard let (control, scale) = zoom, steps != 0, steps.isFinite else { return }
    var factor = scale.factor(of: control.value)
    for _ in 0..<Int(min(abs(steps).rounded(.up), 20)) {
      let part = min(abs(steps), 1)
      factor *= steps > 0 ? 1 + (Self.zoomStep - 1) * part : 1 / (1 + (Self.zoomStep - 1) * part)
    }
    var value = scale.value(of: factor)
    if value == control.value {
      let (next, isBeyond) = control.value.addingReportingOverflow(steps > 0 ? control.step : -control.step)
      value = isBeyond ? value : control.clamped(next)
    }
    zoomCount += 1
    set(control.id, to: value)
  }
}
