// Values of controls: limits, steps, texts.

import CameraCore
import Testing

@Suite struct CameraControlTests {
  static func number(
    _ id: String, _ range: ClosedRange<Int>, step: Int = 1, defaultValue: Int = 0, value: Int = 0,
    state: CameraControl.State = []
  ) -> CameraControl {
    CameraControl(
      id: id, title: id.capitalized, kind: .integer, range: range, step: step, defaultValue: defaultValue, value: value,
      state: state)
  }

  @Test func valuesAreClampedToTheRangeAndItsSteps() {
    let control = Self.number("gain", 10...96, step: 10)
    #expect([-5, 14, 15, 20, 94, 95, 99].map(control.clamped) == [10, 10, 20, 20, 90, 90, 90])
    #expect(control.accepts(30) && !control.accepts(31) && !control.accepts(100))
  }

  @Test func theWidestRangesDoNotOverflow() {
    let control = Self.number("wide", .min ... .max, step: 3)
    #expect(control.clamped(.min) == .min)
    #expect(control.clamped(.max) <= .max && control.clamped(.max) > .max - 3)
    #expect(Self.number("wide", .min ... .max).clamped(7) == 7)
  }

  @Test func menusTakeOnlyTheirItems() throws {
    let control = CameraControl(
      id: "exposure-auto", title: "Exposure Mode",
      kind: .menu([.init(value: 1, title: "Manual Mode"), .init(value: 3, title: "Aperture Priority Mode")]),
      range: 0...3, defaultValue: 3, value: 3)
    #expect(control.clamped(2) == 3 && control.clamped(1) == 1)
    #expect(try control.value(from: "manual mode") == 1 && control.value(from: "3") == 3)
    #expect(try control.value(from: "default") == 3)
    let error = #expect(throws: CameraControlError.self) { try control.value(from: "2") }
    #expect(
      error?.description
        == "“exposure-auto” can’t be set to “2”. Possible values: 1 (Manual Mode), 3 (Aperture Priority Mode).")
  }

  @Test func wordsAndNumbersAreRead() throws {
    let number = Self.number("brightness", 0...255, defaultValue: 128)
    #expect(try number.value(from: " 200 ") == 200)
    for text in ["256", "-1", "bright", "", "on"] {
      #expect(throws: CameraControlError.self) { try number.value(from: text) }
    }
    let light = CameraControl(
      id: "focus-auto", title: "Autofocus", kind: .boolean, range: 0...1, defaultValue: 1, value: 1)
    #expect(try ["on", "off", "yes", "0"].map(light.value) == [1, 0, 1, 0])
    #expect(throws: CameraControlError.self) { try light.value(from: "2") }
  }

  @Test func controlsAnswerToNamesInAnyForm() {
    let control = CameraControl(
      id: "white-balance-auto", title: "White Balance, Automatic", kind: .boolean, range: 0...1, defaultValue: 1,
      value: 1)
    for name in ["white-balance-auto", "white_balance_auto", "White Balance Auto", "white_balance_automatic"] {
      #expect(control.answers(to: name))
    }
    #expect(!control.answers(to: "white-balance"))
  }

  @Test func valuesHaveTheirUnits() {
    #expect(Self.number("exposure-absolute", 1...10_000).text(of: 333).hasSuffix("33.3 ms"))
    #expect(Self.number("white-balance-temperature", 2800...6500).text(of: 4600) == "4600 K")
    #expect(Self.number("pan", -36_000...36_000, step: 3600).text(of: -7200) == "-2°")
    #expect(Self.number("pan", -10...10).text(of: 3) == "3")
    #expect(Self.number("zoom", 100...500).text(of: 150) == "1.5×")
    #expect(Self.number("gain", 0...100_000).text(of: 12_345) == "12345")
  }

  @Test func zoomIsAFactor() {
    let ratio = ZoomScale(Self.number("zoom", 100...500, step: 10))
    #expect(ratio.maximum == 5 && ratio.factor(of: 150) == 1.5 && ratio.value(of: 2.02) == 200)
    #expect(ratio.value(of: 0.1) == 100 && ratio.value(of: 90) == 500 && ratio.value(of: .nan) == 100)
    let steps = ZoomScale(Self.number("zoom", 0...60))
    #expect(steps.factor(of: 0) == 1 && steps.factor(of: 60) == 4 && steps.value(of: 2.5) == 30)
    #expect(ZoomScale(Self.number("zoom", 0...0)).maximum == 1)
  }
}
