// The instant since which a painting is on screen, from what compositors report.

import CGtk
import GtkShim
import Testing

@Suite("Presentation times")
struct PresentationTests {
  /// Times in microseconds: painted at 1,000,000 on a screen that is refreshed every 10,000.
  private func instant(
    isComplete: Bool, presentation: gint64 = 0, nextRefresh: gint64 = 0, isLastLook: Bool = false,
    interval: gint64 = 10_000
  ) -> gint64 {
    var known = PmPresentation(
      painted: 1_000_000, is_complete: isComplete ? 1 : 0, presentation: presentation, next_refresh: nextRefresh,
      refresh_interval: interval)
    return pm_presentation_instant(&known, isLastLook ? 1 : 0)
  }

  @Test("What the compositor reports counts, however late it was")
  func reported() {
    #expect(instant(isComplete: true, presentation: 1_004_500, nextRefresh: 1_004_000) == 1_004_500_000)
    #expect(instant(isComplete: true, presentation: 1_090_000) == 1_090_000_000)
  }

  @Test("While the compositor may still report, nothing is estimated")
  func waiting() {
    #expect(instant(isComplete: false, nextRefresh: 1_004_000) == -1)
    #expect(instant(isComplete: false, nextRefresh: 1_004_000, isLastLook: true) == 1_004_000_000)
  }

  @Test("Without a report it is the next refresh, never the painting itself: nobody has seen the picture by then")
  func estimated() {
    #expect(instant(isComplete: true, nextRefresh: 1_004_000) == 1_004_000_000)
    #expect(instant(isComplete: true) == 1_010_000_000, "no history")
    #expect(instant(isComplete: true, nextRefresh: 1_300_000) == 1_010_000_000, "an old history")
    #expect(instant(isComplete: true, interval: 0) == 1_016_667_000, "a screen that doesn't say")
  }

  @Test("A presentation before the painting isn't believed")
  func impossible() {
    #expect(instant(isComplete: true, presentation: 999_000, nextRefresh: 1_004_000) == 1_004_000_000)
  }
}
