// Export presets in settings that this version can't fully read: none does something else than it says.

import CameraCore
import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite(.timeLimit(.minutes(30))) struct ExportPresetTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-presets-\(UUID().uuidString)")
  private var store: FileSettingsStore { FileSettingsStore(url: folder.appendingPathComponent("settings.json")) }

  private func settings(_ text: String) throws -> AppSettings {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: store.url)
    return try store.load()
  }

  /// The presets as the file has them.
  private func presets() throws -> [String: JSONValue] {
    let values = try #require(JSONValue(parsing: Data(contentsOf: store.url))?.object)
    return try #require(values["exportPresets"]?.object)
  }

  private func end() throws { try FileManager.default.removeItem(at: folder) }

  @Test(arguments: [
    (#""removesLocation": "yes""#, "removesLocation"), (#""longestSide": "800""#, "longestSide"),
    (#""removesSound": 1"#, "removesSound"), (#""includesBursts": {}"#, "includesBursts"),
    (#""format": 7"#, "format"), (#""folder": false, "removesLocation": []"#, "folder, removesLocation"),
  ])
  func aPresetWithAValueThatCannotBeReadIsNotUsed(values: String, keys: String) async throws {
    let text = #"""
      {"exportPresets": {"Web": {\#(values)}, "Mail.removesLocation": {"format": "png"}, "Odd": 7,
       "Next": {"format": "heic2", "fromTheFuture": [1]}}}
      """#
    let settings = try settings(text)
    let before = try presets()
    #expect(settings.exportPresets.keys.sorted() == ["Mail.removesLocation", "Next"])
    #expect(ExportPresets.all(own: settings.exportPresets).allSatisfy { $0.title != "Web" && $0.title != "Odd" })
    let list = keys.split(separator: ", ").map(String.init)
    for name in ["Web", "web"] {
      #expect(throws: ExportPresetError.unreadable(name: "Web", keys: list)) {
        try ExportPresets.named(name, in: settings)
      }
    }
    #expect(ExportPresetError.unreadable(name: "Web", keys: list).description.contains("(\(keys))"))
    #expect(throws: ExportPresetError.unknownFormat(name: "Next", format: "heic2")) {
      try ExportPresets.named("next", in: settings)
    }
    let known = ["Small, for Email", "For the Web", "Mail.removesLocation"]
    #expect(throws: ExportPresetError.missing(name: "Odd", known: known)) {
      try ExportPresets.named("Odd", in: settings)
    }
    #expect(try ExportPresets.named("mail.removesLocation", in: settings).settings.format == "png")
    // They are in the file when others come and go, until one is saved anew.
    let model = SettingsModel(store: store, messages: MessageModel())
    model.update {
      $0.exportPresets["Mine"] = ExportSettings()
      $0.exportPresets["Mail.removesLocation"] = nil
    }
    await model.saved()
    var now = try presets()
    #expect(now.keys.sorted() == ["Mine", "Next", "Odd", "Web"])
    for name in ["Next", "Odd", "Web"] { #expect(now[name] == before[name]) }
    model.update { $0.exportPresets["Web"] = ExportSettings() }
    await model.saved()
    now = try presets()
    #expect(now["Web"]?.object?["removesLocation"] == .bool(false) && now["Odd"] == .integer(7))
    #expect(try ExportPresets.named("web", in: store.load()).settings == ExportSettings())
    try end()
  }

  @Test(arguments: [
    #"{"removesLocation": "yes", "removesSound": 1}"#, #"{"removesLocation": null, "removesSound": []}"#, "7",
  ])
  func whatTheLastExportRemovedIsRemovedWhereItCannotBeRead(value: String) throws {
    let export = try settings(#"{"export": \#(value)}"#).export
    #expect(export.removesLocation && export.removesSound && !export.includesBursts && export.format == "current")
    try end()
  }

  @Test func whatTheLastExportKeptIsKept() throws {
    #expect(try settings(#"{"export": {"format": "png"}}"#).export.removesLocation == false)
    #expect(try settings("{}").export == ExportSettings())
    try end()
  }
}
