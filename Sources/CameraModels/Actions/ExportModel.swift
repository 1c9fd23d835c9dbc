// The export dialog: what is exported, in which form, without what, and where to.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// The choices for an export of the pictures of the page in front. They are remembered with each export.
///
///     open() ──► isOpen: choose, set, choose(folder:) ──► export() ──► the transfer
///                                                    └──► cancel()
///
/// The same choices are for copies that are sent to another program.
@MainActor @Observable
public final class ExportModel {
  /// What becomes of the copies.
  public enum Purpose: Sendable {
    /// They go into a folder.
    case export
    /// They are handed to a program that the person chooses.
    case sending
  }

  public private(set) var purpose = Purpose.export
  /// Whether the dialog is to be shown.
  public private(set) var isOpen = false
  /// The format. It fits at least one of the pictures.
  public private(set) var choice = ExportChoice.all[0]
  /// In pixels; `nil` for the full size.
  public private(set) var longestSide: Int?
  public private(set) var removesLocation = false
  public private(set) var removesSound = false
  public private(set) var includesBursts = false
  public private(set) var showsNames = true
  public private(set) var folder: URL
  private var isInLibrary = false

  /// The pictures; of a burst, the one that stands for it.
  private var items: [Asset] = []
  /// The same with all pictures of the bursts.
  private var members: [Asset] = []

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let transfers: TransferModel
  @ObservationIgnored private let sharing: SharingModel
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let usual: URL
  @ObservationIgnored private let home: URL
  @ObservationIgnored private let patience: TimeSpan
  @ObservationIgnored private var isOpening = false
  /// The preset that was chosen or saved last: several may have the same choices.
  private var lastPreset: String?

  /// - Parameters:
  ///   - usual: The folder of the first export.
  ///   - home: Folders inside this one are abbreviated with `~`.
  ///   - patience: The time for which a folder's disk is waited for, which may be a network's.
  public init(
    library: PhotoLibrary, navigation: NavigationModel, transfers: TransferModel, sharing: SharingModel,
    settings: SettingsModel,
    usual: URL = PhotoLibrary.picturesFolder, home: URL = UserFolders().home, patience: TimeSpan = .seconds(2)
  ) {
    self.library = library
    self.navigation = navigation
    self.transfers = transfers
    self.sharing = sharing
    self.settings = settings
    (self.usual, self.home, folder) = (usual, home, usual)
    self.patience = patience
  }

  // MARK: Opening and closing

  /// Opens the dialog for the pictures of the page in front, with the choices of the last export as far as they fit.
  public func open(for purpose: Purpose = .export) async {
    guard !isOpen, !isOpening else { return }
    isOpening = true
    defer { isOpening = false }
    self.purpose = purpose
    items = await navigation.targets()
    guard !items.isEmpty else { return }
    members = items.contains(where: \.representsBurst) ? await navigation.memberTargets() : items
    let last = settings.values.export
    await show(folder: Self.existing(last.folder, within: patience) ?? usual)
    apply(last)
    isOpen = true
  }

  private func apply(_ values: ExportSettings) {
    (removesLocation, removesSound) = (values.removesLocation, values.removesSound)
    (includesBursts, longestSide) = (values.includesBursts, values.longestSide)
    showsNames = values.showsNames
    choose(choices.first { $0.id == values.format } ?? choices[0])
  }

  /// Closes the dialog without an export.
  public func cancel() { isOpen = false }

  /// Closes the dialog, remembers what was chosen, and exports. A message reports the outcome.
  public func export() async {
    guard isOpen, canExport else { return }
    isOpen = false
    let chosen = self.chosen
    settings.update { $0.export = chosen }
    let options = choice.options(
      longestSide: longestSide, dropsLocation: hasLocation && removesLocation, dropsSound: hasSound && removesSound,
      showsNames: hasNames && showsNames)
    switch purpose {
    case .export: await transfers.export(exported, as: choice.form, options, into: folder)
    case .sending:
      await sharing.send { [transfers, exported, choice] folder in
        await transfers.copies(of: exported, as: choice.form, options, in: folder)
      }
    }
  }

  private var chosen: ExportSettings {
    let before = settings.values.export
    var chosen = ExportSettings()
    chosen.folder = folder == usual ? nil : folder.path
    (chosen.removesLocation, chosen.removesSound) = (removesLocation, removesSound)
    chosen.showsNames = showsNames
    // A choice that wasn't offered stays as it was.
    let offersFormat = choices.contains { $0.id == before.format } || choice != choices.first
    chosen.format = offersFormat ? choice.id : before.format
    let offersSize = before.longestSide.map { sizes.contains($0) } ?? true
    chosen.longestSide = offersSize ? longestSide : longestSide ?? before.longestSide
    chosen.includesBursts = hasBursts ? includesBursts : before.includesBursts
    return chosen
  }

  /// The folder of the last export; `nil` when it is gone, or its disk is or hangs.
  private nonisolated static func existing(_ path: String?, within patience: TimeSpan) async -> URL? {
    guard let path else { return nil }
    let url = URL(fileURLWithPath: path, isDirectory: true)
    return await answer(within: patience, ifLate: false) { url.isFolder } ? url : nil
  }

  private struct Late: Error {}

  /// The disk's answer, or `late` when it doesn't answer.
  private nonisolated static func answer<Answer: Sendable>(
    within patience: TimeSpan, ifLate late: Answer, _ body: @escaping @Sendable () -> Answer
  ) async -> Answer {
    do {
      return try await Blocking.run(onThread: "export folder", atMost: patience, late: Late()) {
        () throws(Late) in body()
      }
    } catch { return late }
  }

  // MARK: The exported pictures

  /// The pictures that are asked for, also those that can't have the format.
  private var wanted: [Asset] { hasBursts && includesBursts ? members : items }

  private var exported: [Asset] { wanted.filter(choice.fits) }

  /// The dialog's title.
  public var title: String {
    purpose == .sending
      ? localized("Send Item", plural: "Send \(wanted.count) Items", count: wanted.count)
      : localized("Export Item", plural: "Export \(wanted.count) Items", count: wanted.count)
  }

  /// A sentence about pictures that are left out; `nil` when none.
  public var note: String? {
    let count = wanted.count - exported.count
    guard count > 0 else { return nil }
    if choice.form == .still {
      return localized(
        "A video can’t be exported in this format and is left out.",
        plural: "\(count) videos can’t be exported in this format and are left out.", count: count)
    }
    return localized(
      "An item can’t be exported in this format and is left out.",
      plural: "\(count) items can’t be exported in this format and are left out.", count: count)
  }

  public var canExport: Bool { !exported.isEmpty && (purpose == .sending || folderProblem == nil) }

  // MARK: The choices

  /// The formats that fit.
  public var choices: [ExportChoice] { ExportChoice.choices(for: items) }

  /// The sizes that are smaller than the largest picture, after the full size.
  public var sizes: [Int?] {
    let largest = items.filter(choice.fits).map { max($0.size.width, $0.size.height) }.max() ?? 0
    return [nil] + ExportChoice.smallerSizes.filter { $0 < largest }
  }

  /// Whether copies in this format may say where they were taken.
  public var hasLocation: Bool { !choice.form.isAnimation && !choice.form.isSheet }

  /// Whether copies in this format may have sound.
  public var hasSound: Bool { items.contains(where: choice.keepsSound) }

  /// Whether copies in this format can tell the pictures' names.
  public var hasNames: Bool { choice.form == .contactSheet }

  /// Whether any picture stands for a burst.
  public var hasBursts: Bool { members.count > items.count }

  public func choose(_ choice: ExportChoice) {
    self.choice = choice
    // A size that was chosen for larger pictures is the full one here.
    if let side = longestSide, !sizes.contains(side) { longestSide = nil }
  }

  public func setSize(_ longestSide: Int?) { self.longestSide = longestSide }
  public func setRemovesLocation(_ isOn: Bool) { removesLocation = isOn }
  public func setRemovesSound(_ isOn: Bool) { removesSound = isOn }
  public func setShowsNames(_ isOn: Bool) { showsNames = isOn }
  public func setIncludesBursts(_ isOn: Bool) { includesBursts = isOn }

  // MARK: Presets

  /// The presets whose format fits.
  public var presets: [ExportPresets.Item] {
    let ids = Set(choices.map(\.id))
    return ExportPresets.all(own: settings.values.exportPresets).filter { ids.contains($0.settings.format) }
  }

  /// The preset that has just what is chosen; `nil` when none does.
  public var preset: ExportPresets.Item? {
    var now = chosen
    now.folder = nil
    let fitting = presets.filter { item in
      var settings = item.settings
      settings.folder = nil
      // What can't be chosen for these items makes no difference.
      if !hasBursts { settings.includesBursts = now.includesBursts }
      if !hasSound { settings.removesSound = now.removesSound }
      if !hasNames { settings.showsNames = now.showsNames }
      if let side = settings.longestSide, !sizes.contains(side) { settings.longestSide = now.longestSide }
      return settings == now
    }
    return fitting.first { $0.id == lastPreset } ?? fitting.first
  }

  /// Takes the choices of a preset.
  public func choose(_ preset: ExportPresets.Item?) {
    guard let preset else { return }
    lastPreset = preset.id
    apply(preset.settings)
  }

  /// Keeps the choices as a preset. One that has the name is replaced.
  ///
  /// - Parameter name: Nothing is kept under an empty one.
  public func savePreset(_ name: String) {
    guard let name = ExportPresets.name(name) else { return }
    var values = chosen
    values.folder = nil
    settings.update { $0.exportPresets[name] = values }
    lastPreset = name
  }

  /// Deletes the preset that is chosen, if it is one's own. The choices stay.
  public func deletePreset() {
    guard let preset, preset.isOwn else { return }
    settings.update { $0.exportPresets[preset.id] = nil }
  }

  // MARK: The folder

  public func choose(folder: URL) async { await show(folder: folder.standardizedFileURL) }

  private func show(folder: URL) async {
    self.folder = folder
    isInLibrary = false
    // A disk that hangs is reported by the export.
    let isInLibrary = await Self.answer(within: patience, ifLate: false) { [library] in library.contains(folder: folder)
    }
    if folder == self.folder { self.isInLibrary = isInLibrary }
  }

  /// The folder as it is shown.
  public var folderText: String { PictureInfo.folder(folder.path, home: home.path) }

  /// Why nothing can be exported into the folder; `nil` when it can.
  public var folderProblem: String? {
    isInLibrary ? localized("“\(folderText)” is inside the library. Choose a folder outside the library.") : nil
  }
}
