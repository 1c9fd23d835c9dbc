// Pending effects of shots: applied as edits in the background, one after another.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Edits shots once they are in the library. Taking photos never waits for it, and the original is kept as with every
/// edit.
///
/// Pending effects are also in a file from the moment the shutter is pressed: if the program ends early, the next start
/// applies them.
@MainActor @Observable
public final class ShotEffects {
  /// The shots whose effect is pending, in order.
  public var waiting: [Asset.ID] { pending.map(\.asset) }

  private var pending: [PendingEffect] = []
  @ObservationIgnored private let editing: any AssetEditing
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored let messages: MessageModel
  @ObservationIgnored private let file: ShotEffectFile?

  /// The shots that are in the library already.
  @ObservationIgnored private var queue: [Asset.ID] = []
  @ObservationIgnored private var work: Task<Void, Never>?
  /// The ends of effects that someone waits for.
  @ObservationIgnored private var ends: [Asset.ID: OneShot<Void, any Error>] = [:]
  @ObservationIgnored private var failures: [Asset.ID: any Error] = [:]

  /// The file's contents: this library's until `resume`, those of other libraries, and those whose asset wasn't found.
  @ObservationIgnored private var kept: [PendingEffect] = []
  @ObservationIgnored private var loading: Task<Void, Never>?
  @ObservationIgnored private var recording: Task<Void, Never>?
  @ObservationIgnored private var mustRecord = false
  @ObservationIgnored private var hasReportedFile = false

  /// The number of attempts before an effect is given up: a picture that crashes the program must not do so at every start.
  static let mostAttempts = 2

  /// - Parameter file: Stores the pending effects; `nil` stores nothing.
  public init(editing: any AssetEditing, library: PhotoLibrary, messages: MessageModel, file: ShotEffectFile?) {
    self.editing = editing
    self.library = library
    self.messages = messages
    self.file = file
  }

  // MARK: Shots

  /// The shutter was pressed with an effect on.
  ///
  /// - Parameter hasPerson: See `AdjustmentRecipe.hasPerson`.
  func shotBegan(_ id: Asset.ID, with setting: AdjustmentRecipe.EffectSetting, hasPerson: Bool = false) {
    pending.append(
      PendingEffect(
        asset: id, library: library.folder.path, effect: setting.effect.identifier, intensity: setting.intensity,
        scope: setting.scope == .everywhere ? nil : setting.scope.rawValue, backdrop: setting.backdrop?.name,
        hasPerson: hasPerson))
    record()
  }

  /// The number of shots that will need an own backdrop.
  func count(withBackdrop id: String) -> Int {
    (pending + kept).count { item in
      guard case .own(let own)? = item.backdrop.flatMap({ try? Backdrop(named: $0) }) else { return false }
      return own.id == id
    }
  }

  /// The shot is in the library.
  func shotWasSaved(_ id: Asset.ID) {
    guard pending.contains(where: { $0.asset == id }) else { return }
    queue.append(id)
    begin()
  }

  /// There will be no picture.
  func shotFailed(_ id: Asset.ID) { end(id, nil) }

  // MARK: Movies

  /// A movie is being recorded with an effect on.
  ///
  /// - Parameter hasPerson: See `AdjustmentRecipe.hasPerson`.
  /// - Returns: The id that stands for its asset until that is known.
  func movieBegan(
    _ movie: UnfinishedMovie, with setting: AdjustmentRecipe.EffectSetting, hasPerson: Bool = false
  ) -> Asset.ID {
    let id = Asset.makeID()
    pending.append(
      PendingEffect(
        asset: id, library: library.folder.path, effect: setting.effect.identifier, intensity: setting.intensity,
        scope: setting.scope == .everywhere ? nil : setting.scope.rawValue, backdrop: setting.backdrop?.name,
        hasPerson: hasPerson, movie: movie))
    record()
    return id
  }

  /// A movie is finished. Returns when the effect is queued, or when it is said why it can't be.
  ///
  /// - Parameter id: From `movieBegan`.
  func movieWasSaved(_ id: Asset.ID, at url: URL) async {
    guard let item = pending.first(where: { $0.asset == id }) else { return }
    let (name, title) = (url.lastPathComponent, item.title)
    do throws(PhotoLibraryError) {
      if let asset = try await asset(at: url), let index = pending.firstIndex(where: { $0.asset == id }) {
        pending[index].identify(asset.id)
        record()
        return shotWasSaved(asset.id)
      }
      messages.post(localized("“\(name)” was saved without “\(title)”, because the library doesn’t list it."))
    } catch {
      messages.post(
        localized("“\(name)” was saved without “\(title)”. \(error.description) Edit it to try again."))
    }
    end(id, nil)
  }

  /// There is no movie. Where its file could not be finished but is there, the next start names it, and applies the
  /// effect.
  ///
  /// - Parameter id: From `movieBegan`.
  func movieFailed(_ id: Asset.ID) async {
    await load()
    guard let movie = pending.first(where: { $0.asset == id })?.movie else { return }
    if await Self.isThere(movie), let index = pending.firstIndex(where: { $0.asset == id }) {
      kept.append(pending.remove(at: index))
      record()
    } else {
      end(id, nil)
    }
  }

  /// A movie of a run that was killed has its name. Its effect is queued, if it had one.
  func movieWasRecovered(_ hiddenPath: String, at url: URL) async {
    await load()
    func index() -> Int? {
      kept.firstIndex { $0.movie?.hiddenPath == hiddenPath && $0.library == library.folder.path }
    }
    guard let known = index() else { return }
    let title = kept[known].title
    // It may have another name than it was to have.
    kept[known].movie?.path = url.path
    do throws(PhotoLibraryError) {
      // `resume` looks again for what isn't listed yet, and says it.
      guard let asset = try await asset(at: url), let index = index() else { return record() }
      var item = kept.remove(at: index)
      item.identify(asset.id)
      pending.append(item)
      record()
      shotWasSaved(asset.id)
    } catch {
      messages.post(
        localized(
          """
          “\(title)” couldn’t be applied to “\(url.lastPathComponent)”. \(error.description) PhotoMe will try again \
          the next time it starts.
          """))
      record()
    }
  }

  private func asset(at url: URL) async throws(PhotoLibraryError) -> Asset? {
    if let asset = try await library.asset(at: url) { return asset }
    // It has its name since a moment ago, and may not have been noticed yet.
    try await library.refresh()
    return try await library.asset(at: url)
  }

  /// The asset of an effect that an earlier run left; `nil` where it isn't in the library.
  private func asset(of item: PendingEffect) async throws(PhotoLibraryError) -> Asset? {
    guard let movie = item.movie else { return try await library.assets(idPrefix: item.asset).first }
    return try await asset(at: URL(fileURLWithPath: movie.path))
  }

  /// Whether a movie's file has its hidden name still: it is being recorded, or could not be finished.
  private static func isThere(_ movie: UnfinishedMovie) async -> Bool {
    await Blocking.run { FileManager.default.fileExists(atPath: movie.hiddenPath) }
  }

  // MARK: Earlier runs

  /// Continues what an earlier run of the program left undone.
  public func resume() async {
    await load()
    let left = kept.filter { $0.library == library.folder.path }
    for item in left {
      if let movie = item.movie, await Self.isThere(movie) { continue }
      let asset: Asset?
      do { asset = try await self.asset(of: item) } catch {
        // It stays in the file for the next start.
        messages.post(
          item.movie == nil
            ? localized(
              """
              “\(item.title)” couldn’t be applied to a photo. \(error.description) PhotoMe will try again the next \
              time it starts.
              """)
            : localized(
              """
              “\(item.title)” couldn’t be applied to a video. \(error.description) PhotoMe will try again the next \
              time it starts.
              """))
        continue
      }
      guard let index = kept.firstIndex(of: item) else { continue }
      if item.attempts >= Self.mostAttempts {
        kept.remove(at: index)
        // A shot that never became a picture, or was deleted, isn't missed.
        if let asset, !asset.isEdited {
          reportMissingEffect(asset, item, reason: localized("PhotoMe quit while it was being applied."))
        }
      } else if let asset {
        var item = kept.remove(at: index)
        item.identify(asset.id)
        pending.append(item)
        queue.append(item.asset)
      } else {
        // A shot whose file was recovered a moment ago may not be listed yet: then the next start applies the effect.
        kept[index].attempts += 1
      }
    }
    if !left.isEmpty { record() }
    begin()
  }

  // MARK: Waiting

  /// Returns when a shot has the effect that it was taken with; at once when none is pending. The shot moves to the front
  /// of the queue.
  ///
  /// - Throws: The error that kept the effect from being applied.
  public func waitForEffect(of id: Asset.ID) async throws {
    if pending.contains(where: { $0.asset == id }) {
      if let index = queue.firstIndex(of: id) { queue.insert(queue.remove(at: index), at: 0) }
      let end = ends[id] ?? OneShot()
      ends[id] = end
      try await end.wait()
    } else if let failure = failures[id] {
      throw failure
    }
  }

  /// Returns when nothing is pending and the file is up to date.
  public func finished() async {
    while let task = work ?? recording { await task.value }
  }

  // MARK: The work

  private func begin() {
    guard work == nil, !queue.isEmpty else { return }
    work = Task(priority: .utility) { [weak self] in
      while let self, let id = self.takeNext() { await self.perform(id) }
      self?.work = nil
    }
  }

  private func takeNext() -> Asset.ID? { queue.isEmpty ? nil : queue.removeFirst() }

  private func perform(_ id: Asset.ID) async {
    guard let index = pending.firstIndex(where: { $0.asset == id }) else { return }
    pending[index].attempts += 1
    record()
    let item = pending[index]
    do {
      try await apply(item)
      end(id, nil)
    } catch {
      await report(id, item, error)
      end(id, error)
    }
  }

  private func report(_ id: Asset.ID, _ item: PendingEffect, _ error: any Error) async {
    do {
      // A picture that was deleted in the meantime needs no effect.
      guard let asset = try await library.assets(idPrefix: id).first else { return }
      reportMissingEffect(asset, item, reason: error.localizedDescription)
    } catch {
      // An asset that can't be looked up may well exist.
      messages.post(
        localized("A photo was saved without “\(item.title)”. \(error.description) Edit it to try again."))
    }
    failures[id] = error
  }

  private func apply(_ item: PendingEffect) async throws {
    guard let asset = try await library.assets(idPrefix: item.asset).first else { return }
    // An edit that was made in the meantime takes precedence.
    guard !asset.isEdited else { return }
    let start = try await editing.open(asset)
    guard start.recipe.isNeutral else { return }
    let effect = try Effect.named(item.effect)
    let scope = try item.scope.map { try EffectScope(named: $0) }
    var setting = AdjustmentRecipe.EffectSetting(
      effect, intensity: item.intensity, scope: scope ?? .everywhere,
      backdrop: try item.backdrop.map { try Backdrop(named: $0) })
    if case .own(var own) = setting.backdrop, let shown = start.input.photoDisplayTime {
      // Its movie begins before the moment of the shot.
      let source = try await Blocking.run { [backdrops = library.backdrops, own] in try backdrops.source(of: own.id) }
      own.begin(at: Double(own.start) / 100 - shown, of: source)
      setting.backdrop = .own(own)
    }
    var recipe = AdjustmentRecipe(setting)
    recipe.hasPerson = item.hasPerson == true && setting.needsMatte
    try await editing.save(recipe, of: start) { _ in }
  }

  private func end(_ id: Asset.ID, _ error: (any Error)?) {
    guard pending.contains(where: { $0.asset == id }) else { return }
    pending.removeAll { $0.asset == id }
    record()
    ends.removeValue(forKey: id)?.decide(error.map(Result.failure) ?? .success(()))
  }

  private func reportMissingEffect(_ asset: Asset, _ item: PendingEffect, reason: String) {
    let (name, title) = (asset.url.lastPathComponent, item.title)
    messages.post(localized("“\(name)” was saved without “\(title)”. \(reason) Edit it to try again."))
  }

  // MARK: The file

  /// Reads the file once.
  private func load() async {
    guard let file else { return }
    if loading == nil {
      loading = Task { [weak self] in
        do { self?.kept = try await file.load() } catch {
          self?.reportFile(
            localized("The list of effects to apply couldn’t be read. \(error.localizedDescription)"))
        }
      }
    }
    await loading?.value
  }

  private func record() {
    guard let file else { return }
    mustRecord = true
    guard recording == nil else { return }
    recording = Task { [weak self] in
      // The old contents are read before they are replaced.
      await self?.load()
      while let self, self.mustRecord {
        self.mustRecord = false
        do { try await file.save(self.kept + self.pending) } catch {
          self.reportFile(
            localized(
              """
              The list of effects to apply couldn’t be saved: \(error.localizedDescription.asClause). If PhotoMe quits \
              before they are applied, those photos and videos will stay as they were taken.
              """))
        }
      }
      self?.recording = nil
    }
  }

  private func reportFile(_ text: String) {
    if !hasReportedFile { messages.post(text) }
    hasReportedFile = true
  }
}

extension PendingEffect {
  /// The asset is known.
  fileprivate mutating func identify(_ asset: Asset.ID) { (self.asset, movie) = (asset, nil) }

  /// The effect's title; an effect of another version only has its identifier.
  fileprivate var title: String { Effect.all.first { $0.identifier == effect }?.title ?? effect }
}
