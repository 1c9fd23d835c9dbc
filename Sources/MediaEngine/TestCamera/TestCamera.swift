// The built-in camera: its device, its formats and the timing of its frames.

import CameraCore
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The camera that is always there: a moving dusk scene with the frame number in the picture, and a flash each second.
///
/// Frame `n` at `f` frames a second is the frame of the instant `n / f` seconds on `CLOCK_MONOTONIC`. In the first 100
/// ms of each of that clock's seconds the picture is bright, and `TestTone` beeps: picture and sound can be compared
/// with each other and with the clock.
public enum TestCamera {
  /// Its formats, the default first: Motion JPEG, the raw layouts of webcams and capture cards, a sensor's pattern,
  /// and 10 bits a sample.
  public static let formats: [CameraFormat] = {
    let full = [30, 15, 10, 5].filter { $0 <= maximumFrameRate }.map { FrameRate($0) }
    let sizes = ["1280x720", "1920x1080", "640x480", "640x360"].compactMap { PixelSize($0) }
    let encodings: [FrameEncoding] = [
      .motionJPEG, .raw("YUY2"), .raw("NV12"), .raw("I420"), .bayer("grbg"), .raw("P010_10LE"),
    ]
    return encodings.flatMap { encoding in
      sizes.map { CameraFormat(encoding: encoding, size: $0, frameRates: full) }
    }
  }()

  /// The most frames a second: what the environment variable `PHOTOME_TEST_RATE` says, from 5 on. Many windows side by side
  /// needn't draw as many as a camera sends.
  private static var maximumFrameRate: Int {
    ProcessInfo.processInfo.environment["PHOTOME_TEST_RATE"].flatMap { Int($0) }.map { max(5, $0) } ?? 30
  }

  /// The test camera in the device list.
  public static let device = CameraDevice(
    id: CameraDevice.testID, name: "Test Camera", kind: .test, formats: formats)

  /// The test tone in the device list.
  public static let microphone = MicrophoneDevice(
    id: CameraDevice.testID, name: "Test Tone", kind: .test, isDefault: false)

  /// The frame that is current at an instant: the last one whose time has come.
  public static func frameNumber(at time: MonotonicTime, rate: FrameRate) -> Int64 {
    let span = 1_000_000_000 * Int64(rate.denominator)
    let (numerator, nanoseconds) = (Int64(rate.numerator), time.nanoseconds)
    // In two steps, since nanoseconds times a rate overflow after some years of uptime; and rounded up to match `time`,
    // which rounds down.
    return nanoseconds / span * numerator + ((nanoseconds % span + 1) * numerator - 1) / span
  }

  /// The time of a frame, rounded down to nanoseconds.
  public static func time(ofFrame number: Int64, rate: FrameRate) -> MonotonicTime {
    let (numerator, denominator) = (Int64(rate.numerator), Int64(rate.denominator))
    let (rounds, rest) = number.quotientAndRemainder(dividingBy: numerator)
    let span = 1_000_000_000 * denominator
    return MonotonicTime(nanoseconds: rounds * span + rest * span / numerator)
  }

  /// Whether a frame is one of the bright ones: those of the first 100 ms of a second.
  public static func isFlash(frame number: Int64, rate: FrameRate) -> Bool {
    let numerator = Int64(rate.numerator)
    return number % numerator * Int64(rate.denominator) % numerator * 10 < numerator
  }
}

extension MonotonicTime {
  /// Blocks the calling thread until an instant; for threads of our own only, never for the pool's.
  static func sleep(until time: MonotonicTime) {
    var due = timespec()
    due.tv_sec = Int(time.nanoseconds / 1_000_000_000)
    due.tv_nsec = Int(time.nanoseconds % 1_000_000_000)
    while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &due, nil) == EINTR {}
  }
}
