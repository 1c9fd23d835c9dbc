// Opening files and folders that other programs, the command line or a drop give to PhotoMe.

import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Shows what it is given, or asks whether to import it.
///
///     open ─┬ pictures and movies ── viewer: in the library, or as a list of just these
///           └ folders, or many    ── request ─┬ importRequested
///              (isSearching)                  └ viewRequested, where they are few
///
/// A file outside of the library is shown where it is. `addToLibrary` copies it into the library, and `editCopy` also
/// edits the copy.
@MainActor @Observable
public final class OpeningModel {
  /// The question before an import.
  public struct Request: Hashable, Sendable {
    public var title: String
    public var text: String
    /// Whether they can be looked at instead.
    public var isViewable: Bool
    let urls: [URL]
    let assets: [Asset]
  }

  /// The question that is to be answered; `nil` for none.
  public private(set) var request: Request?
  /// Whether the search of folders for pictures has taken so long that it is to be shown, with a way to cancel it.
  public private(set) var isSearching = false

  /// The most items that are opened without a question, and that can be looked at without an import.
  public static let viewLimit = 50

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let grid: LibraryModel
  @ObservationIgnored private let viewer: ViewerModel
  @ObservationIgnored private let editor: EditModel
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let transfers: TransferModel
  @ObservationIgnored private let messages: MessageModel
  /// The files that the viewer moves through, which doesn't keep them.
  @ObservationIgnored private var opened: OpenedFiles?
  /// The files that belong to those outside of the library, by their IDs; see `GivenFiles.companions`.
  @ObservationIgnored private var companions: [Asset.ID: [URL]] = [:]
  /// Grows with each opening: a later one wins.
  @ObservationIgnored private var generation = 0
  /// The search of what is being opened.
  @ObservationIgnored private var search: Task<Result<GivenFiles, PhotoLibraryError>, Never>?
  @ObservationIgnored private let pause: @Sendable () async throws -> Void
  @ObservationIgnored private var observation: ModelObservation?
  @ObservationIgnored private var following: Task<Void, Never>?

  /// - Parameter pause: Returns when a search is to be shown; throws when the task is canceled.
  public init(
    library: PhotoLibrary, grid: LibraryModel, viewer: ViewerModel, editor: EditModel, navigation: NavigationModel,
    transfers: TransferModel, messages: MessageModel,
    pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(nanoseconds: 1_000_000_000) }
  ) {
    self.pause = pause
    (self.library, self.grid, self.viewer, self.editor) = (library, grid, viewer, editor)
    (self.navigation, self.transfers, self.messages) = (navigation, transfers, messages)
    // The neighbors of what is shown may be hidden ones.
    observation = ModelObservation(of: { [grid] in grid.lock?.closingCount }) { [weak self] _ in
      self?.opened?.viewedListChanged?()
    }
  }

  deinit { following?.cancel() }

  // MARK: Opening

  /// Opens files and folders. Of those that can't be opened, a message says why.
  ///
  /// Files of presets are imported.
  public func open(_ urls: [URL]) async {
    let presets = urls.filter { $0.isFileURL && $0.pathExtension == EditPreset.fileExtension }
    importPresets(presets)
    let urls = urls.filter { !presets.contains($0) }
    guard !urls.isEmpty else { return presets.isEmpty ? () : navigation.filesWereOpened() }
    let mine = begin()
    await open(urls, as: mine)
    if mine == generation, request == nil { navigation.filesWereOpened() }
  }

  private func importPresets(_ files: [URL]) {
    for file in files {
      do throws(PresetError) {
        let name = try editor.presets.importFile(file)
        messages.post(localized("Preset “\(name)” imported. It is in the editor’s menu."))
      } catch { messages.post(error.description) }
    }
  }

  /// Ends what an earlier opening does.
  private func begin() -> Int {
    search?.cancel()
    (search, isSearching, request) = (nil, false, nil)
    generation += 1
    return generation
  }

  /// What is in files and folders; `nil` when another opening has come, or it was canceled.
  private func look(at urls: [URL], as mine: Int) async throws(PhotoLibraryError) -> GivenFiles? {
    let search = Task { [library] () -> Result<GivenFiles, PhotoLibraryError> in
      do throws(PhotoLibraryError) { return .success(try await library.look(at: urls)) } catch {
        return .failure(error)
      }
    }
    self.search = search
    let notice = Task { [weak self, pause] in
      try await pause()
      if !Task.isCancelled, self?.generation == mine { self?.isSearching = true }
    }
    let result = await search.value
    notice.cancel()
    guard mine == generation else { return nil }
    (self.search, isSearching) = (nil, false)
    return try result.get()
  }

  private func open(_ urls: [URL], as mine: Int) async {
    let given: GivenFiles
    do throws(PhotoLibraryError) {
      guard let found = try await look(at: urls.filter(\.isFileURL), as: mine) else { return }
      given = found
    } catch { return messages.post(error.description) }
    report(Self.remote(urls) + given.refused.map(\.description))
    companions = given.companions
    let count = given.all.count
    if count == 0 {
      if let folder = given.folders.first, given.refused.isEmpty {
        messages.post(localized("There are no photos or videos to open in “\(folder.lastPathComponent)”."))
      }
    } else if given.folders.isEmpty, count <= Self.viewLimit {
      await view(given.pictures, as: mine)
    } else if given.all.allSatisfy({ !$0.isOutside }) {
      if count <= Self.viewLimit { await view(given.all, as: mine) } else { await navigation.openLibrary() }
    } else {
      request = Self.request(for: given)
    }
  }

  /// The refusals of what isn't a file here.
  private static func remote(_ urls: [URL]) -> [String] {
    urls.filter { !$0.isFileURL }.map {
      localized("“\($0.absoluteString)” isn’t a file on this computer. Copy it to this computer and open the copy.")
    }
  }

  /// One message for all files that can't be opened.
  private func report(_ reasons: [String]) {
    guard let first = reasons.first else { return }
    let count = reasons.count
    messages.post(
      count == 1
        ? first
        : localized(
          "\(count) file couldn’t be opened. \(first)", plural: "\(count) files couldn’t be opened. \(first)",
          count: count, comment: "{1} is a sentence about the first of the files"))
  }

  private static func request(for given: GivenFiles) -> Request {
    let new = given.all.filter(\.isOutside)
    let count = new.count
    let title =
      if given.folders.count == 1, given.pictures.isEmpty, let name = given.folders.first?.lastPathComponent {
        localized("Import \(count) Item From “\(name)”?", plural: "Import \(count) Items From “\(name)”?", count: count)
      } else {
        localized("Import \(count) Item?", plural: "Import \(count) Items?", count: count)
      }
    return Request(
      title: title,
      text: localized(
        "It will be copied to your library. The original stays where it is.",
        plural: "They will be copied to your library. The originals stay where they are.", count: count),
      isViewable: given.all.count <= viewLimit, urls: given.folders + given.files, assets: given.all)
  }

  // MARK: Answering

  /// Imports what was given.
  public func importRequested() async {
    guard let request else { return }
    self.request = nil
    navigation.filesWereOpened()
    await transfers.importFiles(request.urls)
  }

  /// Only shows what was given.
  public func viewRequested() async {
    guard let request, request.isViewable else { return }
    await view(request.assets, as: begin())
    navigation.filesWereOpened()
  }

  /// Neither imports nor shows what was given, or is being looked for.
  public func dismiss() {
    _ = begin()
    navigation.filesWereOpened()
  }

  // MARK: Viewing

  private func view(_ assets: [Asset], as mine: Int) async {
    var shown = assets
    let closings = grid.lock?.closingCount
    if assets.contains(where: \.isHidden), await grid.lock?.permit() == false {
      shown = assets.filter { !$0.isHidden }
    }
    guard mine == generation, let first = shown.first else { return }
    if shown.count == 1, !first.isOutside, !first.isHidden, await isInGrid(first) {
      if mine == generation { navigation.open(first) }
      return
    }
    guard mine == generation else { return }
    // Until the user leaves; later on, hidden ones are passed over.
    let list = OpenedFiles(shown) { [grid] in grid.lock?.isClosed != true || grid.lock?.closingCount == closings }
    opened = list
    viewer.open(first, in: list)
    follow(list)
  }

  /// Keeps the library's pictures of the list up to date; the viewer does so for the one that it shows.
  private func follow(_ list: OpenedFiles) {
    following?.cancel()
    following = Task { [weak self, library] in
      for await _ in library.changes() {
        for asset in list.assets where !asset.isOutside {
          guard let self, !Task.isCancelled else { return }
          guard viewer.asset?.id != asset.id else { continue }
          // A library that can't be read says so on its own page.
          let new: Asset?
          do { new = try await library.asset(id: asset.id) } catch { continue }
          if new != asset { list.viewedAssetChanged(asset.id, to: new) }
        }
        list.viewedListChanged?()
      }
    }
  }

  /// Shows the whole library in the grid. Returns whether it has the picture.
  private func isInGrid(_ asset: Asset) async -> Bool {
    await navigation.openLibrary(at: AssetCollection(.all).id)
    await grid.search("")
    guard let index = await grid.list.index(of: asset.id) else { return false }
    // Reads the page, for the neighbors.
    return await grid.list.asset(at: index) != nil
  }

  // MARK: Files outside of the library

  /// Copies the file that the viewer shows into the library, and shows the copy in its place.
  public func addToLibrary() async { _ = await copyOfShown() }

  /// Copies the file that the viewer shows into the library, and edits the copy.
  public func editCopy() async {
    guard editor.state == .closed, let copy = await copyOfShown(), editor.state == .closed else { return }
    // Who has gone on meanwhile isn't called back.
    guard viewer.asset?.id == copy.id else { return }
    await editor.open(copy)
  }

  /// - Returns: The copy, or the same picture that the library had already; `nil` when there is none, which is then
  ///   said.
  private func copyOfShown() async -> Asset? {
    guard let shown = viewer.asset, shown.isOutside, let list = opened else { return nil }
    guard let id = await transfers.importFiles([shown.url] + (companions[shown.id] ?? [])).first else { return nil }
    do throws(PhotoLibraryError) {
      guard let copy = try await library.asset(id: id) else { throw .unknownAsset(id: id) }
      // It was hidden before, and isn't shown by importing it again.
      if copy.isHidden, await grid.lock?.permit() == false { return nil }
      list.viewedAssetChanged(shown.id, to: copy)
      if viewer.asset?.id == shown.id { viewer.open(copy, in: list) }
      return copy
    } catch {
      messages.post(error.description)
      return nil
    }
  }

  // MARK: Drops

  /// Imports what was dropped on the window.
  public func drop(_ urls: [URL]) async { await drop(urls, on: nil) }

  /// Imports what was dropped on an album, and adds it.
  public func drop(_ urls: [URL], onAlbum id: AssetCollection.ID) async {
    let album = grid.albums.first { $0.id == id }
    if album == nil { messages.post(localized("The album no longer exists. The items are imported without it.")) }
    await drop(urls, on: album)
  }

  private func drop(_ urls: [URL], on album: AssetCollection?) async {
    let files = urls.filter(\.isFileURL)
    report(Self.remote(urls))
    await transfers.importFiles(files, toAlbum: album)
  }
}
