// Mattes of edits: kept beside the originals for as long as the edit needs them.

import CameraCore
import Foundation
import PhotoEffects
import StillCodecs
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct KeptMatteTests {
  private let scratch: Scratch
  private let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch.pictures.path + "/.photome/mattes"
  }

  private func edit(_ library: PhotoLibrary, _ id: Asset.ID, shade: UInt8 = 10, _ matte: Matte?) async throws {
    try await library.editPhoto(id, shade: shade, mattes: matte.map { StillMattes(found: $0, rendered: $0) })
  }

  private func kept(_ library: PhotoLibrary, _ id: Asset.ID) async throws -> Matte? {
    try await library.keptMatte(for: try await library.contentEditingInput(for: id) { _ in true })
  }

  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

  @Test("A matte comes back byte for byte, and goes with the edit")
  func wayAndBack() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let size = try await library.contentEditingInput(for: asset.id) { _ in true }.size
    #expect(try await kept(library, asset.id) == nil)
    let matte = RampMattes.matte(of: size)
    try await edit(library, asset.id, matte)
    #expect(names == ["\(asset.id).png"])
    let again = try #require(try await kept(library, asset.id))
    #expect(again.size == size && again.presence == 1)
    #expect(again.block.withUnsafeBytes { [UInt8]($0) } == matte.block.withUnsafeBytes { [UInt8]($0) })
    let resources = try await library.resources(of: try #require(try await library.asset(id: asset.id)))
    #expect(resources.map(\.kind).contains(.matte))
    // Whoever can't read the edit starts from its result.
    let foreign = try await library.contentEditingInput(for: asset.id) { _ in false }
    #expect(foreign.matte == nil)
    // Another edit has another one, or none.
    try await edit(library, asset.id, shade: 20, RampMattes.matte(of: size, presence: 0.5))
    #expect(try await kept(library, asset.id)?.block.withUnsafeBytes { $0[0] } == 128)
    try await edit(library, asset.id, shade: 30, .nobody(size))
    #expect(names == [], "Another network may find somebody.")
    try await edit(library, asset.id, shade: 35, matte)
    try await edit(library, asset.id, shade: 40, nil)
    #expect(names == [])
    #expect(try await library.verify().isClean)
  }

  @Test("A revert and a removal take it away, the trash keeps it", arguments: ["revert", "delete", "trash"])
  func ends(end: String) async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let size = try await library.contentEditingInput(for: asset.id) { _ in true }.size
    try await edit(library, asset.id, RampMattes.matte(of: size))
    switch end {
    case "revert": try await library.performChanges { $0.change(.revert(asset.id)) }
    case "delete": try await library.performChanges { $0.deletePermanently([asset.id]) }
    default:
      try await library.trash([asset.id])
      #expect(names.count == 1)
      try await library.restore(try await library.trashedAssets())
      #expect(try await kept(library, asset.id)?.presence == 1)
      try await library.trash([asset.id])
      try await library.deletePermanently(try await library.trashedAssets())
    }
    #expect(names == [])
    #expect(try await library.verify().isClean)
  }

  @Test("An edit that needs none may keep that of the edit before")
  func keptOn() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let size = try await library.contentEditingInput(for: asset.id) { _ in true }.size
    try await edit(library, asset.id, RampMattes.matte(of: size))
    for keeps in [true, false] {
      var output = ContentEditingOutput(
        photo: try Samples.jpeg(shade: 50), photoOrigin: .picture(Geometry()),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
      output.keepsMatte = keeps
      var request = AssetChangeRequest(for: asset.id)
      request.contentEditingOutput = output
      let change = request
      try await library.performChanges { $0.change(change) }
      #expect(names.isEmpty == !keeps)
      #expect(try await library.verify().isClean)
    }
  }

  @Test("A private picture has a private matte")
  func permissions() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    #expect(chmod(asset.url.path, 0o600) == 0)
    try await edit(library, asset.id, RampMattes.matte(of: PixelSize(width: 12, height: 9)))
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(asset.id).png")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // Also one that stays as it is.
    #expect(chmod(asset.url.path, 0o640) == 0)
    try await edit(library, asset.id, shade: 77, RampMattes.matte(of: PixelSize(width: 12, height: 9)))
    let changed = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(asset.id).png")
    #expect(changed[.posixPermissions] as? Int == 0o640)
  }

  @Test("A folder in its place doesn’t keep anybody from editing, and one without a picture goes to the trash")
  func obstacles() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try FileManager.default.createDirectory(
      atPath: scratch.pictures.path + "/.photome", withIntermediateDirectories: true)
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder))
    try await edit(library, asset.id, RampMattes.matte(of: PixelSize(width: 12, height: 9)))
    #expect(try await library.asset(id: asset.id)?.isEdited == true)
    #expect(try await kept(library, asset.id) == nil)
  }

  @Test("A file that is no matte of the picture is an error, and an edit replaces it")
  func damage() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let size = try await library.contentEditingInput(for: asset.id) { _ in true }.size
    try await edit(library, asset.id, RampMattes.matte(of: size))
    let url = URL(fileURLWithPath: "\(folder)/\(asset.id).png")
    let whole = try Data(contentsOf: url)
    var broken = whole
    for index in 60..<broken.count - 12 { broken[index] ^= 0x55 }
    let other = try #require(
      PNGEncoder(
        gray: RampMattes.matte(of: PixelSize(width: 200, height: 20)).block, size: PixelSize(width: 200, height: 20))?
        .finish())
    for bad in [Data(), Data("x".utf8), whole.prefix(whole.count / 2), broken, other, try Samples.jpeg(shade: 1)] {
      try bad.write(to: url)
      await #expect(throws: PhotoLibraryError.self) { try await kept(library, asset.id) }
    }
    try await edit(library, asset.id, shade: 99, RampMattes.matte(of: size))
    #expect(try await kept(library, asset.id)?.presence == 1)
  }
}
