// `photomectl edit`, `revert` and `effects`: edits that lose nothing.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import MediaEngine
import PhotoEffects
import PhotoLibrary

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edits pictures, live photos and movies; the original is kept and can be brought back.",
    discussion: """
      What is not named stays as it is, so that edits can be made one after another; --reset begins with the original. The \
      still and each frame of the movie are rendered anew from the original each time. “photomectl effects” lists the \
      effects, and “photomectl revert” brings the original back.
      """)

  @Argument(help: "Ids or paths.") var ids: [String]
  @Flag(help: "Begins with the original, not with the present edit.") var reset = false
  @Option(
    help: ArgumentHelp(
      "An outside program edits it, instead of all else; “photomectl extensions” lists them.", valueName: "name"))
  var with: String?
  @OptionGroup var changes: EditOptions
  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard with == nil || !(changes.changesSomething || reset) else {
      throw ValidationError("--with begins with the original and can't be joined with other changes.")
    }
    guard changes.changesSomething || reset || with != nil else {
      throw ValidationError("Say what is to be done, for example --effect comic, or --reset.")
    }
  }

  func run() async throws {
    let (ids, changes, reset, output, with) = (ids, changes, reset, output, with)
    try await place.useUntilInterrupted { library in
      let finder = AssetFinder(library: library)
      let assets = try await finder.assets(ids)
      let editor = AssetEditor(library: library, renderer: EngineEditRenderer())
      let copied = try await changes.copyFrom.asynchronousMap {
        try await editor.open(try await finder.asset($0)).recipe
      }
      let bar = ProgressBar()
      defer { bar.end() }
      for (number, asset) in assets.enumerated() {
        let title = assets.count == 1 ? "Editing" : "Editing \(number + 1) of \(assets.count)"
        if let with {
          try await library.edit(asset, with: try ExtensionsCommand.named(with)) { bar.show(title, $0) }
          continue
        }
        let start = try await reset ? editor.openOriginal(asset) : editor.open(asset)
        var recipe = start.recipe
        if let copied { recipe = copied.pasted(onto: recipe) }
        try changes.apply(to: &recipe, of: start.input)
        try await editor.save(recipe, of: start) { bar.show(title, $0) }
      }
      bar.end()
      try await show(
        try await library.fetch(in: AssetCollection(transient: assets.map(\.id), title: "")).allAssets(), in: library,
        output)
    }
  }
}

/// What is done to a picture.
struct EditOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("An effect, and how strong it is, 0 to 1; “none” takes it away.", valueName: "name[:intensity]"))
  var effect: String?
  @Option(
    help: ArgumentHelp(
      "An adjustment: \(Adjustments.fields.map(\.name).joined(separator: ", ")). Can be given several times.",
      valueName: "name=value"))
  var adjust: [String] = []
  @Option(
    help: ArgumentHelp(
      "The part that is kept: in pixels of the picture as it is turned, or in parts of it, 0 to 1; “none” keeps all.",
      valueName: "x,y,width,height"))
  var crop: String?
  @Option(help: ArgumentHelp("How far it is turned clockwise: 0, 90, 180 or 270.", valueName: "degrees"))
  var turn: Int?
  @Option(help: ArgumentHelp("How far it is turned clockwise to be level, -45 to 45.", valueName: "degrees"))
  var straighten: Double?
  @Flag(inversion: .prefixedNo, help: "Whether left and right are exchanged.") var flip: Bool?
  @Option(
    help: ArgumentHelp(
      "The part of the movie that is kept, in seconds, as 0.5..2; an end can be left out. “none” keeps all.",
      valueName: "start..end"))
  var trim: String?
  @Option(
    help: ArgumentHelp(
      "Which moment of the movie is the still, in seconds; “none” is the one that was taken.", valueName: "time"))
  var keyPhoto: String?
  @Flag(inversion: .prefixedNo, help: "Whether the movie has no sound.") var mute: Bool?
  @Option(
    help: "How a live photo moves: \(AdjustmentRecipe.PlaybackStyle.allCases.map(\.rawValue).joined(separator: ", ")).")
  var style: String?
  @Option(help: ArgumentHelp("A picture whose effect and adjustments are taken over first.", valueName: "id"))
  var copyFrom: String?

  var changesSomething: Bool {
    effect != nil || !adjust.isEmpty || crop != nil || turn != nil || straighten != nil || flip != nil || trim != nil
      || keyPhoto != nil || mute != nil || style != nil || copyFrom != nil
  }

  /// - Throws: A `RecipeError` or `CommandError`, in words.
  func apply(to recipe: inout AdjustmentRecipe, of input: ContentEditingInput) throws {
    if let effect { recipe.effect = try Self.effect(effect) }
    for text in adjust {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = Double(parts[1]) else {
        throw CommandError("“\(text)” is no adjustment. Write it as exposure=0.5.")
      }
      recipe.adjustments[keyPath: try Adjustments.field(named: String(parts[0])).keyPath] = value
    }
    if let turn { try Self.turn(&recipe.geometry, to: turn) }
    if let straighten { recipe.geometry.straighten = straighten }
    if let flip, flip != recipe.geometry.isFlipped { recipe.geometry.flip() }
    if let crop { recipe.geometry.crop = try Self.crop(crop, recipe.geometry, input.size) }
    if let mute { recipe.isMuted = mute }
    if let style {
      guard let known = AdjustmentRecipe.PlaybackStyle(rawValue: style) else {
        throw RecipeError.unknownPlaybackStyle(style, known: AdjustmentRecipe.PlaybackStyle.allCases.map(\.rawValue))
      }
      recipe.playbackStyle = known
    }
    if let trim { recipe.trim = try Self.trim(trim, input.duration) }
    if let keyPhoto {
      recipe.keyPhotoTime = try keyPhoto == "none" ? nil : Self.number(keyPhoto, "a time in seconds")
    }
  }

  private static func number(_ text: some StringProtocol, _ what: String) throws -> Double {
    guard let value = Double(text), value.isFinite else { throw CommandError("“\(text)” is not \(what).") }
    return value
  }

  /// - Throws: A `RecipeError` or `CommandError` when the text is no effect.
  static func effect(_ text: String) throws -> AdjustmentRecipe.EffectSetting? {
    if text == "none" { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let intensity = try parts.count == 2 ? number(parts[1], "an intensity from 0 to 1") : 1
    return .init(try Effect.named(String(parts[0])), intensity: intensity)
  }

  private static func turn(_ geometry: inout Geometry, to degrees: Int) throws {
    let wanted = try Geometry.Turn(degrees: ((degrees % 360) + 360) % 360)
    // The crop goes along.
    while geometry.turn != wanted { geometry.turnRight() }
  }

  private static func crop(_ text: String, _ geometry: Geometry, _ size: PixelSize) throws -> Geometry.Crop {
    if text == "none" { return .full }
    let numbers = try text.split(separator: ",", omittingEmptySubsequences: false).map {
      try number($0.trimmingCharacters(in: .whitespaces), "a number of a crop, as in 100,50,800,600")
    }
    guard numbers.count == 4 else { throw CommandError("A crop has four numbers: left, top, width, height.") }
    guard numbers.contains(where: { $0 > 1 }) else {
      return .init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
    var uncropped = geometry
    uncropped.crop = .full
    let whole = uncropped.outputSize(for: size)
    let (width, height) = (Double(whole.width), Double(whole.height))
    guard numbers.allSatisfy({ $0 >= 0 }), numbers[0] + numbers[2] <= width, numbers[1] + numbers[3] <= height else {
      throw CommandError("The crop \(text) leaves the picture, which is \(whole) pixels as it is turned.")
    }
    return .init(x: numbers[0] / width, y: numbers[1] / height, width: numbers[2] / width, height: numbers[3] / height)
  }

  private static func trim(_ text: String, _ duration: Double?) throws -> AdjustmentRecipe.Trim? {
    if text == "none" { return nil }
    guard let dots = text.range(of: "..") else { throw CommandError("“\(text)” is no trim. Write it as 0.5..2.") }
    let (start, end) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let last = duration ?? AdjustmentRecipe.timeRange.upperBound
    return .init(
      start: try start.isEmpty ? 0 : number(start, "a time in seconds"),
      end: min(last, try end.isEmpty ? last : number(end, "a time in seconds")))
  }
}

extension Optional where Wrapped: Sendable {
  /// Like `map`, for what takes its time.
  fileprivate func asynchronousMap<Result>(_ body: (Wrapped) async throws -> Result) async rethrows -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}

struct RevertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert", abstract: "Brings originals back, byte for byte.")

  @Argument(help: "Ids or paths.") var ids: [String]
  @OptionGroup var place: LibraryOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await place.use { library in
      let assets = try await AssetFinder(library: library).assets(ids)
      let editor = AssetEditor(library: library, renderer: EngineEditRenderer())
      for asset in assets { try await editor.revert(asset) }
      try await show(
        try await library.fetch(in: AssetCollection(transient: assets.map(\.id), title: "")).allAssets(), in: library,
        output)
    }
  }
}

struct EffectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "effects", abstract: "Lists the effects.")

  @OptionGroup var output: OutputOptions

  /// An effect as `--json` shows it.
  private struct Report: Encodable {
    var name: String
    var title: String
    var group: String
  }

  func run() throws {
    let reports = Effect.all.map { Report(name: $0.identifier, title: $0.title, group: $0.group.rawValue) }
    if output.json { return try printJSON(reports) }
    let width = reports.map(\.name.count).max() ?? 0
    for report in reports {
      say("\(report.name.padding(toLength: width + 2, withPad: " ", startingAt: 0))\(report.title)")
    }
  }
}

struct ExtensionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extensions", abstract: "Lists the outside programs that can edit pictures.",
    discussion: "Each has a key file in photome/extensions of a data folder; photomectl(1) says how they are written.")

  @OptionGroup var output: OutputOptions

  /// An extension as `--json` shows it.
  private struct Report: Encodable {
    var id: String
    var name: String
    var comment: String?
    var media: [String]
    var formatIdentifier: String
    var formatVersions: [String]
    var timeLimit: Double
    var keyFile: String
  }

  func run() throws {
    let found = EditingExtensions()
    for problem in found.problems { complain(problem.description) }
    let reports = found.extensions.map { one in
      Report(
        id: one.id, name: one.name, comment: one.comment,
        media: EditingExtension.Media.allCases.filter(one.media.contains).map(\.rawValue),
        formatIdentifier: one.formatIdentifier, formatVersions: one.formatVersions, timeLimit: one.timeLimit,
        keyFile: one.keyFile.path)
    }
    if output.json { return try printJSON(reports) }
    for report in reports { say(oneLine("\(report.id)  \(report.name)  \(report.media.joined(separator: ", "))")) }
  }

  /// - Throws: `CommandError` when there is none of that name.
  static func named(_ name: String) throws -> EditingExtension {
    let found = EditingExtensions()
    if let one = found.named(name) { return one }
    if let problem = found.problems.first(where: { $0.keyFile.lastPathComponent == "\(name).extension" }) {
      throw CommandError(problem.description)
    }
    let known = found.extensions.map(\.id).joined(separator: ", ")
    throw CommandError("There is no editing extension “\(name)”. Known: \(known.isEmpty ? "none" : known).")
  }
}
