// Options about an effect beside its name.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine
import PhotoEffects
import PhotoLibrary

/// The part of the picture that an effect changes, and its backdrop.
struct EffectDetailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      localized(
        "The part of the picture that the effect changes: \(EffectDetailOptions.names).",
        comment: "{0} is a list of words that are typed"), valueName: "part"))
  var on: String?
  @Option(
    help: ArgumentHelp(
      localized(
        """
        The backdrop of “--effect backdrop”: \(EffectDetailOptions.scenes), a color like #1a5fb4, or the path of a picture or \
        video, which is copied into the library.
        """,
        comment: "{0} is a list of words that are typed"), valueName: "name|file"))
  var backdrop: String?
  @Option(
    help: ArgumentHelp(
      localized("The size of your own backdrop: fill covers the whole background, fit shows all of the backdrop."),
      valueName: "fill|fit"))
  var backdropFit: OwnBackdrop.Fit?
  @Option(
    help: ArgumentHelp(
      localized("The place of your own backdrop, in percent from the left and from the top."), valueName: "x,y"))
  var backdropPosition: OwnBackdrop.Position?

  private static let scenes = BackdropScene.allCases.map(\.rawValue).joined(separator: ", ")
  private static let names = EffectScope.allCases.map(\.rawValue).joined(separator: ", ")

  var isEmpty: Bool { on == nil && backdrop == nil && !placesBackdrop }
  private var placesBackdrop: Bool { backdropFit != nil || backdropPosition != nil }

  /// Sets what is named in an effect's setting.
  ///
  /// - Parameter setting: `nil` when there is no effect.
  /// - Throws: A `RecipeError`; a `CommandError` without an effect, unless nothing is named.
  func apply(to setting: inout AdjustmentRecipe.EffectSetting?) throws {
    guard !isEmpty else { return }
    guard setting != nil else {
      throw CommandError(
        localized("--on, --backdrop, --backdrop-fit, and --backdrop-position need an effect. Choose one with --effect.")
      )
    }
    if let on { setting?.scope = try EffectScope(named: on) }
    if let backdrop, backdrop.contains("/"), file == nil {
      throw CommandError(localized("There is no file “\(backdrop)”."))
    }
    // Until a file is kept, any other one stands for it.
    if let backdrop { setting?.backdrop = try file == nil ? Backdrop(named: backdrop) : .standard }
    guard placesBackdrop, file == nil else { return }
    guard case .own(var own) = setting?.backdrop else {
      throw CommandError(
        localized(
          "--backdrop-fit and --backdrop-position are for a picture or video of your own. Name it with --backdrop."))
    }
    own.fit = backdropFit ?? own.fit
    own.position = backdropPosition ?? own.position
    setting?.backdrop = .own(own)
  }

  /// Whether a file is to become the backdrop.
  var hasFile: Bool { file != nil }

  /// The file that becomes the backdrop; `nil` for a name.
  private var file: URL? {
    guard let backdrop, (try? Backdrop(named: backdrop)) == nil, FileManager.default.fileExists(atPath: backdrop) else {
      return nil
    }
    return URL(fileURLWithPath: backdrop)
  }

  /// The options with the backdrop of a file, which is kept in a library, by its name. One that is named is there then.
  ///
  /// - Throws: `RecipeError.missingBackdrop`; as `PhotoLibrary.keepBackdrop(of:reader:)`.
  func keepingBackdrop(in library: PhotoLibrary) async throws -> EffectDetailOptions {
    guard let file else {
      if let backdrop, case .own(let own)? = try? Backdrop(named: backdrop) {
        _ = try await Blocking.run { [backdrops = library.backdrops] in try backdrops.source(of: own.id) }
      }
      return self
    }
    let (backdrop, isCut) = try await library.keepBackdrop(of: file, reader: EngineMovieReader())
    if isCut { complain(BackdropsModel.cutNote(of: file)) }
    var options = self
    options.backdrop = OwnBackdrop(id: backdrop.id)?.name
    return options
  }

  /// The effect of a text with what is named; `nil` for “none”, and for no text.
  ///
  /// - Throws: A `RecipeError` or `CommandError`.
  func setting(_ effect: String?) throws -> AdjustmentRecipe.EffectSetting? {
    var setting = try effect.flatMap { try EditOptions.effect($0) }
    try apply(to: &setting)
    return setting
  }
}

extension OwnBackdrop.Fit: ExpressibleByArgument {}

extension OwnBackdrop.Position: ExpressibleByArgument {
  public init?(argument: String) { self.init(named: argument) }
}
