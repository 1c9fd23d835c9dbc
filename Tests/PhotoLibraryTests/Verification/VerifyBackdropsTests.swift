// Verifying mattes and backdrops.

import CameraCore
import Foundation
import PhotoEffects
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct VerifyBackdropsTests {
  private let scratch: Scratch
  private var hidden: URL { scratch.pictures.appendingPathComponent(".photome") }

  init() throws { scratch = try Scratch() }

  @Test("A damaged matte is told, and one that no edit needs")
  func mattes() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let size = try await library.contentEditingInput(for: asset.id) { _ in true }.size
    let matte = RampMattes.matte(of: size)
    try await library.editPhoto(asset.id, shade: 10, mattes: StillMattes(found: matte, rendered: matte))
    #expect(try await library.verify().isClean)
    let url = hidden.appendingPathComponent("mattes/\(asset.id).png")
    let bytes = try Data(contentsOf: url)
    // A byte that the disk has lost; the end; all of it.
    var flipped = bytes
    flipped[bytes.count / 2] ^= 0x10
    for damaged in [flipped, Data(bytes.dropLast(20)), Data()] {
      try damaged.write(to: url)
      let found = try await library.verify()
      let kinds = Set(found.problems.map(\.kind))
      #expect(kinds == [.matteDamaged] && found.problems.first?.assetID == asset.id, "\(found.problems)")
    }
    try bytes.write(to: url)
    #expect(try await library.verify().isClean)
    try await library.performChanges { $0.change(.revert(asset.id)) }
    try bytes.write(to: url)
    #expect(try await library.verify().problems.map(\.kind) == [.matteUnused])
  }

  @Test("A damaged backdrop is told, and one that is missing")
  func backdrops() async throws {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    let kept = try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), red: 9))
    let own = try #require(OwnBackdrop(id: kept.id))
    let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: .own(own)))
    try await library.editPhoto(asset.id, shade: 7, recipe: recipe)
    #expect(try await library.verify().isClean)
    let bytes = try Data(contentsOf: kept.url)
    try Data(bytes.dropLast()).write(to: kept.url)
    var found = try await library.verify()
    #expect(found.problems.map(\.kind) == [.backdropDamaged] && found.problems.first?.path == kept.url.path)
    try FileManager.default.removeItem(at: kept.url)
    found = try await library.verify()
    #expect(found.problems.map(\.kind) == [.backdropMissing] && found.problems.first?.assetID == asset.id)
    #expect(found.problems.first?.reason.contains(kept.id) == true)
    // The same picture brings it back.
    try await library.keepBackdrop(.plain(PixelSize(width: 20, height: 10), red: 9))
    #expect(try await library.verify().isClean)
  }
}
