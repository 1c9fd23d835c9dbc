// The rules for a picture's light, by the percentiles of its brightness.

/// Exposure, brightness, contrast, highlights and shadows of an enhancement.
///
/// The curves are monotone, so a percentile of the result is the curve's value of the original's percentile: each rule is solved by
/// bisection on `ToneFormulas` without rendering anything. The ranges are those of ordinary pictures: white near the top of the scale,
/// as every automatic level does with the outermost half percent left out against noise and glints; a median around middle gray
/// (18 % of the light, 0.46 as sRGB; Reinhard et al., “Photographic Tone Reproduction for Digital Images”, 2002), from low key
/// to high key; and the outer percentiles apart by more than half of the scale.
struct LightRules {
  private(set) var adjustments = Adjustments()

  private let black: Double
  private let dark: Double
  private let median: Double
  private let bright: Double
  private let white: Double
  private let lightest: Double
  private let quarter: Double

  /// Pictures with less between their darkest and brightest pixels are a surface, or the inside of a pocket.
  private static let leastSpread = 0.04
  /// The rules change what others have reached; after this many rounds, by less than can be seen.
  private static let rounds = 3

  /// - Parameter sample: Of the original.
  init(_ sample: PictureSample) {
    black = sample.percentile(0.005)
    dark = sample.percentile(0.02)
    quarter = sample.percentile(0.25)
    median = sample.percentile(0.5)
    bright = sample.percentile(0.95)
    white = sample.percentile(0.98)
    lightest = sample.percentile(0.995)
    guard lightest - black >= Self.leastSpread else { return }
    for _ in 0..<Self.rounds { applyRules() }
  }

  private mutating func applyRules() {
    let (dark, quarter, median, bright, white, lightest) = (dark, quarter, median, bright, white, lightest)
    // White. It stops where the picture is bright in the middle: fog has no white.
    move(\.exposure, to: 1.5) { Self.result(of: lightest, $0) >= 0.85 || Self.result(of: median, $0) >= 0.6 }
    // The middle. The limit keeps a night a night.
    move(\.brightness, to: 0.5) { Self.result(of: median, $0) >= 0.33 }
    move(\.brightness, to: -0.4) { Self.result(of: median, $0) <= 0.72 }
    move(\.contrast, to: 0.8) { Self.result(of: white, $0) - Self.result(of: dark, $0) >= 0.6 }
    // Large bright areas keep some drawing.
    move(\.highlights, to: -0.4) { Self.result(of: bright, $0) <= 0.96 }
    // A quarter of the picture that is nearly black is a face against the light.
    move(\.shadows, to: 0.4) { Self.result(of: quarter, $0) >= 0.1 }
  }

  /// Moves an adjustment from where it is toward a limit, until a condition is met.
  private mutating func move(
    _ keyPath: WritableKeyPath<Adjustments, Double>, to limit: Double, until isMet: (Adjustments) -> Bool
  ) {
    guard !isMet(adjustments) else { return }
    // One rule doesn't undo what another one did.
    guard adjustments[keyPath: keyPath] * limit >= 0 else { return }
    func changed(_ value: Double) -> Adjustments {
      var changed = adjustments
      changed[keyPath: keyPath] = value
      return changed
    }
    var (unmet, met) = (adjustments[keyPath: keyPath], limit)
    if isMet(changed(limit)) {
      for _ in 0..<16 {
        let middle = (unmet + met) / 2
        if isMet(changed(middle)) { met = middle } else { unmet = middle }
      }
    }
    adjustments = changed(met)
  }

  /// The brightness of a gray of the original after adjustments.
  private static func result(of brightness: Double, _ adjustments: Adjustments) -> Double {
    let formulas = ToneFormulas(adjustments)
    let curved = formulas.curve(brightness, channel: 1)
    return min(max(curved * formulas.gain(brightness: curved), 0), 1)
  }
}
