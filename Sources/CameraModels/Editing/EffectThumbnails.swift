// The pictures of the effects in the editor's strip: this very picture, small, with each effect.

import CameraCore
import Observation
import PhotoEffects
import PhotoLibrary

/// Renders thumbnails in the background: first those in sight, then the others.
@MainActor @Observable
public final class EffectThumbnails {
  /// By the effects' identifiers; an empty one is the picture without an effect.
  public private(set) var images: [String: DecodedImage] = [:]

  /// The name of the picture without an effect.
  public nonisolated static let original = ""

  /// Of a thumbnail, in the layout's pixels.
  public nonisolated static let side = 72

  @ObservationIgnored private let worker = PreviewWorker(threadCount: 1)
  @ObservationIgnored private var picture: EditingImage?
  @ObservationIgnored private var look = AdjustmentRecipe()
  @ObservationIgnored private var missing: [String] = []
  @ObservationIgnored private var inSight: [String] = []
  @ObservationIgnored private var work: Task<Void, Never>?
  /// Grows with each picture and look, so that what was begun before is dropped.
  @ObservationIgnored private var generation = 0

  init() {}

  /// Begins with a picture.
  func open(_ picture: EditingImage, recipe: AdjustmentRecipe) {
    self.picture = picture
    begin(Self.look(of: recipe))
  }

  /// The same picture with other adjustments or another geometry. The old thumbnails stay until the new ones are there.
  func follow(_ recipe: AdjustmentRecipe) {
    let new = Self.look(of: recipe)
    if picture != nil, new != look { begin(new) }
  }

  func close() {
    generation += 1
    work?.cancel()
    work = nil
    picture = nil
    images = [:]
    (missing, inSight) = ([], [])
  }

  /// These are in sight, by their identifiers: they come first.
  public func setInSight(_ identifiers: [String]) { inSight = identifiers }

  /// Returns when all are rendered.
  public func finished() async {
    while let work {
      await work.value
      if work == self.work { return }
    }
  }

  private static func look(of recipe: AdjustmentRecipe) -> AdjustmentRecipe {
    var look = recipe.withoutMovieChanges
    look.effect = nil
    return look
  }

  private func begin(_ look: AdjustmentRecipe) {
    self.look = look
    generation += 1
    missing = [Self.original] + Effect.all.map(\.identifier)
    let (mine, before) = (generation, work)
    before?.cancel()
    work = Task { [weak self] in
      await before?.value
      await self?.render(mine)
    }
  }

  private func render(_ mine: Int) async {
    while mine == generation, let picture, let next = takeNext() {
      var recipe = look
      recipe.effect = Effect.all.first { $0.identifier == next }.map { AdjustmentRecipe.EffectSetting($0) }
      // What can't be rendered at all is told by the large picture; the strip then goes without.
      guard let image = try? await worker.thumbnail(recipe, of: picture) else { return }
      if mine == generation { images[next] = image }
    }
  }

  private func takeNext() -> String? {
    guard !missing.isEmpty else { return nil }
    let index = inSight.lazy.compactMap { self.missing.firstIndex(of: $0) }.first ?? 0
    return missing.remove(at: index)
  }
}
