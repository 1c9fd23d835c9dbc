// The words of menus, and those that scripts use for their items.

import CameraCore
import Testing

@Suite("Menus of standard controls") struct StandardMenuTests {
  private func menu(_ control: StandardControl?, _ titles: [String]) -> CameraControl {
    CameraControl(
      id: control?.rawValue ?? "own", title: "Menu",
      kind: .menu(titles.enumerated().map { .init(value: $0, driverTitle: $1, of: control) }), range: 0...3,
      defaultValue: 0, value: 0)
  }

  @Test("The kernel's words have plain ones; others stay as the driver says them")
  func words() {
    let exposure = menu(.exposureAuto, ["Auto Mode", "Manual Mode", "Shutter Priority Mode", "Aperture Priority Mode"])
    #expect((0...3).map { exposure.text(of: $0) } == ["Automatic", "Manual", "Shutter Priority", "Aperture Priority"])
    let frequency = menu(.powerLineFrequency, ["Disabled", "50 Hz", "60 Hz", "Auto"])
    #expect((0...3).map { frequency.text(of: $0) } == ["Off", "50 Hz", "60 Hz", "Automatic"])
    #expect(menu(.exposureAuto, ["Night Mode"]).text(of: 0) == "Night Mode")
    #expect(menu(nil, ["Auto Mode"]).text(of: 0) == "Auto Mode")
  }

  @Test("An item is set by its plain words, the driver's, or its number")
  func scripts() throws {
    let exposure = menu(.exposureAuto, ["Auto Mode", "Manual Mode"])
    for text in ["manual", "Manual Mode", " MANUAL ", "1"] { #expect(try exposure.value(from: text) == 1) }
    #expect(throws: CameraControlError.self) { try exposure.value(from: "Shutter Priority") }
  }
}
