// Amounts of pinches and of scrolling, and the zoom that they make.

import Testing

@testable import PhotoMe

@Suite("Gestures of zooming")
struct ZoomGesturesTests {
  @Test("A pinch multiplies the zoom at its beginning, however many steps it comes in")
  func pinch() {
    var gestures = ZoomGestures()
    gestures.pinchBegan(at: 2)
    #expect([1, 1.25, 1.5, 0.5].map { gestures.pinched(by: $0) } == [2, 2.5, 3, 1])
    gestures.pinchBegan(at: 3)
    #expect(gestures.pinched(by: 2) == 6)
  }

  @Test("A pinch before any zoom is one of the whole picture")
  func firstPinch() { #expect(ZoomGestures().pinched(by: 1.5) == 1.5) }

  @Test("A distance that fingers can't have is no zoom", arguments: [0, -1, .infinity, .nan])
  func impossiblePinch(scale: Double) { #expect(ZoomGestures().pinched(by: scale) == nil) }

  @Test("A notch of the wheel is a step at once, downwards a smaller picture")
  func wheel() {
    var gestures = ZoomGestures()
    #expect(gestures.scrolled(by: -1, isPrecise: false) == 1)
    #expect(gestures.scrolled(by: 2, isPrecise: false) == -2)
  }

  @Test("Small moves of two fingers add up to a step, and the next one begins at none")
  func fingers() {
    var gestures = ZoomGestures()
    let part = -ZoomGestures.scrollDistance / 2
    #expect(gestures.scrolled(by: part, isPrecise: true) == nil)
    #expect(gestures.scrolled(by: part, isPrecise: true) == 1)
    #expect(gestures.scrolled(by: part, isPrecise: true) == nil)
    // There and back is nothing.
    #expect(gestures.scrolled(by: -part, isPrecise: true) == nil)
    #expect(gestures.scrolled(by: -3 * part, isPrecise: true) == -1.5)
  }
}
