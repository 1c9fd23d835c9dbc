// The texts of the layouts, as translators and assistive technologies get them.

import Foundation
import Testing

@Suite("The layouts")
struct LayoutTests {
  private static let layouts: [(name: String, text: String)] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("data/ui")
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.filter { $0.pathExtension == "ui" }.compactMap { file in
      (try? String(contentsOf: file, encoding: .utf8)).map { (file.lastPathComponent, $0) }
    }
  }()

  @Test("Accessible names have no underscore, and a button with a mnemonic is named by its label alone")
  func accessibleNames() {
    #expect(Self.layouts.count == 14)
    for layout in Self.layouts {
      for name in layout.text.matches(of: #/<accessibility>\s*<property name="label"[^>]*>([^<]*)</#).map(\.1) {
        #expect(!name.contains("_"), "\(layout.name): \(name)")
      }
      // A name of its own would be taken away with the label that has the underscore.
      for button in layout.text.components(separatedBy: "<object class=\"").dropFirst()
      where button.hasPrefix("Gtk") && button.contains("use-underline") {
        #expect(!button.contains("<accessibility>"), "\(layout.name): \(button)")
      }
    }
  }

  @Test("Each text of a layout can be translated")
  func translatable() {
    let shown = #/<(?:property|attribute) name="(?:label|title|subtitle|tooltip-text|placeholder-text)">([^<]*)</#
    for layout in Self.layouts {
      let texts = layout.text.matches(of: shown).map { String($0.1) }
      #expect(texts.isEmpty, "\(layout.name)")
    }
  }
}
