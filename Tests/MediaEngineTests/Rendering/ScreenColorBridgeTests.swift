// The bridge to the colors of the screen: all frames and the end arrive, and a pipeline that is held up can be stopped.

import CGStreamer
import CameraCore
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct ScreenColorBridgeTests {
  /// Frames of 12 megabytes after conversion, of which the bridge's source takes a few.
  private func chain(frameCount: Int, isHeldUp: Bool) throws -> (chain: [Element], sink: Element) {
    try GStreamerRuntime.start()
    let source = try Element("videotestsrc")
    source.set("num-buffers", frameCount)
    let form = try Element("capsfilter")
    form.setCaps("video/x-raw,format=(string)I420_10LE,width=(int)3840,height=(int)2160,framerate=(fraction)1/1")
    let sink = try Element("fakesink")
    // As the bridge's own sink, which takes nothing before the pipeline plays.
    sink.set("async", false)
    // A frame is shown each second; the source makes them as fast as it can.
    sink.set("sync", isHeldUp)
    return ([source, form] + (try ScreenColorBridge.elements(niceness: 0)) + [sink], sink)
  }

  private func pipeline(_ elements: [Element]) throws -> Pipeline {
    let pipeline = try Pipeline(name: "screen color bridge", baseTime: nil)
    // The bridge's sink and source aren't linked.
    try pipeline.add(chain: Array(elements.prefix(4)))
    try pipeline.add(chain: Array(elements.dropFirst(4)))
    return pipeline
  }

  @Test func framesAndTheEndArrive() async throws {
    let pipeline = try pipeline(chain(frameCount: 3, isHeldUp: false).chain)
    pipeline.playInBackground()
    var isEnded = false
    for await event in pipeline.events {
      switch event {
      case .endOfStream: isEnded = true
      case .failed(let failure): Issue.record("\(failure)")
      }
      break
    }
    #expect(isEnded)
    await withCheckedContinuation { continuation in pipeline.abandon { continuation.resume() } }
  }

  @Test func aPipelineThatIsHeldUpStops() async throws {
    let (elements, _) = try chain(frameCount: -1, isHeldUp: true)
    let pipeline = try pipeline(elements)
    let source = elements[4]
    pipeline.playInBackground()
    // The room for frames is used up: the next one waits.
    var level: guint64 = 0
    while level + (12 << 20) <= 64 << 20 {
      level = gst_app_src_get_current_level_bytes(source.pointer.cast(to: GstAppSrc.self))
      await Task.yield()
    }
    await withCheckedContinuation { continuation in pipeline.abandon { continuation.resume() } }
  }
}
