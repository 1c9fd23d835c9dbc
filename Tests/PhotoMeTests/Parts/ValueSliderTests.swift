// The texts beside the editor's sliders.

import Testing

@testable import PhotoMe

@Suite("Values of sliders")
struct ValueSliderTests {
  @Test(
    "Numbers have a sign, and none at all has none",
    arguments: [(0.0, "0", "0.00"), (0.004, "0", "0.00"), (0.5, "+50", "+0.50"), (-0.25, "−25", "−0.25")])
  func numbers(value: Double, hundredths: String, places: String) async {
    #expect(await ValueSlider.signed(value * 100) == hundredths)
    #expect(await ValueSlider.signed(value, places: 2) == places)
  }

  @Test("Parts are whole percents", arguments: [(0.0, "0%"), (0.256, "26%"), (1.0, "100%")])
  func percents(part: Double, text: String) async {
    #expect(await ValueSlider.percent(part) == text)
  }
}
