// The viewfinder's effect: the choice, its strength, and the page of effects.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoEffects

/// The effect that the viewfinder shows and that the next shot gets as an edit. The shot itself is what the camera saw.
@MainActor @Observable
public final class EffectsModel {
  /// The active effect; `nil` for none.
  public private(set) var setting: AdjustmentRecipe.EffectSetting?
  /// Whether the page of effects is open.
  public private(set) var isOpen = false
  /// Whether there is a picture to show effects on. Without one the page closes.
  public internal(set) var isAvailable = false {
    didSet { if !isAvailable { close() } }
  }

  /// Why the effect can't be changed now: a movie is being recorded, which gets the one that was on when it began. `nil`
  /// when it can.
  public internal(set) var rest: String? {
    didSet { if rest != nil { close() } }
  }

  /// Applies the active effect to shots.
  public let shots: ShotEffects

  /// The live previews on the page; `nil` where there is no page.
  @ObservationIgnored public let gallery: (any EffectGallery)?
  @ObservationIgnored private let preview: (any PreviewSource)?
  @ObservationIgnored private let settings: SettingsModel
  @ObservationIgnored private let mattes: (any MatteProvider)?
  @ObservationIgnored private let availability: MatteAvailability
  /// The own backdrops to choose from; `nil` where there is no window.
  @ObservationIgnored public let backdrops: BackdropsModel?
  /// The own backdrop that was shown last, and the task that reads another one.
  @ObservationIgnored private var loaded: LoadedBackdrop?
  @ObservationIgnored private var loading: (id: String, task: Task<Void, Never>)?
  @ObservationIgnored private var removal: ModelObservation?
  /// The last strength of each effect.
  @ObservationIgnored private var intensities: [Effect: Double] = [:]
  /// The last backdrop and scope.
  @ObservationIgnored private var backdrop: Backdrop?
  @ObservationIgnored private var scope = EffectScope.everywhere
  @ObservationIgnored private var visible: (effects: [Effect?], size: PixelSize)?
  @ObservationIgnored private var observation: ModelObservation?

  /// Starts with the effect that was active last time.
  ///
  /// - Parameters:
  ///   - preview: The viewfinder; `nil` where nothing is shown.
  ///   - gallery: Renders the page's previews. It isn't used before the page is opened.
  ///   - mattes: Tells people from the background; `nil` where nobody does.
  ///   - backdrops: The own backdrops; `nil` where nothing is shown.
  public init(
    preview: (any PreviewSource)?, gallery: (any EffectGallery)?, settings: SettingsModel, shots: ShotEffects,
    mattes: (any MatteProvider)? = nil, backdrops: BackdropsModel? = nil
  ) {
    (self.mattes, self.backdrops) = (mattes, backdrops)
    availability = MatteAvailability(mattes)
    self.preview = preview
    self.gallery = gallery
    self.settings = settings
    self.shots = shots
    observation = ModelObservation(of: { settings.values.isMirrored }) { [weak self] _ in self?.updateScene() }
    removal = backdrops.map { backdrops in
      ModelObservation(of: { backdrops.removed }) { [weak self] in if let id = $0 { self?.wasRemoved(id) } }
    }
    backdrops?.addUser { [weak shots] id in shots?.count(withBackdrop: id) ?? 0 }
    preview?.setMatteFailureHandler { [weak self] error in
      let reason = error.localizedDescription
      Task { @MainActor in self?.mattesFailed(reason) }
    }
    guard let remembered = settings.values.viewfinderEffect, let setting = remembered.setting else { return }
    // Without models it is off, and stays remembered.
    if let reason = availability.refusal(of: setting) {
      shots.messages.post(localized("“\(setting.effect.title)” is off. \(reason)"))
      return
    }
    self.setting = setting
    intensities[setting.effect] = setting.intensity
    (backdrop, scope) = (setting.backdrop, setting.scope)
    show()
  }

  /// The button's label: the active effect, or the button's purpose.
  public var title: String { setting?.effect.title ?? localized("Effects") }

  /// A sentence for the button's tooltip and for screen readers.
  public var explanation: String {
    if let rest { return rest }
    guard let setting else { return localized("Effects (F)", comment: "F is the key") }
    return localized(
      "\(setting.effect.title) is on. Photos can be reverted to the original (F)", comment: "F is the key")
  }

  // MARK: Choosing

  /// Activates an effect with its last strength, on the same part of the picture; `nil` turns effects off.
  public func choose(_ effect: Effect?) { choose(effect.map { setting(of: $0) }) }

  private func setting(of effect: Effect) -> AdjustmentRecipe.EffectSetting {
    .init(
      effect, intensity: intensities[effect] ?? 1,
      scope: effect.hasScope ? scope : .everywhere,
      backdrop: effect.hasBackdrop ? backdrop : nil)
  }

  /// Sets what is put behind the person. Effects without a backdrop stay as they are.
  public func setBackdrop(_ backdrop: Backdrop) {
    guard var new = setting, new.effect.hasBackdrop else { return }
    new.backdrop = backdrop
    choose(new)
  }

  /// Sets the part of the picture that the effect changes. Effects that change all of it stay as they are.
  public func setScope(_ scope: EffectScope) {
    guard var new = setting, new.effect.hasScope else { return }
    new.scope = scope
    choose(new)
  }

  /// The parts of the picture that an effect can be limited to.
  public var scopes: [EffectScope] { availability.scopes }

  /// The reason why people can't be told from the background, for people; `nil` when they can.
  public var reasonAgainstMattes: String? { availability.reason }

  /// Activates an effect; `nil` turns effects off. One that can't be used is refused, with a message.
  public func choose(_ new: AdjustmentRecipe.EffectSetting?) {
    guard new != setting else {
      // One that couldn't be used is remembered until somebody chooses none.
      if new == nil, settings.values.viewfinderEffect != nil { remember() }
      return
    }
    if let reason = availability.refusal(of: new) { return shots.messages.post(reason) }
    change(to: new)
    remember()
  }

  /// Activates an effect and closes the page.
  public func pick(_ effect: Effect?) {
    choose(effect)
    if setting?.effect == effect { close() }
  }

  /// Sets the strength, from 0 to 1. It is saved when `intensityWasSet` is called.
  public func setIntensity(_ intensity: Double) {
    guard var new = setting else { return }
    new.intensity = min(1, max(0, intensity.isNaN ? 1 : intensity))
    guard new != setting else { return }
    change(to: new)
  }

  /// The slider was released.
  public func intensityWasSet() { remember() }

  private func change(to new: AdjustmentRecipe.EffectSetting?) {
    setting = new
    if let new { intensities[new.effect] = new.intensity }
    if let chosen = new?.backdrop { backdrop = chosen }
    if let chosen = new?.chosenScope { scope = chosen }
    show()
    updateScene()
  }

  private func remember() { settings.update { $0.viewfinderEffect = setting.map { .init($0) } } }

  private func show() {
    guard let preview else { return }
    var shown = setting
    if case .own(let own) = setting?.backdrop, own.id != loaded?.id {
      load(own)
      // The room isn't seen meanwhile.
      shown?.backdrop = .placeholder
    } else {
      loading?.task.cancel()
      loading = nil
    }
    // A setting of this model can always be rendered: its only number is kept within its range.
    preview.setProcessor(
      shown.flatMap { try? FrameProcessor(AdjustmentRecipe($0), mattes: mattes, backdrops: loaded) })
  }

  /// Reads an own backdrop, and shows it. Where that fails another one takes its place until the next start, which may find
  /// it: nobody who has chosen a backdrop wants to be seen in the room.
  private func load(_ own: OwnBackdrop) {
    guard loading?.id != own.id else { return }
    loading?.task.cancel()
    let task = Task { [weak self, backdrops] in
      do {
        guard let backdrops else { throw RecipeError.missingBackdrop }
        let source = try await backdrops.source(of: own)
        guard let self, !Task.isCancelled else { return }
        loaded = LoadedBackdrop(id: own.id, source: source)
        show()
      } catch {
        guard let self, !Task.isCancelled else { return }
        shots.messages.post(error.localizedDescription)
        replaceBackdrop(own.id)
      }
    }
    loading = (own.id, task)
  }

  /// People can't be told from the background anymore: the effect ends, which shows the room, and stays remembered.
  private func mattesFailed(_ reason: String) {
    guard let setting, setting.needsMatte else { return }
    shots.messages.post(localized("“\(setting.effect.title)” is off. \(reason)"))
    change(to: nil)
  }

  /// Nobody expects it back.
  private func wasRemoved(_ id: String) {
    guard case .own(let own)? = setting?.backdrop, own.id == id else {
      if loaded?.id == id { loaded = nil }
      return
    }
    replaceBackdrop(id)
    remember()
  }

  /// Puts the first backdrop in the place of one that isn't there. The choice stays remembered.
  private func replaceBackdrop(_ id: String) {
    if loaded?.id == id { loaded = nil }
    guard var new = setting, case .own(let own) = new.backdrop, own.id == id else { return }
    new.backdrop = .standard
    change(to: new)
  }

  // MARK: The page

  /// Opens or closes the page.
  public func toggle() { isOpen ? close() : open() }

  /// Opens the page. Its previews start once the visible tiles are known.
  public func open() {
    guard isAvailable, rest == nil, gallery != nil, !isOpen else { return }
    isOpen = true
  }

  /// Closes the page and ends all its work.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    visible = nil
    gallery?.setScene(nil)
  }

  /// Sets the visible tiles of the page, and their size in device pixels; `nil` is the picture without an effect.
  public func setVisible(_ effects: [Effect?], size: PixelSize) {
    guard isOpen else { return }
    visible = (effects, size)
    updateScene()
  }

  private func updateScene() {
    guard isOpen, let visible else { return }
    let settings = visible.effects.map { effect in effect.map { setting(of: $0) } }
    gallery?.setScene(
      EffectGalleryScene(size: visible.size, isMirrored: self.settings.values.isMirrored, settings: settings))
  }
}

extension EffectsModel {
  /// Whether somebody is in the viewfinder's picture, with an effect that needs to know.
  var seesPerson: Bool { (preview?.presence ?? 0) > 0.5 }

  /// The active effect as a shot gets it; `nil` for none. A movie behind the person goes on from where it is.
  ///
  /// - Parameter time: The moment at which the shot begins.
  func settingOfShot(at time: MonotonicTime = .now) -> AdjustmentRecipe.EffectSetting? {
    guard var setting, setting.intensity > 0 else { return nil }
    if case .own(var own) = setting.backdrop, let loaded, loaded.id == own.id {
      own.begin(at: Double(time.nanoseconds) / 1e9, of: loaded.source)
      setting.backdrop = .own(own)
    }
    return setting
  }
}

extension EffectsModel: BackdropChoosing {
  public var chosenBackdrop: Backdrop? { setting?.backdrop }
  /// There is one viewfinder.
  public var backdropSession: Int { 0 }

  public func moveBackdrop(to position: OwnBackdrop.Position) {
    guard var new = setting, case .own(var own) = new.backdrop else { return }
    own.position = position
    new.backdrop = .own(own)
    guard new != setting else { return }
    change(to: new)
  }

  public func endMovingBackdrop() { remember() }
  public func tellOfBackdrop(_ text: String) { shots.messages.post(text) }
}

/// An own backdrop that is in memory.
private struct LoadedBackdrop: BackdropProvider {
  let id: String
  let source: any BackdropSource

  func source(of id: String) throws -> any BackdropSource {
    guard id == self.id else { throw RecipeError.missingBackdrop }
    return source
  }
}

extension AppSettings.ViewfinderEffect {
  init(_ setting: AdjustmentRecipe.EffectSetting) {
    self.init(
      identifier: setting.effect.identifier, intensity: setting.intensity,
      scope: setting.scope == .everywhere ? nil : setting.scope.rawValue, backdrop: setting.backdrop?.name)
  }

  /// `nil` when this version doesn't know the effect.
  var setting: AdjustmentRecipe.EffectSetting? {
    guard let effect = Effect.all.first(where: { $0.identifier == identifier }) else { return nil }
    let scope = effect.hasScope ? scope.flatMap { EffectScope(rawValue: $0) } ?? .everywhere : .everywhere
    let backdrop = effect.hasBackdrop ? backdrop.flatMap { try? Backdrop(named: $0) } : nil
    return .init(
      effect, intensity: intensity.isFinite ? min(1, max(0, intensity)) : 1, scope: scope, backdrop: backdrop)
  }
}
