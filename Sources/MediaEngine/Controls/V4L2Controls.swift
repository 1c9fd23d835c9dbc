// The controls of one open V4L2 node.

import CameraCore
import Foundation
import LinuxShim

/// Reads and sets the controls of an open V4L2 node. Every call may hang with the device.
struct V4L2Controls {
  /// A control with what V4L2 calls it.
  struct Entry {
    var control: CameraControl
    var number: UInt32
    var isWide: Bool
  }

  /// The errno of a control that wasn't set.
  struct Refusal: Error {
    var number: Int32
    var message: String { String(cString: strerror(number)) }
  }

  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// All controls that have one number as their value, or are buttons. Those that can't be read are left out: the device doesn't have them.
  func entries() -> [Entry] {
    var entries: [Entry] = []
    var after: UInt32 = 0
    var found = linux_v4l2_control()
    while linux_v4l2_next_control(descriptor, after, &found) == 0, found.id > after {
      after = found.id
      guard var entry = entry(found) else { continue }
      // Vendors may give two controls one name.
      let taken = entries.count {
        $0.control.id == entry.control.id || $0.control.id.hasPrefix("\(entry.control.id)--")
      }
      if taken > 0 { entry.control.id += "--\(taken + 1)" }
      entries.append(entry)
    }
    return entries.inDisplayOrder(of: \.control)
  }

  /// Sets a control.
  ///
  /// - Throws: `Refusal`.
  func set(_ entry: Entry, to value: Int) throws(Refusal) {
    let failure = linux_v4l2_set_control(descriptor, entry.number, entry.isWide ? 1 : 0, Int64(value))
    if failure != 0 { throw Refusal(number: failure) }
  }

  private func entry(_ found: linux_v4l2_control) -> Entry? {
    guard Self.isUsable(found), let kind = kind(found, Self.standard[found.id]) else { return nil }
    let isWide = found.type == V4L2_CTRL_TYPE_INTEGER64.rawValue
    var value: Int64 = 0
    if kind != .button {
      guard linux_v4l2_get_control(descriptor, found.id, isWide ? 1 : 0, &value) == 0 else { return nil }
    }
    let name = withUnsafeBytes(of: found.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let standard = Self.standard[found.id]
    let control = CameraControl(
      id: standard?.rawValue ?? CameraControl.name(from: name), title: standard?.title ?? name, kind: kind,
      range: Int(found.minimum)...Int(found.maximum), step: Int(clamping: found.step),
      defaultValue: Int(found.default_value), value: Int(value), state: Self.state(found.flags))
    return Entry(control: control, number: found.id, isWide: isWide)
  }

  /// Whether a control can be offered: it has one number that can be read and written, or is a button, which the kernel
  /// marks as one that can only be written.
  static func isUsable(_ found: linux_v4l2_control) -> Bool {
    var unusable = V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_HAS_PAYLOAD
    if found.type != V4L2_CTRL_TYPE_BUTTON.rawValue { unusable |= V4L2_CTRL_FLAG_WRITE_ONLY }
    return found.flags & UInt32(unusable) == 0 && found.elements <= 1 && found.minimum <= found.maximum
  }

  private func kind(_ found: linux_v4l2_control, _ standard: StandardControl?) -> CameraControl.Kind? {
    switch v4l2_ctrl_type(found.type) {
    case V4L2_CTRL_TYPE_BUTTON: return .button
    case V4L2_CTRL_TYPE_BOOLEAN: return .boolean
    case V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_INTEGER64: return .integer
    case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU:
      let items = items(of: found, standard)
      return items.isEmpty ? nil : .menu(items)
    default: return nil
    }
  }

  /// No menu is longer; a driver that says so is wrong.
  private static let longestMenu: Int64 = 255

  /// The numbers that the items of a menu can have, by a driver's limits: none where these are wrong.
  static func menuNumbers(from minimum: Int64, through maximum: Int64) -> Range<Int64> {
    let first = max(0, minimum)
    return first..<max(first, min(maximum, longestMenu) + 1)
  }

  private func items(of found: linux_v4l2_control, _ standard: StandardControl?) -> [CameraControl.MenuItem] {
    let isNumeric: Int32 = found.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue ? 1 : 0
    var items: [CameraControl.MenuItem] = []
    for index in Self.menuNumbers(from: found.minimum, through: found.maximum) {
      var name = [CChar](repeating: 0, count: 33)
      // Numbers that the device doesn't have are left out.
      guard linux_v4l2_menu_item(descriptor, found.id, UInt32(index), isNumeric, &name) == 0 else { continue }
      let title = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      items.append(CameraControl.MenuItem(value: Int(index), driverTitle: title, of: standard))
    }
    return items
  }

  private static func state(_ flags: UInt32) -> CameraControl.State {
    var state: CameraControl.State = []
    if flags & UInt32(V4L2_CTRL_FLAG_INACTIVE) != 0 { state.insert(.inactive) }
    if flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0 { state.insert(.readOnly) }
    if flags & UInt32(V4L2_CTRL_FLAG_GRABBED) != 0 { state.insert(.grabbed) }
    return state
  }

  /// The controls of linux/v4l2-controls.h that are known here. The macros compute, which Swift can't read.
  private static let standard: [UInt32: StandardControl] = {
    let (user, camera): (UInt32, UInt32) = (0x0098_0900, 0x009A_0900)
    return [
      user: .brightness, user + 1: .contrast, user + 2: .saturation, user + 3: .hue, user + 12: .whiteBalanceAuto,
      user + 14: .redBalance, user + 15: .blueBalance, user + 16: .gamma, user + 18: .gainAuto, user + 19: .gain,
      user + 24: .powerLineFrequency, user + 25: .hueAuto, user + 26: .whiteBalanceTemperature, user + 27: .sharpness,
      user + 28: .backlightCompensation, camera + 1: .exposureAuto, camera + 2: .exposure,
      camera + 3: .exposurePriority, camera + 8: .pan, camera + 9: .tilt, camera + 10: .focus, camera + 12: .focusAuto,
      camera + 13: .zoom,
    ]
  }()
}
