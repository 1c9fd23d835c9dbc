// The burst of the picture in the viewer: its frames, and the best of them.

import CameraCore
import Foundation
import Observation
import PhotoEffects
import PhotoLibrary

/// Lists the pictures of the burst that the viewer shows one of, and suggests the sharpest.
///
/// Sharpness is measured on the untouched originals, reduced to about 640 pixels, by `Sharpness.tenengrad`: the same files
/// give the same suggestion again.
@MainActor @Observable
public final class BurstReview {
  /// The pictures of the burst, in the order in which they were taken; empty unless there are at least two.
  public private(set) var frames: [Asset] = []
  /// The sharpest picture; `nil` until all are measured.
  public private(set) var bestID: Asset.ID?

  /// The picture that is shown, as a number from 1; `nil` when it is in no burst.
  public var position: Int? { frames.firstIndex { $0.id == viewer.asset?.id }.map { $0 + 1 } }

  /// Whether the picture that is shown is the sharpest.
  public var showsBest: Bool { bestID != nil && bestID == viewer.asset?.id }

  /// “Burst, 3 of 12”; `nil` when the picture is in no burst.
  public var title: String? { position.map { "Burst, \($0) of \(frames.count)" } }

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
  @ObservationIgnored private var observation: ModelObservation?
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var loading: Task<Void, Never>?
  /// The burst that is shown, and whether its hidden pictures are.
  @ObservationIgnored private var shown: Burst?
  /// The sharpness of the pictures of that burst.
  @ObservationIgnored private var measured: [Asset.ID: Double] = [:]

  private struct Burst: Hashable {
    var id: String
    var isHidden: Bool
  }

  /// In pixels.
  private nonisolated static let measuredSize = PixelSize(width: 640, height: 640)

  public init(viewer: ViewerModel, library: PhotoLibrary, messages: MessageModel) {
    self.viewer = viewer
    self.library = library
    self.messages = messages
    observation = ModelObservation(of: { [weak viewer] in
      viewer?.asset.flatMap { asset in asset.burstID.map { Burst(id: $0, isHidden: asset.isHidden) } }
    }) { [weak self] in self?.show($0) }
  }

  deinit {
    listening?.cancel()
    loading?.cancel()
  }

  /// Shows the sharpest picture.
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
    (frames, bestID, measured) = ([], nil, [:])
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
    for frame in frames where measured[frame.id] == nil {
      let sharpness = await Self.sharpness(of: frame, in: library)
      guard !Task.isCancelled else { return }
      measured[frame.id] = sharpness
    }
    bestID = Self.sharpest(of: frames, measured)
  }

  /// The sharpness of the untouched original; -1 for a picture that can't be decoded. That one isn't the best; the viewer
  /// says why when it is opened.
  private nonisolated static func sharpness(of frame: Asset, in library: PhotoLibrary) async -> Double {
    let image = try? await library.originalStill(of: frame.id, targetSize: measuredSize)
    return await Blocking.run { image.map { Sharpness.tenengrad(of: $0) } ?? -1 }
  }

  /// The first of equals.
  private nonisolated static func sharpest(of frames: [Asset], _ measured: [Asset.ID: Double]) -> Asset.ID? {
    frames.max { measured[$0.id] ?? -1 < measured[$1.id] ?? -1 }?.id
  }

  /// The sharpest of these pictures, the first of equals; `nil` for none.
  static func sharpest(of frames: [Asset], in library: PhotoLibrary) async -> Asset.ID? {
    var measured: [Asset.ID: Double] = [:]
    for frame in frames { measured[frame.id] = await sharpness(of: frame, in: library) }
    return sharpest(of: frames, measured)
  }
}
