// Thumbnails of the current picture with each effect, for the editor's strip.

import CameraCore
import Observation
import PhotoEffects
import PhotoLibrary

/// Renders thumbnails in the background: the visible ones first.
@MainActor @Observable
public final class EffectThumbnails {
  /// By the effects' identifiers; an empty one is the picture without an effect.
  public private(set) var images: [String: DecodedImage] = [:]

  /// The key of the picture without an effect.
  public nonisolated static let original = ""

  /// The side of a thumbnail, in the layout's pixels.
  public nonisolated static let side = 72

  @ObservationIgnored private let worker: PreviewWorker
  @ObservationIgnored private var picture: EditingImage?
  /// The matte that was kept of it.
  @ObservationIgnored private var matte: Matte?
  @ObservationIgnored private var look = AdjustmentRecipe()
  @ObservationIgnored private var backdrop = Backdrop.standard
  @ObservationIgnored private var missing: [String] = []
  @ObservationIgnored private var visible: [String] = []
  @ObservationIgnored private var work: Task<Void, Never>?
  /// Grows with each picture and look, so that outdated results are dropped.
  @ObservationIgnored private var generation = 0

  /// - Parameters:
  ///   - mattes: Tells people from the background; `nil` where nobody does.
  ///   - backdrops: Has the own backdrops; `nil` where there are none.
  init(mattes: (any MatteProvider)? = nil, backdrops: (any BackdropProvider)? = nil) {
    worker = PreviewWorker(threadCount: 1, mattes: mattes, backdrops: backdrops)
  }

  /// Starts with a picture.
  ///
  /// - Parameter matte: That was kept of it; `nil` where it has to be found.
  func open(_ picture: EditingImage, recipe: AdjustmentRecipe, matte: Matte? = nil) {
    (self.picture, self.matte) = (picture, matte)
    backdrop = recipe.effect?.backdrop ?? .standard
    begin(Self.look(of: recipe))
  }

  /// Renders the same picture with other adjustments, another crop or another backdrop. The old thumbnails stay until the new ones are
  /// ready.
  func follow(_ recipe: AdjustmentRecipe) {
    let new = Self.look(of: recipe)
    let backdrop = recipe.effect?.backdrop ?? backdrop
    guard picture != nil, new != look || backdrop != self.backdrop else { return }
    self.backdrop = backdrop
    begin(new)
  }

  func close() {
    generation += 1
    work?.cancel()
    work = nil
    (picture, matte) = (nil, nil)
    images = [:]
    (missing, visible) = ([], [])
  }

  /// Sets the visible effects, by identifier: they are rendered first.
  public func setVisible(_ identifiers: [String]) { visible = identifiers }

  /// Returns when all are rendered.
  public func finished() async {
    while let work {
      await work.value
      if work == self.work { return }
    }
  }

  private static func look(of recipe: AdjustmentRecipe) -> AdjustmentRecipe {
    var look = recipe.withoutMovieChanges
    // What a brush corrects is too small to be seen in a thumbnail.
    (look.effect, look.matteStrokes) = (nil, [])
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
      recipe.effect = Effect.all.first { $0.identifier == next }.map { effect in
        AdjustmentRecipe.EffectSetting(effect, backdrop: effect.hasBackdrop ? backdrop : nil)
      }
      // What can't be rendered is reported by the large preview; the strip goes without its thumbnail.
      guard let image = try? await worker.thumbnail(recipe, of: picture, kept: matte) else { continue }
      if mine == generation { images[next] = image }
    }
  }

  private func takeNext() -> String? {
    guard !missing.isEmpty else { return nil }
    let index = visible.lazy.compactMap { self.missing.firstIndex(of: $0) }.first ?? 0
    return missing.remove(at: index)
  }
}
