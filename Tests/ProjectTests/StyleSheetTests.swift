// The style sheets define in both looks what they use.

import Foundation
import TestSupport
import Testing

@Suite("Style sheets") struct StyleSheetTests {
  /// The colors of libadwaita that the sheets use without a definition of their own.
  private static let toolkit: Set<String> = [
    "window_fg_color", "success_color", "warning_color", "error_color", "popover_bg_color",
  ]

  private static func sheet(_ name: String) throws -> String {
    try #require(ProjectTree.files(under: "data").first { $0.path == "data/\(name).css" }).text
  }

  private static func defined(_ sheet: String) -> Set<String> {
    Set(sheet.matches(of: /@define-color ([a-z_]+)/).map { String($0.output.1) })
  }

  private static func used(_ sheet: String) -> Set<String> {
    Set(sheet.matches(of: /@([a-z]+(?:_[a-z]+)+)/).map { String($0.output.1) })
  }

  @Test("A color that a sheet uses is defined for light and for dark", arguments: ["style", "style-high-contrast"])
  func colors(name: String) throws {
    let common = try Self.defined(Self.sheet("style"))
    let used = try Self.used(Self.sheet(name))
    #expect(!used.isEmpty)
    for look in ["style-light", "style-dark"] {
      let unknown = try used.subtracting(common).subtracting(Self.toolkit).subtracting(Self.defined(Self.sheet(look)))
      #expect(unknown.isEmpty, "\(look).css lacks \(unknown.sorted())")
    }
  }

  @Test(
    "Text in the accent's color is read on the window's ground of its look", arguments: ["style-light", "style-dark"])
  func contrast(look: String) throws {
    let sheet = try Self.sheet(look)
    func luminance(_ name: String) throws -> Double {
      let match = try #require(sheet.firstMatch(of: try Regex("@define-color \(name) #([0-9a-f]{6});")))
      let number = try #require(match[1].substring.flatMap { UInt32($0, radix: 16) })
      // WCAG 2.1, relative luminance.
      let parts = [16, 8, 0].map { shift -> Double in
        let part = Double(number >> UInt32(shift) & 0xFF) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let both = try [luminance("accent_color"), luminance("window_bg_color")].sorted()
    #expect((both[1] + 0.05) / (both[0] + 0.05) >= 4.5)
  }
}
