// The choices of the shutter's popover, whose rows are in the layout of the window.

import CameraCore
import CameraModels
import Foundation
import Testing

struct ChoiceTitleTests {
  /// The label and the target of each button of an action, in order.
  private func buttons(of action: String) throws -> [[String]] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let layout = try String(contentsOf: root.appendingPathComponent("data/ui/window.ui"), encoding: .utf8)
    let pattern = try Regex(
      #"name="label"[^>]*>([^<]*)</property>[^<]*(?:<property name="[^a][^"]*">[^<]*</property>\s*)*"#
        + #"<property name="action-name">app\."# + action
        + #"</property>\s*<property name="action-target">'([^']*)'"#,
      as: (Substring, Substring, Substring).self)
    return layout.matches(of: pattern).map { [String($0.output.1), String($0.output.2)] }
  }

  @Test("Each choice of an option has a button with its name, in order")
  func buttons() throws {
    #expect(try buttons(of: "countdown") == ShutterDelay.allCases.map { [$0.title, "\($0.rawValue)"] })
    #expect(try buttons(of: "interval") == ShotInterval.allCases.map { [$0.title, "\($0.rawValue)"] })
    #expect(try buttons(of: "interval-count") == ShotCount.allCases.map { [$0.title, "\($0.rawValue)"] })
    #expect(try buttons(of: "booth") == BoothChoice.allCases.map { [$0.title, $0.rawValue] })
    #expect(try buttons(of: "mirror") == MirrorChoice.allCases.map { [$0.title, $0.rawValue] })
    #expect(try buttons(of: "flash") == FlashMode.allCases.map { [$0.title, $0.rawValue] })
    #expect(try buttons(of: "photo-quality") == PhotoQuality.allCases.map { [$0.shortTitle, $0.rawValue] })
    #expect(
      try buttons(of: "movie-quality") == RecordingSettings.Quality.allCases.map { [$0.title, $0.rawValue] })
    #expect(try buttons(of: "guides") == CompositionGuide.allCases.map { [$0.title, $0.rawValue] })
  }
}
