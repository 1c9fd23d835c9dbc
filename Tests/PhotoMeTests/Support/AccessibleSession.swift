// A running PhotoMe that is used as with a screen reader: by names, roles and keys.

import Foundation
import TestSupport
import Testing

/// A `PhotoMeSession` on a desktop with an accessibility bus.
final class AccessibleSession {
  let session: PhotoMeSession
  let bus: AccessibilityBus
  private let launcher: ChildProcess
  private var events: AsyncStream<AccessibleEvent>.Iterator

  var photoMe: RunningPhotoMe { session.photoMe }
  var input: InputDriver { session.input }

  /// - Parameters:
  ///   - environment: Added to the desktop's environment.
  ///   - prepare: Called before the program starts.
  init(
    camera: String = "test", status: String = "running", environment: [String: String] = [:],
    prepare: (TestDesktop) async throws -> Void = { _ in }
  ) async throws {
    var started: ChildProcess?
    session = try await PhotoMeSession(
      camera: camera, status: status, environment: ["GTK_A11Y": "atspi"].merging(environment) { $1 }
    ) {
      try await prepare($0)
      started = try await AccessibilityBus.start(on: $0)
    }
    launcher = try #require(started)
    bus = try await AccessibilityBus(on: session.desktop, program: "photome")
    events = bus.events.makeAsyncIterator()
  }

  deinit { launcher.terminate() }

  /// Looks until an object with a role and a name passes a test.
  @discardableResult
  func find(
    _ role: AccessibleRole, _ name: String, where isWanted: (AccessibleObject) -> Bool = { _ in true }
  ) async throws -> AccessibleObject {
    try await find(role) { $0.name == name && isWanted($0) }
  }

  /// The same with a test of the name.
  @discardableResult
  func find(_ role: AccessibleRole, _ isWanted: (AccessibleObject) -> Bool) async throws -> AccessibleObject {
    try await look { tree in tree.objects.first { $0.role == role && isWanted($0) } }
  }

  /// Looks until something is found.
  func look<Found>(_ found: (AccessibleTree) async throws -> Found?) async throws -> Found {
    while true {
      if let result = try await found(bus.tree()) { return result }
      try await Self.pause()
    }
  }

  /// Leaves the program the processor for what is being waited for.
  private static func pause() async throws { try await Task.sleep(nanoseconds: 20_000_000) }

  /// Presses what has a name, once it can be pressed.
  func press(_ role: AccessibleRole = .button, _ name: String) async throws {
    // A menu button is a box with the name around a button with the same one, and only the latter can have the focus.
    let object = try await find(role, name) { $0.isSensitive && ($0.role != .button || $0.states.contains(.focusable)) }
    #expect(try await bus.act(on: object), "\(object)")
  }

  /// Waits until a screen reader is told something that passes a test.
  ///
  /// - Returns: The text.
  @discardableResult
  func hear(_ isWanted: (String) -> Bool) async throws -> String {
    // GTK 4.8 has no announcements: the object with the focus gets the text as its description.
    while let event = await events.next() {
      if event.name == "PropertyChange", event.detail == "accessible-description", let text = event.text, isWanted(text)
      {
        return text
      }
    }
    throw CancellationError()
  }

  func hear(_ text: String) async throws { try await hear { $0 == text } }

  /// Presses a key until the focus is on an object that passes a test.
  ///
  /// - Returns: The objects that had the focus on the way, the wanted one being the last; `nil` when the focus stays
  ///   somewhere for good, or the object isn't reached.
  @discardableResult
  func press(_ key: String, until isWanted: (AccessibleObject) -> Bool) async throws -> [AccessibleObject]? {
    var met: [AccessibleObject] = []
    // Makes all objects, which then tell of the focus.
    _ = try await bus.tree()
    while met.count < Self.mostStops {
      let last = try await bus.focus()
      try await input.press(key)
      guard let next = try await focus(after: last) else {
        Issue.record("\(key) leads from \(met) to nowhere.")
        return nil
      }
      met.append(next)
      if isWanted(next) { return met }
    }
    Issue.record("\(key) leads only to \(met).")
    return nil
  }

  /// No page has as many stops.
  private static let mostStops = 80

  /// The object that has the focus, once that has left another one; `nil` when it stays there.
  private func focus(after last: AccessibleObject?) async throws -> AccessibleObject? {
    // The program answers between its events, and the key is one of them: so many answers later it has been handled.
    for _ in 0..<2_000 {
      if let last, await bus.isFocused(last.path) {
        try await Self.pause()
        continue
      }
      if let focus = try await bus.focus(), focus.path != last?.path { return focus }
      // It may be on an object that is new.
      _ = try await bus.tree()
    }
    return nil
  }

  /// Opens the export dialog, has a test look at it, and closes it.
  func showExport(_ test: (AccessibleTree) async throws -> Void) async throws {
    try await show("ask-export", "export-shown", "cancel-export", test)
  }

  /// The same with the dialog of the date, `ask-date`, or of the place, `ask-place`.
  func showAdjustment(_ action: String, _ test: (AccessibleTree) async throws -> Void) async throws {
    try await show(action, "adjustment-shown", "cancel-adjustment", test)
  }

  private func show(
    _ opening: String, _ report: String, _ closing: String, _ test: (AccessibleTree) async throws -> Void
  ) async throws {
    let count = try await bus.tree().windowCount
    try await photoMe.activate(opening)
    try await photoMe.wait(for: report) { !$0.isEmpty }
    try await test(try await look { $0.windowCount > count ? $0 : nil })
    try await photoMe.activate(closing)
    try await photoMe.wait(for: report, "")
    _ = try await look { $0.windowCount == count ? $0 : nil }
  }

  func end() async throws { try await session.end() }
}
