// `photomectl export`: copies of pictures outside the library.

import ArgumentParser
import CameraCore
import CameraModels
import Foundation
import Localization
import MediaEngine
import PhotoLibrary

struct ExportCommand: AsyncParsableCommand {
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case original, current
    case motionPhoto = "motion-photo"
    case appleLivePhoto = "apple-live-photo"
    case still, movie, gif, webp, apng, avif
    case fourUp = "four-up"
    case contactSheet = "contact-sheet"

    var form: ExportForm {
      switch self {
      case .original: .original
      case .current: .current
      case .motionPhoto: .motionPhoto
      case .appleLivePhoto: .appleLivePhoto
      case .still: .still
      case .movie: .movie
      case .gif: .gif
      case .webp: .webp
      case .apng: .apng
      case .avif: .avif
      case .fourUp: .fourUp
      case .contactSheet: .contactSheet
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: localized("Copies pictures out of the library; existing files are never replaced."),
    discussion: localized(
      """
      “original” is the file before all edits, “current” the file as it is, “motion-photo” the same for live photos \
      only, “still” the picture without its video, as a JPEG or PNG when the path ends in .jpg or .png, “movie” the \
      video alone, converted to MP4 where it is MKV, WebM or AVI, “gif”, “webp”, “apng” and “avif” an animation of it, \
      “four-up” and “contact-sheet” all pictures on sheets with four or many each, as JPEGs or PNGs, \
      “apple-live-photo” the still and QuickTime movie that iPhones import as one live photo: the path names the \
      still, with or without its extension, and the video is written beside it. A picture is named by its id, its \
      first digits, or its path.
      """))

  @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
  @Option(name: .customLong("as"), help: ArgumentHelp(localized("The kind of export."))) var kind: Kind?
  @Option(
    help: ArgumentHelp(
      localized("An existing folder, or for one picture or a sheet the new file’s path."), valueName: "path"),
    completion: .file())
  var output: String
  @Option(
    help: ArgumentHelp(
      localized(
        "Scale down to this many pixels on the longer side. By default GIFs and animated PNGs have 480, WebPs and AVIFs 720."
      ),
      valueName: "pixels"))
  var size: Int?
  @Option(
    help: ArgumentHelp(
      localized("The name of an export preset, whose choices count where no option says otherwise."), valueName: "name")
  )
  var preset: String?
  @Flag(help: ArgumentHelp(localized("Leave out the files’ names on a contact sheet."))) var noNames = false
  @Flag(help: ArgumentHelp(localized("Export whole bursts."))) var wholeBursts = false
  @Flag(help: ArgumentHelp(localized("Remove the location from the copy."))) var stripLocation = false
  @Flag(help: ArgumentHelp(localized("Remove the sound of videos."))) var stripSound = false
  @OptionGroup var place: LibraryOptions
  @OptionGroup var outputOptions: OutputOptions

  func validate() throws {
    let sides = ExportOptions.longestSides
    guard let size, !sides.contains(size) else { return }
    throw ValidationError(
      localized("--size must be from \(String(sides.lowerBound)) to \(String(sides.upperBound)) pixels."))
  }

  func run() async throws {
    let chosen = try presetChoices()
    let choice = ExportChoice.of(chosen?.format)
    let kind = self.kind ?? Kind.allCases.first { $0.form == choice.form } ?? .current
    let wholeBursts = wholeBursts || chosen?.includesBursts == true
    let (ids, target) = (ids, URL(fileURLWithPath: output))
    let isFolderNamed = output.hasSuffix("/")
    let named = kind == .still || kind.form.isSheet ? PhotoFormat(fileExtension: target.pathExtension) : nil
    let options = ExportOptions(
      longestSide: size ?? chosen?.longestSide, dropsLocation: stripLocation || chosen?.removesLocation == true,
      dropsSound: stripSound || chosen?.removesSound == true,
      stillFormat: named == .png ? .png : named == .jpeg ? .jpeg : self.kind == nil ? choice.stillFormat : .own,
      showsNames: !noNames && chosen?.showsNames != false)
    let report = try await place.useUntilInterrupted { library in
      let assets = try await AssetFinder(library: library).assets(ids, wholeBursts: wholeBursts)
      if kind == .motionPhoto, let other = assets.first(where: { !$0.isLive }) {
        throw CommandError(localized("“\(other.url.path)” isn’t a live photo. Export it as “current”."))
      }
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder)
      let bar = ProgressBar()
      defer { bar.end() }
      let frames = EngineMovieReader()
      if assets.count == 1, !(isThere && isFolder.boolValue), !isFolderNamed {
        let one = try await library.export(
          assets[0], as: kind.form, options, to: target, movieFrames: frames, renderer: EngineEditRenderer()
        ) {
          bar.show(.exporting, $0)
        }
        return ExportReport(exported: [one])
      }
      if kind.form.isSheet, !(isThere && isFolder.boolValue), !isFolderNamed {
        return try await library.exportSheets(
          of: assets, as: kind.form, options, into: target.deletingLastPathComponent(), name: target.lastPathComponent,
          movieFrames: frames
        ) { bar.show($0) }
      }
      guard !isThere || isFolder.boolValue else {
        throw CommandError(
          localized(
            "“\(target.path)” is a file. Name a folder for the picture.",
            plural: "“\(target.path)” is a file. Name a folder for the \(assets.count) pictures.", count: assets.count))
      }
      return try await library.export(
        assets, as: kind.form, options, into: target, movieFrames: frames, renderer: EngineEditRenderer()
      ) {
        bar.show($0)
      }
    }
    if outputOptions.json { try printJSON(ExportOutput(report)) } else { show(report, as: kind) }
    for note in report.exported.compactMap(\.note) { complain(note) }
    if report.isCancelled {
      throw CommandError(localized("The export was canceled. What is listed has been exported."))
    }
    if let first = report.refused.first { throw CommandError(first.error.description) }
  }

  /// The choices of the preset that is named; `nil` without a name.
  ///
  /// - Throws: `CommandError` when there is none, with the names of all, or it can't be used as a whole.
  private func presetChoices() throws -> ExportSettings? {
    guard let preset else { return nil }
    let settings = try FileSettingsStore.standard.load()
    do throws(ExportPresetError) { return try ExportPresets.named(preset, in: settings).settings } catch {
      throw CommandError(error.description)
    }
  }

  private func show(_ report: ExportReport, as kind: Kind) {
    // The columns of a table; ids and paths stay as they are.
    let exported = localized("exported", context: "list", comment: "What was done with a photo or video")
    for one in report.exported {
      say(oneLine("\(one.assetID)  \(exported)  \(one.url.path)"))
      for second in one.companions {
        let label =
          kind.form.isSheet
          ? localized("and another sheet", context: "list")
          : Self.isRaw(second)
            ? localized("and its RAW photo", context: "list") : localized("and its video", context: "list")
        say(oneLine("    \(label)  \(second.path)"))
      }
    }
    for one in report.refused {
      let reason = localized("refused: \(one.error.description)", comment: "{0} is a sentence: the reason")
      say(oneLine("\(one.assetID)  \(reason)"))
    }
  }
}

extension ExportCommand {
  /// Whether a file is a raw picture.
  static func isRaw(_ url: URL) -> Bool { PhotoFormat(fileExtension: url.pathExtension) == .raw }

  /// The paths of sheets behind the first one; `nil` when there are none.
  static func furtherSheets(_ one: ExportReport.Exported) -> [String]? {
    let sheets = one.companions.filter { [.jpeg, .png].contains(PhotoFormat(fileExtension: $0.pathExtension)) }
    return sheets.isEmpty ? nil : sheets.map(\.path)
  }
}

/// An export as `--json` prints it.
struct ExportOutput: Encodable {
  struct Exported: Encodable {
    var id: String
    var path: String
    /// The movie's path, for a pair of files.
    var moviePath: String?
    /// The paths of further sheets.
    var sheetPaths: [String]?
    /// The DNG's path, for a picture that was saved with its raw frame.
    var rawPath: String?
    var note: String?
  }

  struct Refused: Encodable {
    var id: String
    var reason: String
  }

  var exported: [Exported]
  var refused: [Refused]

  init(_ report: ExportReport) {
    exported = report.exported.map {
      Exported(
        id: $0.assetID, path: $0.url.path,
        moviePath: $0.companions.first { PhotoFormat(fileExtension: $0.pathExtension) == nil }?.path,
        sheetPaths: ExportCommand.furtherSheets($0),
        rawPath: $0.companions.first { ExportCommand.isRaw($0) }?.path, note: $0.note)
    }
    refused = report.refused.map { Refused(id: $0.assetID, reason: $0.error.description) }
  }
}
