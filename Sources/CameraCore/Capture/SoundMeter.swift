// Meter of a microphone: peaks that decay on the dBFS scale, overload, and digital silence.

import Foundation
import Localization

/// The level of a microphone as a meter shows it.
public struct SoundLevel: Hashable, Sendable {
  /// The lowest level of the scale, in dBFS: the noise of a quiet room is about there.
  public static let floor = -60.0

  /// The peak in dBFS, `floor`…0.
  public var decibels: Double
  /// Whether samples reached full scale a moment ago: it sounds distorted.
  public var isOverloaded: Bool

  public init(decibels: Double = SoundLevel.floor, isOverloaded: Bool = false) {
    self.decibels = min(0, max(Self.floor, decibels.isNaN ? Self.floor : decibels))
    self.isOverloaded = isOverloaded
  }

  /// The length of a meter's bar, 0…1; linear in decibels.
  public var fraction: Double { 1 - decibels / Self.floor }

  /// The level in words, in steps of 5 dB: a screen reader that followed each change would never be quiet.
  public var text: String {
    if isOverloaded { return localized("Too loud", comment: "The level of a microphone") }
    let step = Int((decibels / 5).rounded()) * -5
    if -step <= Int(Self.floor) { return localized("Quiet", comment: "The level of a microphone") }
    let number = step == 0 ? step.localized : "−\(step.localized)"
    return localized("\(number) decibel", plural: "\(number) decibels", count: step)
  }
}

/// Turns the peaks of a microphone's chunks into what a meter shows and whether the microphone hears anything at all.
///
/// A peak rises at once and falls by 20 dB in 1.7 s, as IEC 60268-18 has it for digital peak meters. Time is the chunks'
/// own: nothing runs while no sound comes, and the result depends on nothing else.
///
///     var meter = SoundMeter()
///     let reading = meter.receive(peak: chunk.peak, from: chunk.time, to: chunk.end)
///     if let level = reading.level { show(level) }
public struct SoundMeter: Sendable {
  /// The news of a chunk; `nil` for what has not changed or is not due.
  public struct Reading: Equatable, Sendable {
    public var level: SoundLevel?
    /// Whether the microphone has sent nothing but zeros for `silence`.
    public var isSilent: Bool?
  }

  /// In dB a second.
  public static let decay = 20 / 1.7
  /// The least time between two levels.
  public static let interval = TimeSpan(nanoseconds: 1_000_000_000 / 15)
  /// The time that an overload is shown.
  public static let overloadHold = TimeSpan.seconds(1)
  /// A microphone that is muted sends zeros; one that works sends noise, however quiet the room is. Some send zeros for
  /// a moment when they are opened.
  public static let silence = TimeSpan.seconds(5)
  /// The absolute value of the loudest sample.
  public static let fullScale = 32_768

  /// In dBFS, without a lower limit.
  private var level = -Double.infinity
  private var measured: MonotonicTime?
  private var overload: MonotonicTime?
  private var silentSince: MonotonicTime?
  private var isSilent = false
  private var shown: (level: SoundLevel, at: MonotonicTime)?

  public init() {}

  /// Takes a chunk.
  ///
  /// - Parameters:
  ///   - peak: The greatest absolute value of its samples, 0…32768.
  ///   - start: The time of its first sample; not before that of the chunk before.
  public mutating func receive(peak: Int, from start: MonotonicTime, to end: MonotonicTime) -> Reading {
    let end = max(end, measured ?? end)
    let fallen = measured.map { level - ($0 < end ? end - $0 : .zero).seconds * Self.decay } ?? -.infinity
    level = max(fallen, Self.decibels(of: peak))
    measured = end
    if peak >= Self.fullScale - 1 { overload = end }
    return Reading(level: levelToShow(at: end), isSilent: silenceNews(peak, start, end))
  }

  /// A sample's absolute value in dBFS; minus infinity for zero.
  public static func decibels(of peak: Int) -> Double {
    peak <= 0 ? -.infinity : min(0, 20 * log10(Double(peak) / Double(fullScale)))
  }

  private mutating func levelToShow(at time: MonotonicTime) -> SoundLevel? {
    let isOverloaded = overload.map { time - $0 < Self.overloadHold } ?? false
    // Whole decibels: finer ones can't be seen, and a steady sound wakes nobody.
    let level = SoundLevel(decibels: max(level, SoundLevel.floor).rounded(), isOverloaded: isOverloaded)
    if let shown, time - shown.at < Self.interval || shown.level == level { return nil }
    shown = (level, time)
    return level
  }

  private mutating func silenceNews(_ peak: Int, _ start: MonotonicTime, _ end: MonotonicTime) -> Bool? {
    guard peak == 0 else {
      silentSince = nil
      defer { isSilent = false }
      return isSilent ? false : nil
    }
    let since = silentSince ?? start
    silentSince = since
    guard !isSilent, end - since >= Self.silence else { return nil }
    isSilent = true
    return true
  }
}

extension SoundChunk {
  /// The greatest absolute value of its samples, 0…32768.
  public var peak: Int {
    block.withUnsafeBytes { bytes in
      var (low, high) = (Int16.zero, Int16.zero)
      for sample in bytes.bindMemory(to: Int16.self) {
        low = min(low, sample)
        high = max(high, sample)
      }
      return max(-Int(low), Int(high))
    }
  }
}
