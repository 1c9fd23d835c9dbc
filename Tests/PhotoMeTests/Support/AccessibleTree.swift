// The accessible objects of a program: their names, roles and states.

/// A role, by AT-SPI's number. GTK 4.8 says “push button” of toggle buttons too, and “check box” of switches.
enum AccessibleRole: Int, Sendable {
  case checkBox = 7
  case comboBox = 11
  case dialog = 16
  case frame = 23
  case picture = 27
  case label = 29
  case list = 31
  case listItem = 32
  case menu = 33
  case menuItem = 35
  case panel = 39
  case progressBar = 42
  case button = 43
  case radioButton = 44
  case scrollPane = 49
  case slider = 51
  case cell = 56
  case entry = 79
}

/// States, by AT-SPI's bits.
struct AccessibleStates: OptionSet, Hashable, Sendable {
  let rawValue: UInt64

  /// - Parameter words: As AT-SPI has them, the lower half first.
  init(_ words: [BusValue]) {
    let words = words.map { UInt64($0.number) }
    rawValue = (words.first ?? 0) | (words.dropFirst().first ?? 0) << 32
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }

  static let active = Self(rawValue: 1 << 1)
  static let checked = Self(rawValue: 1 << 4)
  static let focusable = Self(rawValue: 1 << 11)
  static let focused = Self(rawValue: 1 << 12)
  static let modal = Self(rawValue: 1 << 16)
  static let pressed = Self(rawValue: 1 << 20)
  static let selectable = Self(rawValue: 1 << 22)
  static let selected = Self(rawValue: 1 << 23)
  static let sensitive = Self(rawValue: 1 << 24)
  static let visible = Self(rawValue: 1 << 30)
}

/// An accessible object, as it was when it was asked for.
struct AccessibleObject: Sendable, CustomStringConvertible {
  var path: String
  var interfaces: [String]
  var name: String
  /// `nil` for one that isn't listed.
  var role: AccessibleRole?
  var roleNumber: Int
  var text: String
  var states: AccessibleStates

  /// - Parameter item: Of AT-SPI's cache: object, program, parent, index, number of children, interfaces, name, role,
  ///   description, states.
  init(_ item: BusValue) {
    path = item[0][1].string
    interfaces = item[5].children.map(\.string)
    name = item[6].string
    roleNumber = item[7].number
    role = AccessibleRole(rawValue: roleNumber)
    text = item[8].string
    states = AccessibleStates(item[9].children)
  }

  var isFocused: Bool { states.contains(.focused) }
  /// Whether it can be used: a button that can be pressed, a slider that can be moved.
  var isSensitive: Bool { states.contains(.sensitive) }

  /// Whether GTK has named it by its type, for lack of a name.
  var isNamedByType: Bool { name.wholeMatch(of: #/(Gtk|Adw|Pm|Gdk)[A-Z]\w*/#) != nil }

  var description: String { "\(role.map { "\($0)" } ?? "role \(roleNumber)") “\(name)”" }
}

/// The objects of a program, from its windows down.
struct AccessibleTree: Sendable {
  /// From the top, each before its children.
  let objects: [AccessibleObject]
  private let byPath: [String: AccessibleObject]
  private let children: [String: [String]]
  private let parents: [String: String]

  /// - Parameter children: The paths of each object's children. Objects that can't be reached by it are gone.
  init(root: String, objects: [String: AccessibleObject], children: [String: [String]]) {
    byPath = objects
    self.children = children
    var reached: [AccessibleObject] = []
    var parents: [String: String] = [:]
    func visit(_ path: String) {
      if let object = objects[path] { reached.append(object) }
      for child in children[path] ?? [] where parents[child] == nil && child != root {
        parents[child] = path
        visit(child)
      }
    }
    visit(root)
    self.objects = reached
    self.parents = parents
  }

  /// The objects of a role whose name passes a test.
  func all(_ role: AccessibleRole, _ isWanted: (String) -> Bool) -> [AccessibleObject] {
    objects.filter { $0.role == role && isWanted($0.name) }
  }

  func children(of object: AccessibleObject) -> [AccessibleObject] {
    (children[object.path] ?? []).compactMap { byPath[$0] }
  }

  /// Parent, grandparent, and so on up to the window.
  func ancestors(of object: AccessibleObject) -> [AccessibleObject] {
    var found: [AccessibleObject] = []
    var path = parents[object.path]
    while let next = path {
      if let object = byPath[next] { found.append(object) }
      path = parents[next]
    }
    return found
  }

  /// The object and all that it is in, for the text of a failure.
  func line(of object: AccessibleObject) -> String {
    ([object] + ancestors(of: object)).map(\.description).joined(separator: " in ")
  }

  /// The objects of the window with a title.
  func window(_ title: String) -> [AccessibleObject] {
    objects.filter { object in ([object] + ancestors(of: object)).contains { isWindow($0) && $0.name == title } }
  }

  var windowCount: Int { objects.count(where: isWindow) }

  /// Whether an object is a window: a child of the program.
  func isWindow(_ object: AccessibleObject) -> Bool { parents[object.path] == "/org/a11y/atspi/accessible/root" }
}
