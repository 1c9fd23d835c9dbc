// `photomectl edit` and `revert`: edits that keep the original.

import ArgumentParser
import CameraModels
import Foundation
import Localization
import MediaEngine
import PersonMatte
import PhotoEffects
import PhotoLibrary

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: localized("Edits pictures, live photos, and videos; the original is kept and can be restored."),
    discussion: localized(
      """
      Settings that aren’t given stay as they are, so that edits can be made one after another; --reset starts from the \
      original. The still and each frame of the video are rendered from the original each time. “photomectl effects” lists \
      the effects, and “photomectl revert” restores the original.
      """))

  @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
  @Flag(help: ArgumentHelp(localized("Start from the original instead of the current edit."))) var reset = false
  @Option(
    help: ArgumentHelp(
      localized(
        """
        Edit with this editing extension, which can’t be combined with other changes; “photomectl extensions” lists \
        them.
        """),
      valueName: "name"))
  var with: String?
  @OptionGroup var changes: EditOptions
  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard with == nil || !(changes.changesSomething || reset) else {
      throw ValidationError(localized("--with starts from the original and can’t be combined with other changes."))
    }
    guard changes.changesSomething || reset || with != nil else {
      throw ValidationError(localized("Give an edit, for example --effect comic, or --reset."))
    }
  }

  func run() async throws {
    let (ids, changes, reset, output, with) = (ids, changes, reset, output, with)
    try await place.useUntilInterrupted { library in
      let finder = AssetFinder(library: library)
      // What is missing is said before anything is changed.
      let setting = try changes.effect == nil ? nil : changes.details.setting(changes.effect)
      let assets = try await finder.assets(ids)
      let editor = AssetEditor(library: library, renderer: EngineEditRenderer(), mattes: PersonMatteProvider())
      // Before a file is kept: whether it can be the backdrop of all of them.
      for asset in assets where changes.details.hasFile && changes.like == nil && changes.preset == nil {
        var effect = try await reset ? nil : editor.open(asset).recipe.effect
        if let setting { effect = setting }
        try changes.details.apply(to: &effect)
        try effect.map { try AdjustmentRecipe($0).validate() }
      }
      let copied = try await changes.like.asynchronousMap {
        try await editor.open(try await finder.asset($0)).recipe
      }
      let preset = try changes.preset.map { try PresetsCommand.preset($0) }
      if with == nil, let reason = PersonMatteProvider().reasonForAbsence() {
        for asset in assets {
          let start = try await reset ? editor.openOriginal(asset) : editor.open(asset)
          var effect = (preset?.recipe ?? copied ?? start.recipe).effect
          if changes.effect != nil { effect = setting }
          try changes.details.apply(to: &effect)
          // What makes no sense is said first.
          try effect.map { try AdjustmentRecipe($0).validate() }
          // An earlier edit may have kept where the person is.
          if let kind = effect?.matteKind, kind != .person || !start.hasAllMattes { throw reason }
        }
      }
      var changes = changes
      changes.details = try await changes.details.keepingBackdrop(in: library)
      let bar = ProgressBar()
      defer { bar.end() }
      for (number, asset) in assets.enumerated() {
        let title =
          assets.count == 1
          ? localized("Editing", context: "progress bar")
          : localized("Editing \(number + 1) of \(assets.count)", context: "progress bar")
        if let with {
          try await library.edit(asset, with: try ExtensionsCommand.named(with)) { bar.show(title, $0) }
          continue
        }
        let start = try await reset ? editor.openOriginal(asset) : editor.open(asset)
        var recipe = start.recipe
        if let copied { recipe = copied.pasted(onto: recipe) }
        if let preset { recipe = preset.recipe.pasted(onto: recipe) }
        if changes.auto {
          recipe = try await AutoEnhancement.measured(
            start.input, at: recipe.keyPhotoTime, in: library, reader: EngineMovieReader()
          ).applied(to: recipe)
        }
        try changes.apply(to: &recipe, of: start.input)
        let usesFaces = changes.cropsByFaces || changes.redEye == true
        let faces = try await usesFaces ? Self.faces(of: start, recipe, in: library) : nil
        if changes.redEye == true, let faces {
          recipe.redEye = try await faces.redEyes(in: start.input, library: library, reader: EngineMovieReader())
          if recipe.redEye.isEmpty {
            bar.end()
            complain(localized("“\(asset.url.lastPathComponent)” has no red eyes."))
          }
        }
        if changes.cropsByFaces, let faces {
          if let crop = faces.suggestedCrop(in: recipe.geometry, of: start.input.size, ratio: nil) {
            recipe.geometry.crop = crop
          } else {
            bar.end()
            complain(
              faces.faces.isEmpty
                ? localized("“\(asset.url.lastPathComponent)” has no faces to crop by.")
                : localized("The faces in “\(asset.url.lastPathComponent)” are well placed already."))
          }
        }
        try await editor.save(recipe, of: start) { bar.show(title, $0) }
        if start.input.isAnimated {
          bar.end()
          complain(AssetEditor.animationNote)
        }
      }
      bar.end()
      try await AssetReport.show(assets.map(\.id), in: library, output)
    }
  }
}

extension EditCommand {
  /// The faces of a picture.
  ///
  /// - Throws: Why they can't be looked for.
  private static func faces(
    of start: EditStart, _ recipe: AdjustmentRecipe, in library: PhotoLibrary
  ) async throws -> EditedFaces {
    try await EditedFaces.find(
      in: start.input, at: recipe.keyPhotoTime, by: FaceDetector(), library: library, reader: EngineMovieReader())
  }
}

struct RevertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert", abstract: localized("Restores originals, byte for byte."))

  @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await place.use { library in
      let assets = try await AssetFinder(library: library).assets(ids)
      let editor = AssetEditor(library: library, renderer: EngineEditRenderer(), mattes: PersonMatteProvider())
      for asset in assets { try await editor.revert(asset) }
      try await AssetReport.show(assets.map(\.id), in: library, output)
    }
  }
}

extension Optional where Wrapped: Sendable {
  /// `map` with an asynchronous closure.
  fileprivate func asynchronousMap<Result>(_ body: (Wrapped) async throws -> Result) async rethrows -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}
