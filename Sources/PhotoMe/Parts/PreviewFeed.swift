// The last metres of a frame: from a newest-only mailbox to the viewfinder.

import CGtk
import CameraCore
import EngineInterface
import GtkShim

/// Shows a `PreviewSource` in a viewfinder for as long as it lives.
///
/// A frame waits in the source until the main loop has time. While one is on its way to the screen a newer one replaces
/// it; and after each painting the loop's idle work gets its turn before the next frame is taken, so that a machine on
/// which painting takes longer than the camera's frame interval still answers to keys, timers and screen readers.
@MainActor final class PreviewFeed {
  private let view: GObjectRef
  private let source: any PreviewSource
  private var wakeup: Wakeup?
  private var isResting = false
  private var frameWaits = false

  /// - Parameter view: A `PmPreviewView`. It must have no other living feed.
  init(view: GObjectRef, source: any PreviewSource) {
    self.view = view
    self.source = source
    // Below input and the main queue, above layout and idle work.
    let wakeup = Wakeup(priority: G_PRIORITY_HIGH_IDLE) { [weak self] in self?.frameArrived() }
    self.wakeup = wakeup
    source.setFrameHandler(Self.handler(signalling: wakeup))
    // A frame that came before the handler does not call it.
    wakeup.signal()
  }

  /// Ends the feed. The picture stays.
  func stop() {
    source.setFrameHandler(nil)
    source.setTarget(nil)
    wakeup = nil
  }

  /// The viewfinder has this many device pixels now.
  func resized(width: Int, height: Int) {
    source.setTarget(width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil)
    // What was not painted when the view left the screen never will be.
    isResting = false
    wakeup?.signal()
  }

  /// The frame of this time is on the screen since that instant, both in nanoseconds of the monotonic clock.
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
    view.showFrame(frame)
  }

  /// Made outside the main actor, because engine threads call it.
  private nonisolated static func handler(signalling wakeup: Wakeup) -> @Sendable () -> Void {
    { wakeup.signal() }
  }
}

/// The paintable gives the frame back when nothing on the way to the screen needs its pixels any more.
private func releaseFrame(_ owner: UnsafeMutableRawPointer?) {
  owner.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
}

@MainActor extension GObjectRef {
  /// Shows a frame in this viewfinder. Its pixels are not copied.
  func showFrame(_ frame: any PreviewFrame) {
    GObjectRef(retaining: pm_preview_view_get_paintable(opaque)).show(frame)
  }

  /// Shows a frame in this `PmPreviewPaintable`. Its pixels are not copied.
  func show(_ frame: any PreviewFrame) {
    _ = pm_preview_paintable_set_frame(
      opaque, frame.pixels, Int32(frame.size.width), Int32(frame.size.height),
      Int32(frame.stride), gint64(frame.time.nanoseconds), Unmanaged.passRetained(frame as AnyObject).toOpaque(),
      releaseFrame)
  }

  /// Shows a still in this viewfinder. Its pixels are not copied.
  func showImage(_ image: DecodedImage) {
    // The block keeps its bytes in one place for as long as it lives, and the paintable keeps the block.
    let pixels = image.block.withUnsafeBytes { $0.baseAddress }
    guard let pixels else { return }
    _ = pm_preview_paintable_set_frame(
      pm_preview_view_get_paintable(opaque), pixels, Int32(image.size.width), Int32(image.size.height),
      Int32(image.stride), gint64(MonotonicTime.now.nanoseconds), Unmanaged.passRetained(image.block).toOpaque(),
      releaseFrame)
  }

  /// Makes this viewfinder black.
  func clearPicture() { pm_preview_paintable_clear(pm_preview_view_get_paintable(opaque)) }
}
