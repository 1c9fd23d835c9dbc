// Movies of live photos: every frame at its time, sound in step with the picture, a file that readers know.

import CameraCore
import Foundation
import MediaFormats
import Synchronization
import Testing

@testable import MediaEngine

@Suite struct LivePhotoWriterTests {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-movie-\(UUID().uuidString)")

  private func write(
    _ window: LiveWindow, writer: LivePhotoWriter = LivePhotoWriter(limits: EngineLimits())
  ) async throws -> (movie: CapturedMovie, file: [UInt8]) {
    let movie = try await writer.write(window, into: folder)
    return (movie, [UInt8](try Data(contentsOf: movie.url)))
  }

  private func leftovers() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  @Test func everyFrameIsThereAtItsTime() async throws {
    defer { remove() }
    let (movie, file) = try await write(try LivePhotoSample.window())
    #expect(abs(movie.duration - 3) < 0.001)
    #expect(movie.hasSound)
    #expect(abs(movie.photoDisplayTime - 1.5) < 0.0001)
    #expect(leftovers() == [movie.url.lastPathComponent])

    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.count == 90)
    for (index, picture) in read.pictures.enumerated() {
      #expect(abs(picture.time - Double(index) / 30) < 0.0001)
      #expect(picture.number == UInt32(LivePhotoSample.first) + UInt32(index))
    }
    #expect(read.videoCaps.contains("colorimetry=(string)bt709"))

    // Details that readers check: the brands, the index in front, a duration within 50 ms of 3 s.
    let boxes = try MP4Box.boxes(in: file[...])
    #expect(boxes.first?.type == "ftyp")
    #expect(String(decoding: file[8..<12], as: UTF8.self) == "mp42")
    let types = boxes.map(\.type)
    #expect(try #require(types.firstIndex(of: "moov")) < #require(types.firstIndex(of: "mdat")))
    let head = try #require(boxes.first { $0.type == "moov" }?["mvhd"])
    let (scale, duration) = (try head.number(at: 12, 4), try head.number(at: 16, 4))
    #expect(abs(Double(duration) / Double(scale) - 3) < 0.001)
  }

  @Test func flashAndBeepAreInStep() async throws {
    defer { remove() }
    let (movie, _) = try await write(try LivePhotoSample.window())
    let read = try LivePhotoReading(movie.url)
    #expect(read.flashes.count == 3 && read.beeps.count == 3)
    for (flash, beep) in zip(read.flashes, read.beeps) { #expect(abs(flash - beep) < 0.002, "\(flash) \(beep)") }
    // To within a packet: GStreamer 1.22 stops one packet before the edit's end, other decoders one after.
    #expect(abs(read.samples.count - 144_000) <= 1_024)
    #expect(read.soundStart == 0)
  }

  @Test(arguments: SoundEncoder.installed(), [1, 2])
  func everySoundEncodersDelayIsSkipped(_ encoder: SoundEncoder, channels: Int) async throws {
    defer { remove() }
    let writer = LivePhotoWriter(limits: EngineLimits(), soundEncoders: { [encoder] })
    let (movie, _) = try await write(try LivePhotoSample.window(count: 60, channels: channels), writer: writer)
    let read = try LivePhotoReading(movie.url)
    #expect(read.audioCaps.contains("channels=(int)\(channels)"))
    // 17 frames after the start; by the time a beep is as loud as that, 5 samples have gone.
    #expect(abs((read.beeps.first ?? 0) - 17.0 / 30) < 0.001, "\(encoder.element) \(read.beeps)")
  }

  @Test func jitterOfTheCameraIsKept() async throws {
    defer { remove() }
    let jitter: (Int) -> Int64 = { $0 == 0 ? 0 : Int64(($0 * 7919) % 9_000_000 - 4_500_000) * 3 / 2 }
    let window = try LivePhotoSample.window(count: 45, still: 20, jitter: jitter)
    let (movie, _) = try await write(window)
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.count == 45)
    for (picture, frame) in zip(read.pictures, window.frames) {
      #expect(abs(picture.time - (frame.time - window.frames[0].time).seconds) < 0.0001)
    }
    #expect(abs(movie.photoDisplayTime - read.pictures[20].time) < 0.00002)
  }

  @Test func withoutSoundThereIsNoTrack() async throws {
    defer { remove() }
    let (movie, file) = try await write(try LivePhotoSample.window(count: 20, sound: nil))
    #expect(!movie.hasSound)
    #expect(try LivePhotoReading(movie.url).pictures.count == 20)
    #expect(!String(decoding: file, as: UTF8.self).contains("soun"))
  }

  @Test func lateSoundStaysInItsPlace() async throws {
    defer { remove() }
    // The microphone was opened one second after the first frame, and fell silent too early.
    let (movie, _) = try await write(try LivePhotoSample.window(sound: 1.0...2.2))
    let read = try LivePhotoReading(movie.url)
    #expect(movie.hasSound)
    #expect(read.beeps.count == 1)
    #expect(abs((read.beeps.first ?? 0) - 47.0 / 30) < 0.002)
    // To within a packet: GStreamer 1.22 stops one packet before the edit's end, other decoders one after.
    #expect(abs(read.samples.count - 144_000) <= 1_024)
  }

  @Test(arguments: ["YUY2", "NV12", "I420"])
  func rawFramesAreWritten(_ layout: String) async throws {
    defer { remove() }
    let window = try LivePhotoSample.window(LivePhotoSample.format(.raw(layout), "640x480"), count: 20)
    let (movie, _) = try await write(window)
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.compactMap(\.number) == (0..<20).map { UInt32(LivePhotoSample.first) + $0 })
  }

  @Test(arguments: [FrameEncoding.motionJPEG, .raw("I420")])
  func colorsAreTheStills(_ encoding: FrameEncoding) async throws {
    defer { remove() }
    let window = try LivePhotoSample.window(LivePhotoSample.format(encoding), count: 12, still: 5)
    let (movie, _) = try await write(window)
    let image = try #require(try LivePhotoReading(movie.url, keeping: [5]).images.first)
    let still = try Self.image(of: window.still)
    for (row, column) in [(0, 0), (1, 2), (2, 1), (3, 3)] {
      let (a, b) = (Self.mean(image, row, column), Self.mean(still, row, column))
      for channel in 0..<3 { #expect(abs(a[channel] - b[channel]) < 3, "\(row) \(column) \(a) \(b)") }
    }
  }

  /// A frame as the screen shows it.
  private static func image(of frame: CameraFrame) throws -> DecodedImage {
    guard case .raw(let layout) = frame.content else {
      return try frame.block.withUnsafeBytes { try JPEGDecoder().decode($0) }
    }
    return LivePhotoReading.image(frame.block.bytes, layout, red: 0.299, blue: 0.114)
  }

  /// The mean color of one of 4×4 parts of a picture.
  private static func mean(_ image: DecodedImage, _ row: Int, _ column: Int) -> [Double] {
    let (width, height) = (image.size.width / 4, image.size.height / 4)
    var sums = [0, 0, 0]
    image.block.withUnsafeBytes { bytes in
      for y in row * height..<(row + 1) * height {
        for x in column * width..<(column + 1) * width {
          for channel in 0..<3 { sums[channel] += Int(bytes[y * image.stride + 4 * x + channel]) }
        }
      }
    }
    return sums.map { Double($0) / Double(width * height) }
  }

  @Test func theNextEncoderTakesOver() async throws {
    defer { remove() }
    // One that isn't there, one that gives no H.264, one that works.
    let broken = [
      VideoEncoder(element: "photomemissingenc", isHardware: true), VideoEncoder(element: "identity", isHardware: true),
    ]
    let works = try #require(VideoEncoder.known.last { GStreamerRuntime.has($0.element) })
    let writer = LivePhotoWriter(limits: EngineLimits(), encoders: { broken + [works] })
    let (movie, _) = try await write(try LivePhotoSample.window(count: 20), writer: writer)
    #expect(try LivePhotoReading(movie.url).pictures.count == 20)
    #expect(leftovers() == [movie.url.lastPathComponent])
  }

  @Test func aBrokenSoundEncoderCostsTheSoundOnly() async throws {
    defer { remove() }
    let broken = SoundEncoder(element: "photomemissingenc", delay: 0)
    let writer = LivePhotoWriter(limits: EngineLimits(), soundEncoders: { [broken] })
    let (movie, _) = try await write(try LivePhotoSample.window(count: 10), writer: writer)
    #expect(!movie.hasSound)
  }

  @Test func whenNoEncoderWorksNothingIsLeft() async throws {
    defer { remove() }
    let broken = [VideoEncoder(element: "identity", isHardware: false)]
    let writer = LivePhotoWriter(limits: EngineLimits(), encoders: { broken })
    await #expect(throws: CameraError.self) {
      try await writer.write(try LivePhotoSample.window(count: 10), into: folder)
    }
    #expect(leftovers().isEmpty)
  }

  @Test func brokenFramesAreLeftOut() async throws {
    defer { remove() }
    var window = try LivePhotoSample.window(count: 10, sound: nil)
    window.frames[4].block = FrameBlock(copying: UnsafeRawBufferPointer(start: nil, count: 0))
    let (movie, _) = try await write(window)
    let read = try LivePhotoReading(movie.url)
    #expect(read.pictures.count == 9)
    #expect(abs(read.pictures[4].time - 5.0 / 30) < 0.0001)
    for index in window.frames.indices {
      window.frames[index].block = FrameBlock(copying: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    await #expect(throws: CameraError.movieFailed(message: "none of its pictures can be decoded")) {
      try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    }
    #expect(leftovers() == [movie.url.lastPathComponent])
  }

  @Test func aFolderThatCantBeIsSaid() async throws {
    defer { remove() }
    try Data().write(to: folder)
    let error = await #expect(throws: CameraError.self) {
      try await LivePhotoWriter(limits: EngineLimits())
        .write(try LivePhotoSample.window(count: 5), into: folder.appendingPathComponent("below"))
    }
    #expect(error?.description.contains(folder.path) == true)
  }

  @Test func theDiskIsAskedOnNoThreadOfSwift() async throws {
    defer { remove() }
    let asked = Mutex<[Bool]>([])
    let note = { @Sendable in
      let isOnPool = withUnsafeCurrentTask { $0 != nil }
      asked.withLock { $0.append(isOnPool) }
    }
    var disk = MovieOutput.Disk()
    let plain = disk
    disk.prepare = { folder throws(CameraError) in
      note()
      try plain.prepare(folder)
    }
    disk.write = {
      note()
      return plain.write($0, $1)
    }
    disk.remove = {
      note()
      plain.remove($0)
    }
    let writer = LivePhotoWriter(limits: EngineLimits(), disk: disk)
    let (movie, _) = try await write(try LivePhotoSample.window(count: 10, sound: nil), writer: writer)
    #expect(leftovers() == [movie.url.lastPathComponent])
    #expect(asked.withLock { $0 } == [false, false, false])
  }

  @Test(.timeLimit(.minutes(30))) func aDiskThatHangsIsSaid() async throws {
    defer { remove() }
    let gate = DispatchSemaphore(value: 0)
    var limits = EngineLimits()
    limits.movieIndex = .milliseconds(20)
    let written = OneShot<Void, Never>()
    var disk = MovieOutput.Disk()
    let plain = disk
    disk.write = {
      gate.wait()
      return plain.write($0, $1)
    }
    disk.remove = {
      plain.remove($0)
      if !$0.hasSuffix(".mux.tmp") { written.decide(.success(())) }
    }
    let writer = LivePhotoWriter(limits: limits, disk: disk)
    let window = try LivePhotoSample.window(count: 10, sound: nil)
    await #expect(throws: CameraError.movieFailed(message: "the disk with “\(folder.path)” isn’t responding")) {
      try await write(window, writer: writer)
    }
    // What is written in the end is nobody's.
    gate.signal()
    await written.wait()
    #expect(leftovers().isEmpty)
  }

  @Test func cancellationLeavesNothing() async throws {
    defer { remove() }
    let writer = LivePhotoWriter(limits: EngineLimits())
    let window = try LivePhotoSample.window()
    let tasks = (0..<5).map { _ in Task { try await writer.write(window, into: folder) } }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CameraError.self) { try await task.value } }
    #expect(leftovers().isEmpty)
    #expect(writer.gate.waitingCount == 0)
    // The places are free again.
    #expect(try await write(try LivePhotoSample.window(count: 5), writer: writer).movie.duration > 0)
  }

  @Test func twoAreWrittenAtATime() async throws {
    defer { remove() }
    let writer = LivePhotoWriter(limits: EngineLimits())
    let window = try LivePhotoSample.window(count: 12)
    let count = try await withThrowingTaskGroup(of: URL.self) { group in
      for _ in 0..<12 { group.addTask { try await writer.write(window, into: folder).url } }
      return try await group.reduce(into: Set()) { $0.insert($1) }.count
    }
    #expect(count == 12 && leftovers().count == 12)
    #expect(writer.gate.mostInside == LivePhotoWriter.placeCount)
  }

  @Test func framesAreLetGoAsTheyAreEncoded() throws {
    var window: LiveWindow? = try LivePhotoSample.window(count: 6)
    let frames = try #require(window.flatMap { MovieFrames($0) })
    weak let first = window?.frames[0].block
    weak let last = window?.frames[5].block
    window = nil
    #expect(first != nil && frames.isWhole)
    frames.release(before: 3)
    #expect(first == nil && last != nil && !frames.isWhole)
    #expect(frames.frame(2) == nil && frames.frame(3) != nil)
  }

  @Test func missingPartsAreNamed() {
    let everything: (String) -> Bool = { _ in true }
    #expect(LivePhotoEncoders.capability(everything) == .available)
    #expect(LivePhotoEncoders.missingParts(everything).isEmpty)
    let h264 = VideoEncoder.known.map(\.element)
    let noH264 = LivePhotoEncoders.missingParts { !h264.contains($0) }
    #expect(noH264.count == 1 && noH264[0].description.contains("gstreamer1.0-plugins-ugly"))
    let noSound = LivePhotoEncoders.missingParts { !["fdkaacenc", "avenc_aac", "voaacenc"].contains($0) }
    #expect(noSound.count == 1 && noSound[0].description.contains("gstreamer1.0-libav"))
    guard case .unavailable(let reason) = LivePhotoEncoders.capability({ $0 != "h264parse" }) else {
      Issue.record("a live photo can't be made without h264parse")
      return
    }
    #expect(reason.contains("gstreamer1.0-plugins-bad"))
    // Hardware comes first, and any one encoder is enough.
    #expect(VideoEncoder.installed(everything).first?.isHardware == true)
    #expect(LivePhotoEncoders.capability { $0 == "openh264enc" || !h264.contains($0) } == .available)
  }
}
