// The load on the computer as far as it concerns the camera, and what is reduced to relieve it.

/// How hard it is for the computer to keep up. The steps are those of AVFoundation's `SystemPressureState.Level`.
public enum PressureLevel: Int, Comparable, Sendable, CaseIterable {
  /// Everything is shown and kept as the camera sends it.
  case nominal
  /// The preview has fewer frames a second; with an effect about people it may keep them, and finds people in every other one.
  case fair
  /// The preview has fewer frames still, and is decoded at half its size. QR codes are looked for once a second.
  case serious
  /// The preview is as cheap as it gets, QR codes aren't looked for, and movies have half their frames.
  case critical

  public static func < (a: PressureLevel, b: PressureLevel) -> Bool { a.rawValue < b.rawValue }

  /// The name in reports: `nominal`, `fair`, `serious` or `critical`.
  public var name: String { "\(self)" }

  /// The measures of this level. Those of a higher level relieve the computer more. None concerns photos.
  public var measures: PressureMeasures {
    switch self {
    case .nominal: PressureMeasures()
    case .fair: PressureMeasures(previewRate: 20, keepsRateWithMattes: true, mattePeriod: 2)
    case .serious: PressureMeasures(previewRate: 15, previewScale: 0.5, mattePeriod: 2, codeRate: 1)
    case .critical:
      PressureMeasures(previewRate: 10, previewScale: 1.0 / 3, mattePeriod: 2, codeRate: 0, halvesMovies: true)
    }
  }

  /// The next higher level; the highest one is its own.
  var next: PressureLevel { PressureLevel(rawValue: rawValue + 1) ?? self }
  /// The next lower level; the lowest one is its own.
  var previous: PressureLevel { PressureLevel(rawValue: rawValue - 1) ?? self }
}

/// The parts of the camera's work that are left out for a while.
public struct PressureMeasures: Equatable, Sendable {
  /// The most frames a second that are decoded for the preview; `nil` for all.
  public var previewRate: Double?
  /// Whether the preview has all frames nevertheless while people are told from the background in it: that is what costs the
  /// most then, and frames that come too late may do so because of it.
  public var keepsRateWithMattes: Bool
  /// The share of the view's width and height at which frames are decoded, above 0 and up to 1.
  public var previewScale: Double
  /// Of so many frames of the preview, people are told from the background in one; the others have its matte.
  public var mattePeriod: Int
  /// The most frames a second in which QR codes are looked for; `nil` for as many as the search likes.
  public var codeRate: Double?
  /// Whether recorded movies and the movies of live photos have every other frame only.
  public var halvesMovies: Bool

  public init(
    previewRate: Double? = nil, keepsRateWithMattes: Bool = false, previewScale: Double = 1, mattePeriod: Int = 1,
    codeRate: Double? = nil, halvesMovies: Bool = false
  ) {
    self.previewRate = previewRate
    self.keepsRateWithMattes = keepsRateWithMattes
    self.previewScale = previewScale
    self.mattePeriod = mattePeriod
    self.codeRate = codeRate
    self.halvesMovies = halvesMovies
  }
}

/// The level, and the causes of it.
public struct SystemPressure: Equatable, Sendable {
  /// A cause of pressure.
  public enum Factor: Int, Comparable, Sendable, CaseIterable {
    /// A thermal zone is beyond a trip point.
    case temperature
    /// Programs wait for memory.
    case memory
    /// A movie's frames wait for the encoder.
    case movie
    /// Frames came too late for the preview.
    case preview
    /// The desktop's power saver is on.
    case powerSaver

    public static func < (a: Factor, b: Factor) -> Bool { a.rawValue < b.rawValue }
  }

  public var level: PressureLevel
  /// Empty at the nominal level only.
  public var factors: Set<Factor>

  public init(level: PressureLevel = .nominal, factors: Set<Factor> = []) {
    self.level = level
    self.factors = factors
  }

  /// The measures of the level. Heat, memory, and the power saver ask for fewer frames in any case.
  public var measures: PressureMeasures {
    var measures = level.measures
    if factors != [.preview] { measures.keepsRateWithMattes = false }
    return measures
  }
}

/// One reading of everything that tells of pressure.
public struct PressureSignals: Equatable, Sendable {
  /// The highest trip point of the kernel's thermal zones that is reached.
  public enum Temperature: Int, Comparable, Sendable, CaseIterable {
    case normal
    /// The kernel slows the processor down.
    case passive
    case hot
    /// The kernel is about to switch the computer off.
    case critical

    public static func < (a: Temperature, b: Temperature) -> Bool { a.rawValue < b.rawValue }
  }

  /// The share of the frames for the preview that were replaced by a newer one before they were shown, 0 to 1. Frames that
  /// were left out on purpose don't count.
  public var previewLoss: Double
  /// Whether people are told from the background in the preview.
  public var findsPeople: Bool
  /// How full the queue of frames is that wait for a movie's encoder, 0 to 1.
  public var movieBacklog: Double
  /// The share of the last 10 seconds in which some task waited for a processor, in percent: `some avg10` of
  /// `/proc/pressure/cpu`.
  public var processorStall: Double
  /// The same for memory.
  public var memoryStall: Double
  public var temperature: Temperature
  /// Whether the desktop's power saver is on.
  public var savesPower: Bool

  public init(
    previewLoss: Double = 0, findsPeople: Bool = false, movieBacklog: Double = 0, processorStall: Double = 0,
    memoryStall: Double = 0, temperature: Temperature = .normal, savesPower: Bool = false
  ) {
    self.previewLoss = previewLoss
    self.findsPeople = findsPeople
    self.movieBacklog = movieBacklog
    self.processorStall = processorStall
    self.memoryStall = memoryStall
    self.temperature = temperature
    self.savesPower = savesPower
  }
}
