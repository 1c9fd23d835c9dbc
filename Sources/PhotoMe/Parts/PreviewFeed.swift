// The last step of a frame's way to the screen: from a newest-only mailbox to a view.

import CGtk
import CameraCore
import EngineInterface
import GtkShim

/// Shows a `PreviewSource` in a view.
///
/// A frame waits in the source until the main loop has time. While one is on its way to the screen, a newer one
/// replaces it; and after each painting the loop's idle work gets its turn before the next frame is taken. So a machine
/// that takes longer to paint than the camera's frame interval still responds to keys, timers and screen readers.
@MainActor final class PreviewFeed {
  private let view: GObjectRef
  private let source: any PreviewSource
  private var wakeup: Wakeup?
  private var isResting = false
  private var frameWaits = false

  /// Called before a frame is shown.
  var willShow: (() -> Void)?

  /// - Parameter view: A `PmPreviewView` without another feed.
  init(view: GObjectRef, source: any PreviewSource) {
    self.view = view
    self.source = source
    // Below input and the main queue, above layout and idle work.
    let wakeup = Wakeup(priority: G_PRIORITY_HIGH_IDLE) { [weak self] in self?.frameArrived() }
    self.wakeup = wakeup
    source.setFrameHandler(Self.handler(signaling: wakeup))
    // A frame that came before the handler didn't call it.
    wakeup.signal()
  }

  /// Ends the feed. The picture stays.
  func stop() {
    source.setFrameHandler(nil)
    source.setTarget(nil)
    wakeup = nil
  }

  /// Sets the view's size in device pixels; zero while it isn't on screen.
  func resized(width: Int, height: Int) {
    source.setTarget(width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil)
    // A frame that wasn't painted before the view left the screen never will be.
    isResting = false
    wakeup?.signal()
  }

  /// Records that a frame is on screen since a time; both are nanoseconds of the monotonic clock.
  func shown(time nanoseconds: Int64, since: Int64) {
    source.markShown(MonotonicTime(nanoseconds: nanoseconds), at: MonotonicTime(nanoseconds: since))
  }

  /// A frame has just been painted.
  func painted() {
    guard !isResting else { return }
    isResting = true
    MainLoop.whenIdle { [weak self] in
      guard let self, isResting else { return }
      isResting = false
      if frameWaits { frameArrived() }
    }
  }

  private func frameArrived() {
    guard !isResting else {
      frameWaits = true
      return
    }
    frameWaits = false
    guard wakeup != nil, let frame = source.takeFrame() else { return }
    willShow?()
    view.showFrame(frame)
  }

  /// Made outside the main actor, because the engine's threads call it.
  private nonisolated static func handler(signaling wakeup: Wakeup) -> @Sendable () -> Void {
    { wakeup.signal() }
  }
}

/// The paintable releases the frame when nothing on the way to the screen needs its pixels any longer.
private func releaseFrame(_ owner: UnsafeMutableRawPointer?) {
  owner.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
}

@MainActor extension GObjectRef {
  /// Shows a frame in this `PmPreviewView`, without copying its pixels.
  func showFrame(_ frame: any PreviewFrame) {
    GObjectRef(retaining: pm_preview_view_get_paintable(opaque)).show(frame)
  }

  /// Shows a frame in this `PmPreviewPaintable`, without copying its pixels.
  func show(_ frame: any PreviewFrame) {
    _ = pm_preview_paintable_set_frame(
      opaque, frame.pixels, Int32(frame.size.width), Int32(frame.size.height),
      Int32(frame.stride), gint64(frame.time.nanoseconds), Unmanaged.passRetained(frame as AnyObject).toOpaque(),
      releaseFrame)
  }

  /// Shows a still in this `PmPreviewView`, without copying its pixels.
  func showImage(_ image: DecodedImage) {
    // The block's bytes don't move while it is alive, and the paintable keeps it alive.
    let pixels = image.block.withUnsafeBytes { $0.baseAddress }
    guard let pixels else { return }
    _ = pm_preview_paintable_set_frame(
      pm_preview_view_get_paintable(opaque), pixels, Int32(image.size.width), Int32(image.size.height),
      Int32(image.stride), gint64(MonotonicTime.now.nanoseconds), Unmanaged.passRetained(image.block).toOpaque(),
      releaseFrame)
  }

  /// Makes this `PmPreviewView` black.
  func clearPicture() { pm_preview_paintable_clear(pm_preview_view_get_paintable(opaque)) }
}
