// A pipeline reports why it can't start, in words that fit into a sentence.

import CGStreamer
import CameraCore
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct PipelineTests {
  @Test func messagesHaveNoPeriod() {
    #expect(
      PipelineFailure(element: "a", message: "Internal data stream error.").message == "Internal data stream error")
    #expect(PipelineFailure(element: "a", message: "it is 3.5 mm short").message == "it is 3.5 mm short")
    #expect("".asClause == "" && ".".asClause == "")
  }

  @Test(arguments: [false, true]) @PipelineActor
  func aRefusalIsAnEventBehindItsReason(isPaused: Bool) async throws {
    let pipeline = try Pipeline(name: "refusing", baseTime: nil)
    let source = try AppSource.make(caps: "video/x-raw", isLive: false)
    let sink = try Element("filesink", name: "file")
    sink.set("location", "/nonexistent/folder/movie.mp4")
    try pipeline.add(chain: [source, sink])
    if isPaused { pipeline.pauseInBackground() } else { pipeline.playInBackground() }
    var elements: [String] = []
    for await event in pipeline.events {
      guard case .failed(let failure) = event else { continue }
      #expect(!failure.message.hasSuffix("."))
      elements.append(failure.element)
      if failure.element == "pipeline" { break }
    }
    // GStreamer 1.22 posts a second, plainer error of its own after the sink's.
    #expect(elements.first == "file" && elements.last == "pipeline")
    await pipeline.stopInBackground(atMost: .seconds(1200))
    #expect(pipeline.isDown)
  }

  @Test @PipelineActor func whatHangsIsLeftToItself() async throws {
    let pipe = try NamedPipe()
    let pipeline = try Pipeline(name: "hanging", baseTime: nil)
    let sink = try Element("filesink")
    sink.set("location", pipe.path)
    try pipeline.add(chain: [try AppSource.make(caps: "video/x-raw", isLive: false), sink])
    pipeline.playInBackground()
    let down = OneShot<Void, CameraError>()
    await pipeline.stopInBackground(atMost: .milliseconds(20)) { down.decide(.success(())) }
    #expect(!pipeline.isDown && down.result == nil)
    // Asked again, it waits again, no longer than that.
    await pipeline.stopInBackground(atMost: .milliseconds(20))
    #expect(!pipeline.isDown)
    #expect(await pipe.releaseWriters { down.result != nil })
    try await down.wait()
  }

  @Test("Of many errors the first is kept: it names the reason") @PipelineActor
  func theFirstErrorIsKept() async throws {
    let pipeline = try Pipeline(name: "failing", baseTime: nil)
    let sink = try Element("fakesink")
    try pipeline.add(chain: [sink])
    for number in 0..<40 { sink.report("error \(number)", GST_RESOURCE_ERROR_FAILED) }
    var events = pipeline.events.makeAsyncIterator()
    guard case .failed(let failure)? = await events.next() else {
      Issue.record("no error")
      return
    }
    #expect(failure.message == "error 0")
    await pipeline.stopInBackground(atMost: .seconds(1200))
  }

  @Test("A buffer's time in the movie is that of its edit list")
  func movieTime() throws {
    try GStreamerRuntime.start()
    let buffer = try #require(gst_buffer_new())
    defer { gst_buffer_unref(buffer) }
    var segment = GstSegment()
    gst_segment_init(&segment, GST_FORMAT_TIME)
    // An edit list that begins after a second.
    segment.start = 1_000_000_000
    segment.time = 0
    buffer.pointee.pts = 1_500_000_000
    #expect(buffer.movieTime(by: &segment) == 500_000_000)
    #expect(buffer.movieTime(by: nil) == 1_500_000_000)
    buffer.pointee.pts = 900_000_000
    #expect(buffer.movieTime(by: &segment) == nil, "before it")
    buffer.pointee.pts = GStreamerRuntime.noTime
    #expect(buffer.movieTime(by: &segment) == nil)
  }
}
