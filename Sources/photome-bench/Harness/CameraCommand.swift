// The virtual camera for PhotoMe and its peers, as a process of its own.

import ArgumentParser
import CameraCore
import DrawnPeople
import Foundation
import MediaEngine
import PhotoEffects
import PipeWireShim

/// `photome-bench camera`: shows the test camera's frames as a PipeWire camera, until it is ended.
///
/// In a process of its own, so that its cost is counted for no contestant.
struct CameraCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "camera", abstract: "Offer the test camera through PipeWire.", shouldDisplay: false)

  @Argument var name: String
  @Option var encoding = "MJPG"
  @Option var size = PixelSize(width: 1280, height: 720)
  @Flag(help: "Show a drawn person instead, as Motion JPEG.") var person = false

  /// Frames a second of everything that is measured.
  static let rate = FrameRate(30)

  func run() throws {
    if person { return try showPerson() }
    let format = CameraFormat(
      encoding: encoding == "MJPG" ? .motionJPEG : .raw(encoding), size: size, frameRates: [Self.rate])
    let renderer = try TestFrameRenderer(format: format, rate: Self.rate)
    // The scene repeats after two seconds; only the frame number differs, by a few bytes.
    var room = renderer.rawByteCount ?? 0
    if format.encoding == .motionJPEG {
      for number in 0..<60 { room = max(room, try renderer.makeFrame(number: Int64(number)).count + 4096) }
    }
    let camera = pipewire_camera_new(
      name, encoding, UInt32(size.width), UInt32(size.height), UInt32(Self.rate.numerator), UInt32(room))
    guard let camera else { throw BenchError("PipeWire did not take the camera.") }
    var number = TestCamera.frameNumber(at: .now, rate: Self.rate) + 1
    while !pipewire_camera_has_failed(camera) {
      let frame = try renderer.makeFrame(number: number)
      let time = TestCamera.time(ofFrame: number, rate: Self.rate)
      Self.sleep(until: time)
      _ = frame.withUnsafeBytes { bytes in
        bytes.baseAddress.map { pipewire_camera_send(camera, $0, UInt32(bytes.count), time.nanoseconds) }
      }
      number = max(number + 1, TestCamera.frameNumber(at: .now, rate: Self.rate))
    }
    throw BenchError("PipeWire has ended the connection.")
  }

  /// Shows a drawn person who sways, with a camera's noise, in a second that repeats.
  private func showPerson() throws {
    var random = BenchRandom(seed: 11)
    let frames = try (0..<30).map { number -> Data in
      let sway = Int((Double(size.height) / 40 * sin(Double(number) / 30 * 2 * .pi)).rounded())
      return try PixelBuffer(raw: Data(DrawnPerson.picture(size, offset: sway)), size: size)
        .addingNoise(deviation: 3, using: &random).jpeg()
    }
    let room = frames.map(\.count).max() ?? 0
    let camera = pipewire_camera_new(
      name, "MJPG", UInt32(size.width), UInt32(size.height), UInt32(Self.rate.numerator), UInt32(room))
    guard let camera else { throw BenchError("PipeWire did not take the camera.") }
    var number = TestCamera.frameNumber(at: .now, rate: Self.rate) + 1
    while !pipewire_camera_has_failed(camera) {
      let time = TestCamera.time(ofFrame: number, rate: Self.rate)
      Self.sleep(until: time)
      _ = frames[Int(number % 30)].withUnsafeBytes { bytes in
        bytes.baseAddress.map { pipewire_camera_send(camera, $0, UInt32(bytes.count), time.nanoseconds) }
      }
      number = max(number + 1, TestCamera.frameNumber(at: .now, rate: Self.rate))
    }
    throw BenchError("PipeWire has ended the connection.")
  }

  private static func sleep(until time: MonotonicTime) {
    var when = timespec(
      tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nil) == EINTR {}
  }
}

extension PixelSize: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
