// The part of a picture that an effect changes.

import CameraCore
import Localization

/// Everything, the people in the picture, or what is behind them.
public enum EffectScope: String, CaseIterable, Sendable, Hashable {
  case everywhere
  case person
  case background

  /// The title for people.
  public var title: String {
    switch self {
    case .everywhere: localized("Everywhere", context: "scope of an effect")
    case .person: localized("Person", context: "scope of an effect")
    case .background: localized("Background", context: "scope of an effect")
    }
  }

  /// The weights of an effect's pixels, 0…256, by a byte of the matte. Both fade with presence: with nobody there, nothing is
  /// person or background.
  func weights(presence: Double) -> [UInt16] {
    (0..<256).map { byte in
      let share = Double(self == .person ? byte : 255 - byte) / 255
      return self == .everywhere ? 256 : UInt16((share * min(1, max(0, presence)) * 256).rounded())
    }
  }
}

extension AdjustmentRecipe.EffectSetting {
  private var renderer: any PixelEffect { backdrop.map { BackdropEffect($0) } ?? effect.renderer }

  /// Whether it needs to know where people are.
  public var needsMatte: Bool { intensity > 0 && (scope != .everywhere || effect.renderer.needsMatte) }

  /// Changes a picture in place.
  ///
  /// - Parameter context: With a matte of the view's size where one is needed.
  func apply(to view: PixelView, context: FrameContext, scratch: EffectScratch) {
    func render() {
      renderer.apply(to: view, intensity: intensity, context: context, scratch: scratch)
    }
    guard scope != .everywhere else { return render() }
    guard let matte = context.matte, matte.presence > 0 else { return }
    precondition(matte.size == view.size, "The matte has the picture’s size.")
    scratch.withPixels("scope", count: view.width * view.height) { original in
      for y in 0..<view.height { (original + y * view.width).update(from: view.row(y), count: view.width) }
      render()
      // What isn't changed comes back.
      let weights = scope.weights(presence: matte.presence).map { 256 - $0 }
      matte.block.withUnsafeBytes { bytes in
        RowBands.run(rows: view.height, width: view.width, threads: scratch.threadCount) { rows in
          for y in rows {
            let (row, old, line) = (view.row(y), original + y * view.width, y * view.width)
            for x in 0..<view.width {
              let weight = weights[Int(bytes[line + x])]
              guard weight > 0 else { continue }
              row[x] = weight == 256 ? old[x] : Pixel.mixed(old[x], into: row[x], weight: UInt32(weight))
            }
          }
        }
      }
    }
  }
}
