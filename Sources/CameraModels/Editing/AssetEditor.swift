// The path of an edit from its recipe to the asset's file.

import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

/// Opens, renders and saves edits of the assets of a library.
///
/// Still and movie are rendered from the untouched original each time, so an edit that is changed ten times loses no
/// more quality than one that is made once. The library takes the result in a single change: a kill at any instant
/// leaves the asset either as it was or edited.
public struct AssetEditor: AssetEditing {
  private let library: PhotoLibrary
  private let renderer: any EditRenderer
  private let mattes: (any MatteProvider)?

  /// The still's share of the progress when there is a movie as well.
  private static let stillShare = 0.1

  /// What is to be said when an animated picture is edited.
  public static var animationNote: String {
    localized("Only the first frame of the animation is edited. Revert brings the animation back.")
  }

  /// - Parameter mattes: Tells people from the background; `nil` where nobody does.
  public init(library: PhotoLibrary, renderer: any EditRenderer, mattes: (any MatteProvider)? = nil) {
    (self.library, self.renderer, self.mattes) = (library, renderer, mattes)
  }

  /// - Throws: `PhotoLibraryError`, `RecipeError`; see `AssetEditing`.
  public func open(_ asset: Asset) async throws -> EditStart {
    let present = try await library.adjustmentData(for: asset.id)
    let recipe = try present.map { try AdjustmentRecipe($0) }
    let input = try await library.contentEditingInput(for: asset.id) { $0 == present }
    return EditStart(input: input, recipe: recipe ?? AdjustmentRecipe(), matte: try await keptMatte(for: input))
  }

  /// - Returns: `nil` also for one that can't be read: it is found again then.
  private func keptMatte(for input: ContentEditingInput) async throws -> Matte? {
    do throws(PhotoLibraryError) { return try await library.keptMatte(for: input) } catch {
      if error == .cancelled { throw CancellationError() }
      return nil
    }
  }

  /// Prepares an asset for editing without its current edit, whoever made that: just the untouched original.
  ///
  /// - Throws: `PhotoLibraryError`.
  public func openOriginal(_ asset: Asset) async throws -> EditStart {
    let input = try await library.contentEditingInput(for: asset.id) { _ in true }
    var recipe = AdjustmentRecipe()
    // What was seen when it was taken is no edit.
    if let present = try await library.adjustmentData(for: asset.id) {
      recipe.hasPerson = (try? AdjustmentRecipe(present))?.hasPerson ?? false
    }
    return EditStart(input: input, recipe: recipe, matte: try await keptMatte(for: input))
  }

  /// - Throws: `CancellationError`, `RecipeError`, `PhotoLibraryError`, or the renderer's error; see `AssetEditing`.
  public func save(
    _ recipe: AdjustmentRecipe, of start: EditStart, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    try recipe.validate()
    let input = start.input
    try check(recipe, for: input)
    if recipe.isNeutral { return try await revert(input.asset) }
    if let own = recipe.ownBackdrop {
      _ = try await Blocking.run { [backdrops = library.backdrops] in try backdrops.source(of: own.id) }
    }
    let plan = RenderPlan(
      recipe: recipe, start: start, renderer: renderer, mattes: mattes, backdrops: library.backdrops)
    let movieWork = try plan.movie()
    let movieShare = movieWork == nil ? 0 : 1 - Self.stillShare
    var output = ContentEditingOutput(photo: nil, adjustmentData: try recipe.libraryData)
    if input.photoRange != nil {
      let still = try await plan.still { progress($0 * (1 - movieShare)) }
      (output.photo, output.losesTransparency) = (still?.data, still?.losesTransparency ?? false)
      output.photoOrigin = plan.photoOrigin
      output.gainMap = plan.gainMap
      output.mattes = still?.mattes
      // It is still that of the original: the next edit may need it again.
      if case .picture = output.photoOrigin { output.keepsMatte = start.matte != nil && still?.mattes == nil }
    }
    progress(1 - movieShare)
    if let work = movieWork {
      try await library.prepareForCapture()
      let movie = try await renderer.movie(of: work.source, edit: work.edit, into: library.movieFolder) {
        progress(1 - movieShare + $0 * movieShare * 0.98)
      }
      output.pairedVideo = movie.url
      output.photoDisplayTime = plan.photoTime.map { movie.displayTime(of: $0) }
    }
    do {
      try Task.checkCancellation()
      // Without it nobody could change the edit.
      if let own = recipe.ownBackdrop { try await library.ensureBackdrop(own.id) }
      let saved = output
      try await library.performChanges {
        $0.change(AssetChangeRequest(for: input.asset.id, contentEditingOutput: saved))
      }
    } catch {
      // If it can't be removed now, the next start does it: the folder is for work in progress.
      if let url = output.pairedVideo { try? FileManager.default.removeItem(at: url) }
      throw error
    }
    progress(1)
  }

  /// - Throws: `PhotoLibraryError`.
  public func revert(_ asset: Asset) async throws {
    try await library.performChanges { $0.change(.revert(asset.id)) }
  }

  public func extensions(for asset: Asset) async -> [EditingExtension] {
    // Reads small files from disk.
    await Task.detached { EditingExtensions().extensions.filter { $0.canEdit(asset) } }.value
  }

  /// - Throws: `CancellationError`, or `PhotoLibraryError`.
  public func edit(
    _ asset: Asset, with extension: EditingExtension, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    do throws(PhotoLibraryError) {
      try await library.edit(asset, with: `extension`, progress: progress)
    } catch {
      if error == .cancelled { throw CancellationError() }
      throw error
    }
  }

  // MARK: Earlier edits

  private static func isOwn(_ adjustment: AdjustmentData) -> Bool {
    adjustment.formatIdentifier == AdjustmentRecipe.formatIdentifier
  }

  /// - Throws: `RecipeError` when the recipe needs something that the asset doesn't have.
  private func check(_ recipe: AdjustmentRecipe, for input: ContentEditingInput) throws {
    guard input.movieRange != nil else {
      if recipe.changesMovie { throw RecipeError.noMovie(file: input.asset.url.lastPathComponent) }
      return
    }
    if input.photoRange == nil, !recipe.redEye.isEmpty {
      throw RecipeError.notStill(file: input.asset.url.lastPathComponent)
    }
    if input.photoRange == nil, recipe.keyPhotoTime != nil || recipe.playbackStyle != .live {
      throw RecipeError.notLive(file: input.asset.url.lastPathComponent)
    }
    guard let duration = input.duration else { return }
    if let time = recipe.keyPhotoTime { try RecipeError.checkTime(time, atMost: duration, of: .keyPhoto) }
    if let trim = recipe.trim { try RecipeError.checkTime(trim.start, atMost: duration, of: .trimStart) }
  }
}

extension AssetEditor: EditRestoring {
  /// Renders an earlier recipe anew, or has the program that made an earlier edit make it again.
  ///
  /// - Throws: `UnrestorableEdit`, or as `save` and `edit`.
  public func restore(
    _ adjustment: AdjustmentData?, of asset: Asset, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    guard let adjustment else { return try await revert(asset) }
    guard !Self.isOwn(adjustment) else {
      let recipe: AdjustmentRecipe
      do {
        recipe = try AdjustmentRecipe(adjustment)
      } catch {
        throw UnrestorableEdit(
          reason: localized("the earlier edit can’t be read: \(error.localizedDescription.asClause)"))
      }
      return try await save(recipe, of: openOriginal(asset), progress: progress)
    }
    let programs = await extensions(for: asset)
    guard let program = programs.first(where: { $0.canHandle(adjustment) }) else {
      throw UnrestorableEdit(
        reason: localized("the app that made the earlier edit (\(adjustment.formatIdentifier)) isn’t installed"))
    }
    try await edit(asset, with: program, progress: progress)
  }
}

/// The renderings that a recipe calls for.
private struct RenderPlan {
  let recipe: AdjustmentRecipe
  let start: EditStart
  let renderer: any EditRenderer
  let mattes: (any MatteProvider)?
  let backdrops: any BackdropProvider

  private var input: ContentEditingInput { start.input }

  private var source: MovieSource? { input.movie }

  /// The still's presentation time in the original movie, in seconds; `nil` without a movie.
  var photoTime: Double? { recipe.keyPhotoTime ?? input.photoDisplayTime }

  private var trim: ClosedRange<Double>? { recipe.trim.map { $0.start...$0.end } }

  /// The processor of the still, or of the movie's frames.
  private func processor(isEven: Bool, _ mattes: (any MatteProvider)?) throws -> FrameProcessor? {
    guard isEven ? recipe.changesFrames : recipe.changesPicture else { return nil }
    var settings = recipe.withoutMovieChanges
    // A movie that is trimmed begins with another frame.
    if isEven { settings.hasPerson = recipe.hasPerson && (trim?.lowerBound ?? 0) == 0 }
    return try FrameProcessor(settings, isEven: isEven, mattes: mattes, backdrops: backdrops)
  }

  /// Of the still. What was kept is of the picture of the input, and not of another frame.
  private var stillMattes: (any MatteProvider)? {
    guard case .picture = photoOrigin, let kept = start.matte else { return mattes }
    return KeptMatteProvider(kept, others: mattes)
  }

  /// The edit of the movie; `nil` when the result has none.
  func movie() throws -> (source: MovieSource, edit: MovieEdit)? {
    guard let source, !recipe.isStillOnly else { return nil }
    let edit = MovieEdit(
      processor: try processor(isEven: true, mattes), trim: trim,
      isMuted: recipe.isMuted || recipe.playbackStyle == .loop,
      isBounced: recipe.playbackStyle == .bounce)
    return (source, edit)
  }

  /// The origin of the still's pixels.
  var photoOrigin: ContentEditingOutput.PhotoOrigin {
    source != nil && (recipe.isStillOnly || recipe.keyPhotoTime != nil) ? .movie : .picture(recipe.geometry)
  }

  /// What the edit leaves true of the original's gain map.
  var gainMap: ContentEditingOutput.GainMapUse {
    guard case .picture = photoOrigin else { return .dropped }
    guard let effect = recipe.effect, effect.intensity > 0 else { return .kept }
    // A map in colors would bring those back that the effect has changed.
    return effect.effect.keepsLight ? .keptIfGray : .dropped
  }

  /// The still; `nil` when the original's is kept bit for bit.
  func still(progress: @escaping @Sendable (Double) -> Void) async throws -> RenderedStill? {
    let processor = try processor(isEven: false, stillMattes)
    if recipe.isStillOnly, let source {
      return try await renderer.longExposure(of: source, trim: trim, processor: processor, progress: progress)
    }
    if let time = recipe.keyPhotoTime, let source {
      return try await renderer.still(of: source, at: time, processor: processor)
    }
    guard let processor, let range = input.photoRange else { return nil }
    return try await renderer.still(
      of: StillSource(url: input.url, byteRange: range, format: input.format, orientation: input.orientation),
      processor: processor,
      time: input.photoDisplayTime ?? 0)
  }
}

extension AdjustmentRecipe {
  /// The recipe as the library stores it.
  var libraryData: AdjustmentData {
    get throws {
      AdjustmentData(
        formatIdentifier: Self.formatIdentifier, formatVersion: Self.formatVersion, data: try data())
    }
  }
}
