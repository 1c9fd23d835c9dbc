// The order in which controls are set, so that automatic ones don't undo or forbid what is set by hand.

/// Decides which values are written to a camera, and in which order.
///
///     let plan = ControlPlan(controls)
///     plan.setting("exposure-absolute", to: 200)      // exposure-auto = 1, then exposure-absolute = 200
public struct ControlPlan: Sendable {
  private let controls: [CameraControl]

  /// - Parameter controls: The controls as they are now.
  public init(_ controls: [CameraControl]) { self.controls = controls }

  private func control(_ id: CameraControl.ID) -> CameraControl? { controls.first { $0.id == id } }

  /// The automatic control that rules another one; `nil` where the camera has none.
  private func ruler(of control: CameraControl) -> CameraControl? {
    control.standard?.automatic.flatMap { self.control($0.rawValue) }
  }

  /// The writes that set one control: what would set it by itself is turned off before.
  ///
  /// - Parameter value: Clamped to what the control can have.
  public func setting(_ id: CameraControl.ID, to value: Int) -> [ControlValue] {
    guard let control = control(id), control.isWritable else { return [] }
    let write = ControlValue(id, control.clamped(value))
    guard let ruler = ruler(of: control), ruler.isAutomatic, ruler.isWritable, let manual = ruler.manualValue else {
      return [write]
    }
    return [ControlValue(ruler.id, manual), write]
  }

  /// The writes that bring back what was set before: automatic controls first, then what they leave to be set by hand.
  /// What the camera has already is left out.
  ///
  /// - Parameter kept: By the controls' ids. Ids that the camera doesn't have are passed over, values are clamped.
  public func applying(_ kept: [CameraControl.ID: Int]) -> [ControlValue] {
    let wanted = controls.filter { $0.isWritable && !$0.isButton && kept[$0.id] != nil }
    func write(_ control: CameraControl) -> ControlValue? {
      guard let value = kept[control.id].map(control.clamped), value != control.value else { return nil }
      return ControlValue(control.id, value)
    }
    let (rulers, others) = (wanted.filter { $0.manualValue != nil }, wanted.filter { $0.manualValue == nil })
    let free = others.filter { control in
      guard var ruler = ruler(of: control) else { return true }
      if let value = kept[ruler.id], ruler.isWritable { ruler.value = ruler.clamped(value) }
      return !ruler.isAutomatic
    }
    return (rulers + free).compactMap(write)
  }

  /// The writes that bring back the defaults. What is set by hand now goes first: once its automatic control is on, it
  /// can't be set anymore.
  ///
  /// Controls that can be set only after these are there for the next call, which ends with none.
  public func resetting() -> [ControlValue] {
    let changed = controls.filter { $0.isWritable && $0.isChanged }
    let manual = changed.filter { $0.manualValue == nil && $0.isActive && !(ruler(of: $0)?.isAutomatic ?? false) }
    let rulers = changed.filter { $0.manualValue != nil }
    return (manual + rulers).map { ControlValue($0.id, $0.clamped($0.defaultValue)) }
  }

  /// What is to be remembered after these writes. Values that an automatic control sets from now on are forgotten.
  public func keeping(_ writes: [ControlValue], in kept: [CameraControl.ID: Int]) -> [CameraControl.ID: Int] {
    var kept = kept
    for write in writes where control(write.id)?.isButton != true {
      kept[write.id] = write.value
      guard var ruler = control(write.id), ruler.manualValue != nil else { continue }
      ruler.value = write.value
      guard ruler.isAutomatic else { continue }
      for manual in ruler.standard?.manuals ?? [] { kept[manual.rawValue] = nil }
    }
    return kept
  }
}
