// The gallery of a camera's effects, rendered on a thread of its own while it is in view.

import CameraCore
import Dispatch
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization

/// Renders each effect in view from one small decoded frame, at a reduced rate, beside the viewfinder.
///
/// Frames come through a tap on the preview's pump, which is set only while there is a scene.
final class GalleryPump: EffectGallery {
  /// The least time between two rounds of pictures: of 30 frames a second every second one is rendered.
  static let interval = TimeSpan(nanoseconds: 60_000_000)

  /// The niceness of the thread: the viewfinder and shots come first.
  static let niceness: Int32 = 5

  private let pump: PreviewPump
  private let mattes: (any MatteProvider)?
  private let backdrops: (any BackdropProvider)?
  private let core = Mutex<GalleryCore?>(nil)
  /// A lock of its own, as in a preview: it is held while the handler runs.
  private let handler = Mutex<(@Sendable () -> Void)?>(nil)

  /// - Parameters:
  ///   - pump: The source of the camera's frames.
  ///   - mattes: Tells people from the background; `nil` where nobody does.
  init(pump: PreviewPump, mattes: (any MatteProvider)? = nil, backdrops: (any BackdropProvider)? = nil) {
    (self.pump, self.mattes, self.backdrops) = (pump, mattes, backdrops)
  }

  deinit { setScene(nil) }

  func setScene(_ scene: EffectGalleryScene?) {
    core.withLock { core in
      guard let scene, !scene.settings.isEmpty, scene.size.width > 0, scene.size.height > 0 else {
        guard let ended = core else { return }
        pump.setTap(nil)
        ended.end()
        core = nil
        return
      }
      if let core { return core.setScene(scene) }
      let made = GalleryCore(scene, mattes: mattes, backdrops: backdrops) { [weak self] in
        self?.handler.withLock { $0?() }
      }
      core = made
      let thread = Thread { made.run() }
      thread.name = "effects"
      thread.start()
      pump.setTap { made.offer($0) }
    }
  }

  func setPictureHandler(_ handler: (@Sendable () -> Void)?) { self.handler.withLock { $0 = handler } }

  func takePictures() -> [String: any PreviewFrame] { core.withLock { $0?.takePictures() ?? [:] } }

  /// Whether a thread waits for frames. For tests.
  var isAtWork: Bool { core.withLock { $0 != nil } }

  /// The number of frames that were rendered since there is a scene. For tests.
  var roundCount: Int { core.withLock { $0?.roundCount ?? 0 } }
}

/// The state that a gallery shares with its thread.
private final class GalleryCore: Sendable {
  private struct State {
    var scene: EffectGalleryScene
    /// The frame that waits to be rendered.
    var pending: CameraFrame?
    /// The time of the last frame that was accepted.
    var accepted: MonotonicTime?
    /// The pictures that wait to be painted.
    var ready: [String: PooledPreviewFrame] = [:]
    var roundCount = 0
    var hasEnded = false
  }

  private let state: Mutex<State>
  private let wakeUp = DispatchSemaphore(value: 0)
  private let onPictures: @Sendable () -> Void

  private let mattes: (any MatteProvider)?
  private let backdrops: (any BackdropProvider)?

  init(
    _ scene: EffectGalleryScene, mattes: (any MatteProvider)?, backdrops: (any BackdropProvider)?,
    onPictures: @escaping @Sendable () -> Void
  ) {
    self.backdrops = backdrops
    self.mattes = mattes
    state = Mutex(State(scene: scene))
    self.onPictures = onPictures
  }

  var roundCount: Int { state.withLock { $0.roundCount } }

  func setScene(_ scene: EffectGalleryScene) { state.withLock { $0.scene = scene } }

  func takePictures() -> [String: any PreviewFrame] {
    state.withLock { state in
      defer { state.ready = [:] }
      return state.ready
    }
  }

  func end() {
    state.withLock { state in
      state.hasEnded = true
      state.pending = nil
      state.ready = [:]
    }
    wakeUp.signal()
  }

  /// Called on the streaming thread; never blocks on the rendering.
  func offer(_ frame: CameraFrame) {
    let mustWake = state.withLock { state in
      guard !state.hasEnded else { return false }
      // Another camera's clock may begin anew.
      if let accepted = state.accepted, frame.time >= accepted, frame.time - accepted < GalleryPump.interval {
        return false
      }
      state.accepted = frame.time
      let wasEmpty = state.pending == nil
      state.pending = frame
      return wasEmpty
    }
    if mustWake { wakeUp.signal() }
  }

  /// The thread's main function.
  func run() {
    // 0 names the calling thread.
    _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, GalleryPump.niceness)
    let renderer = GalleryRenderer(mattes: mattes, backdrops: backdrops)
    while true {
      wakeUp.wait()
      let (isEnd, work) = state.withLock { state in
        defer { state.pending = nil }
        return (state.hasEnded, state.pending.map { ($0, state.scene) })
      }
      if isEnd { return }
      guard let (frame, scene) = work else { continue }
      deliver(renderer.render(frame, as: scene) { state.withLock { !$0.hasEnded } })
    }
  }

  private func deliver(_ pictures: [String: PooledPreviewFrame]) {
    let mustCall = state.withLock { state in
      guard !state.hasEnded, !pictures.isEmpty else { return false }
      let wasTaken = state.ready.isEmpty
      state.ready.merge(pictures) { $1 }
      state.roundCount += 1
      return wasTaken
    }
    if mustCall { onPictures() }
  }
}

/// Renders the pictures of one frame after another, reusing decoder and memory.
private final class GalleryRenderer {
  private let decoder = PreviewRenderer()
  /// One thread: the other cores are for the viewfinder and for shots.
  private let scratch = EffectScratch()
  private var pool: PreviewPool?
  private var processors: [AdjustmentRecipe.EffectSetting: FrameProcessor] = [:]
  private let mattes: (any MatteProvider)?
  private let backdrops: (any BackdropProvider)?
  /// Of the mattes that settings need; `nil` for one that couldn't be made: models aren't read again for each frame.
  private var trackers: [MatteKind: (any MatteTracker)?] = [:]

  init(mattes: (any MatteProvider)?, backdrops: (any BackdropProvider)?) {
    (self.mattes, self.backdrops) = (mattes, backdrops)
  }

  /// - Parameter goesOn: Asked before each picture.
  /// - Returns: The pictures by their effects' names, without those whose memory is still in use by the screen; empty for a
  ///   frame that can't be decoded.
  func render(
    _ frame: CameraFrame, as scene: EffectGalleryScene, goesOn: () -> Bool
  ) -> [String: PooledPreviewFrame] {
    guard let plain = decoder.render(frame, as: .init(target: scene.size)) else { return [:] }
    let pool = pool(for: plain.size)
    // Of what can't be rendered without one there is no picture.
    let mattes = mattes(of: plain, for: scene)
    var pictures: [String: PooledPreviewFrame] = [:]
    for setting in scene.settings {
      guard goesOn(), let memory = pool.take() else { break }
      guard draw(setting, of: plain, setting?.matteKind.flatMap { mattes[$0] }, into: memory, fullSize: frame.size)
      else {
        pool.giveBack(memory)
        continue
      }
      if scene.isMirrored { PreviewRenderer.mirrorRows(of: memory.bytes, size: plain.size) }
      pictures[EffectGalleryScene.name(of: setting)] = PooledPreviewFrame(time: frame.time, memory: memory, pool: pool)
    }
    return pictures
  }

  /// The mattes of a frame that the scene's effects need, each once for all of them.
  private func mattes(of plain: PooledPreviewFrame, for scene: EffectGalleryScene) -> [MatteKind: Matte] {
    guard let mattes else { return [:] }
    let kinds = Set(scene.settings.compactMap { $0?.matteKind })
    trackers = trackers.filter { kinds.contains($0.key) }
    let bytes = UnsafeRawBufferPointer(start: plain.pixels, count: plain.stride * plain.size.height)
    var found: [MatteKind: Matte] = [:]
    for kind in kinds {
      let tracker = trackers[kind] ?? (try? mattes.makeTracker(kind, quality: .live))
      trackers[kind] = .some(tracker)
      found[kind] = try? tracker?.matte(
        of: LentPixels(bytes, size: plain.size, stride: plain.stride), time: Double(plain.time.nanoseconds) / 1e9)
    }
    return found
  }

  private func draw(
    _ setting: AdjustmentRecipe.EffectSetting?, of plain: PooledPreviewFrame, _ matte: Matte?, into memory: PixelMemory,
    fullSize: PixelSize
  ) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: plain.pixels, count: plain.stride * plain.size.height)
    guard let setting else {
      memory.bytes.copyMemory(from: bytes)
      return true
    }
    do {
      // Dragging the strength makes a new setting with each step.
      if processors.count > 4 * Effect.all.count { processors = [:] }
      let processor =
        try processors[setting] ?? FrameProcessor(AdjustmentRecipe(setting), mattes: mattes, backdrops: backdrops)
      processors[setting] = processor
      var context = processor.thumbnailContext(of: plain.size, fullSize: fullSize)
      context.matte = matte
      try processor.render(
        PixelView(reading: bytes, size: plain.size, stride: plain.stride),
        into: PixelView(writing: memory.bytes, size: plain.size, stride: plain.stride),
        context: context, scratch: scratch)
      return true
    } catch {
      // The last picture that could be rendered stays.
      return false
    }
  }

  private func pool(for size: PixelSize) -> PreviewPool {
    if let pool, pool.size == size { return pool }
    // For each effect: on screen, waiting for the painter, being rendered, and one to spare.
    let made = PreviewPool(size: size, capacity: 4 * (Effect.all.count + 1))
    pool = made
    return made
  }
}
