// One control of a camera: its range, its value, and whether it can be set now.

/// A control that a camera has, as its driver describes it, or one that PhotoMe supplies.
public struct CameraControl: Hashable, Sendable, Identifiable, Codable {
  /// The values that a control takes.
  public enum Kind: Hashable, Sendable, Codable {
    /// 0 or 1.
    case boolean
    /// A whole number in the control's range.
    case integer
    /// One of several named values; drivers leave out numbers that the device doesn't have.
    case menu([MenuItem])
    /// No value: setting it makes the camera do something once.
    case button
  }

  /// A value of a menu.
  public struct MenuItem: Hashable, Sendable, Codable {
    public var value: Int
    public var title: String
    /// The driver's words, where `title` has others.
    public var driverTitle: String?

    public init(value: Int, title: String) { (self.value, self.title) = (value, title) }

    /// An item of a control in plain words.
    ///
    /// - Parameter control: `nil` for one that only its driver knows.
    public init(value: Int, driverTitle: String, of control: StandardControl?) {
      self.value = value
      title = control?.itemTitle(driverTitle) ?? driverTitle
      self.driverTitle = title == driverTitle ? nil : driverTitle
    }
  }

  /// What the driver says of a control at the moment.
  public struct State: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It has no effect now, because an automatic control does its work.
    public static let inactive = State(rawValue: 1)
    /// It can only be read.
    public static let readOnly = State(rawValue: 2)
    /// It can't be set while the camera runs, or while another program holds it.
    public static let grabbed = State(rawValue: 4)
    /// PhotoMe does it to the pictures, because the camera can't.
    public static let software = State(rawValue: 8)
  }

  /// The value that sets off a button.
  public static let pressed = 1

  /// Stable across drivers and kernels: a `StandardControl`'s name, or one made of the driver's name.
  public var id: String
  /// In header case.
  public var title: String
  public var kind: Kind
  public var range: ClosedRange<Int>
  /// The distance of two values, from the range's lower bound; at least 1.
  public var step: Int
  public var defaultValue: Int
  public var value: Int
  public var state: State

  public init(
    id: String, title: String, kind: Kind, range: ClosedRange<Int>, step: Int = 1, defaultValue: Int, value: Int,
    state: State = []
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.range = range
    // Drivers may name any step; one that is larger than the range leads nowhere.
    let extent = UInt(bitPattern: range.upperBound &- range.lowerBound)
    self.step = UInt(clamping: step) > extent ? 1 : max(1, step)
    self.defaultValue = defaultValue
    self.value = value
    self.state = state
  }

  /// The control's meaning; `nil` for one that only its driver knows.
  public var standard: StandardControl? { StandardControl(rawValue: id) }

  /// Whether it can be set, if need be by turning an automatic control off.
  public var isWritable: Bool { state.isDisjoint(with: [.readOnly, .grabbed]) }

  /// Whether setting it has an effect now.
  public var isActive: Bool { isWritable && !state.contains(.inactive) }

  /// Whether it has no value to be kept or reset; setting it makes the camera do something.
  public var isButton: Bool { kind == .button }

  /// Whether it has another value than the camera comes with.
  public var isChanged: Bool { !isButton && value != clamped(defaultValue) }

  public var isSoftware: Bool { state.contains(.software) }

  /// The value that it can have nearest to another one.
  public func clamped(_ value: Int) -> Int {
    switch kind {
    case .button:
      return Self.pressed
    case .boolean:
      return value == 0 ? 0 : 1
    case .menu(let items):
      return items.contains { $0.value == value } ? value : defaultValue
    case .integer:
      let inside = min(max(value, range.lowerBound), range.upperBound)
      guard step > 1 else { return inside }
      // Unsigned, since a range may reach from the smallest Int to the largest.
      let (distance, extent) = (
        UInt(bitPattern: inside &- range.lowerBound), UInt(bitPattern: range.upperBound &- range.lowerBound)
      )
      let below = distance - distance % UInt(step)
      let isNearerAbove = distance - below >= UInt(step) - (distance - below) && extent - below >= UInt(step)
      return range.lowerBound &+ Int(bitPattern: isNearerAbove ? below + UInt(step) : below)
    }
  }

  /// Whether it can have a value.
  public func accepts(_ value: Int) -> Bool {
    if case .menu(let items) = kind { return items.contains { $0.value == value } }
    return clamped(value) == value
  }
}

/// A value for a control.
public struct ControlValue: Hashable, Sendable {
  public var id: CameraControl.ID
  public var value: Int

  public init(_ id: CameraControl.ID, _ value: Int) { (self.id, self.value) = (id, value) }
}
