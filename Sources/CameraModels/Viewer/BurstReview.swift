// The burst of the picture in the viewer: its frames, and the best of them.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// Lists the pictures of the burst that the viewer shows one of, and suggests the best: see `BestShot`.
///
/// The photos of the booth and their sheet are such a group as well; the sheet isn't suggested.
@MainActor @Observable
public final class BurstReview {
  /// The pictures of the burst, in the order in which they were taken; empty unless there are at least two.
  public private(set) var frames: [Asset] = []
  /// The best photo; `nil` until all are measured, and where there is only one beside a sheet.
  public private(set) var bestID: Asset.ID?
  private var bestBasis: BestShot.Basis?

  /// “Sharpest faces”: the reason for the suggestion; `nil` while there is none.
  public var bestReason: String? { bestBasis?.title }

  /// The picture that is shown, as a number from 1; `nil` when it is in no burst.
  public var position: Int? { frames.firstIndex { $0.id == viewer.asset?.id }.map { $0 + 1 } }

  /// Whether the picture that is shown is the best.
  public var showsBest: Bool { bestID != nil && bestID == viewer.asset?.id }

  /// “Burst, 3 of 12”; of the booth's pictures, “Photo booth, sheet” and “Photo booth, photo 1 of 4”; `nil` when the picture
  /// is in no burst.
  public var title: String? {
    guard let position, let shownFrame else { return nil }
    let photos = photos
    guard photos.count < frames.count else { return localized("Burst, \(position) of \(frames.count)") }
    guard let number = photos.firstIndex(where: { $0.id == shownFrame.id }) else {
      return localized("Photo booth, sheet")
    }
    return localized("Photo booth, photo \(number + 1) of \(photos.count)")
  }

  /// The pictures that were taken, without the booth's sheet of them.
  private var photos: [Asset] { frames.filter { !$0.isSheet } }

  /// The picture of the burst that is shown; `nil` when none is.
  public var shownFrame: Asset? { frames.first { $0.id == viewer.asset?.id } }

  /// The picture that stands for the burst: the key photo, or the first where none is.
  public var keyFrame: Asset? { Asset.keyPhoto(of: frames) }

  /// Whether the picture that is shown stands for the burst.
  public var showsKey: Bool { shownFrame.map { $0.id == keyFrame?.id } ?? false }

  /// Whether there is a picture of the burst after the one that is shown, and before it.
  public var hasNext: Bool { position.map { $0 < frames.count } ?? false }
  public var hasPrevious: Bool { position.map { $0 > 1 } ?? false }

  /// The other pictures of the burst.
  public var others: [Asset] { position == nil ? [] : frames.filter { $0.id != viewer.asset?.id } }

  @ObservationIgnored private let viewer: ViewerModel
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let detector: (any FaceDetecting)?
  @ObservationIgnored private var observation: ModelObservation?
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var loading: Task<Void, Never>?
  /// The burst that is shown, and whether its hidden pictures are.
  @ObservationIgnored private var shown: Burst?
  /// The sharpness of the photos of that burst.
  @ObservationIgnored private var measured: [Asset.ID: ShotSharpness] = [:]

  private struct Burst: Hashable {
    var id: String
    var isHidden: Bool
  }

  /// - Parameter detector: Finds the faces by which photos are compared; `nil` compares whole pictures.
  public init(
    viewer: ViewerModel, library: PhotoLibrary, messages: MessageModel, detector: (any FaceDetecting)? = nil
  ) {
    self.viewer = viewer
    self.library = library
    self.detector = detector
    self.messages = messages
    observation = ModelObservation(of: { [weak viewer] in
      viewer?.asset.flatMap { asset in asset.burstID.map { Burst(id: $0, isHidden: asset.isHidden) } }
    }) { [weak self] in self?.show($0) }
  }

  deinit {
    listening?.cancel()
    loading?.cancel()
  }

  /// Shows the best photo.
  public func showBest() {
    if let best = frames.first(where: { $0.id == bestID }) { viewer.show(ofSameList: best) }
  }

  /// Shows the next (`1`) or previous (`-1`) picture of the burst.
  public func move(by step: Int) {
    guard let position, frames.indices.contains(position - 1 + step) else { return }
    viewer.show(ofSameList: frames[position - 1 + step])
  }

  private func show(_ burst: Burst?) {
    guard burst != shown else { return }
    shown = burst
    loading?.cancel()
    (frames, bestID, bestBasis, measured) = ([], nil, nil, [:])
    guard burst != nil else { return }
    listen()
    load()
  }

  private func listen() {
    guard listening == nil else { return }
    let changes = library.changes()
    listening = Task { [weak self] in
      for await _ in changes {
        guard let self else { return }
        if shown != nil { load() }
      }
    }
  }

  private func load() {
    guard let burst = shown else { return }
    loading?.cancel()
    loading = Task { [weak self, library] in
      do {
        let found = try await library.burst(burst.id, isHidden: burst.isHidden)
        guard !Task.isCancelled, let self, shown == burst else { return }
        frames = found.count > 1 ? found : []
        await measure()
      } catch { if !Task.isCancelled { self?.messages.post(error.localizedDescription) } }
    }
  }

  private func measure() async {
    let photos = photos
    guard photos.count > 1 else { return (bestID, bestBasis) = (nil, nil) }
    for photo in photos where measured[photo.id] == nil {
      // A detector that failed once isn't waited for again.
      let isKnown = measured.values.allSatisfy { $0.faces != nil }
      let sharpness = await ShotSharpness.measured(of: photo, in: library, detector: isKnown ? detector : nil)
      guard !Task.isCancelled else { return }
      measured[photo.id] = sharpness
    }
    let best = BestShot(among: photos.map { measured[$0.id] ?? .unreadable })
    (bestID, bestBasis) = (best.map { photos[$0.index].id }, best?.basis)
  }
}
