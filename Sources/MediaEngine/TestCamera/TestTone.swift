// The test camera's sound: a beep every second, at the same instant as the flash.

import Foundation

/// The built-in microphone's signal: 48 kHz, mono, signed 16-bit little endian.
///
/// Sample `i` is the one at `i / 48 000` seconds of `CLOCK_MONOTONIC`. In the first 100 ms of each second 1 kHz sounds
/// at -9 dBFS, with an onset of 1 ms; the rest is a hum of 240 Hz at -60 dBFS, by which a recording of quiet is told
/// from none.
public enum TestTone {
  public static let sampleRate = 48_000

  /// One second of the signal. Both tones go through whole waves in it.
  private static let second: [Int16] = {
    let peak = 32_767.0
    return (0..<sampleRate).map { index in
      let time = Double(index) / Double(sampleRate)
      let hum = peak * pow(10, -60.0 / 20) * sin(2 * .pi * 240 * time)
      // Up in 1 ms, down in 5 ms.
      let envelope = min(1, time / 0.001, max(0, (0.1 - time) / 0.005))
      let beep = peak * pow(10, -9.0 / 20) * envelope * sin(2 * .pi * 1000 * time)
      return Int16((hum + beep).rounded()).littleEndian
    }
  }()

  /// Writes the samples from an absolute index on.
  ///
  /// - Parameters:
  ///   - samples: The room to fill.
  ///   - index: Seconds on `CLOCK_MONOTONIC` times 48 000; not negative.
  public static func fill(_ samples: UnsafeMutableBufferPointer<Int16>, from index: Int64) {
    precondition(index >= 0, "The monotonic clock doesn’t run below zero.")
    second.withUnsafeBufferPointer { second in
      var source = Int(index % Int64(sampleRate))
      var target = 0
      while target < samples.count {
        let count = min(sampleRate - source, samples.count - target)
        _ = UnsafeMutableBufferPointer(rebasing: samples[target..<target + count])
          .update(from: UnsafeBufferPointer(rebasing: second[source..<source + count]))
        target += count
        source = 0
      }
    }
  }
}
