// Rendering of an effect on a part of a picture.

import CameraCore

extension AdjustmentRecipe.EffectSetting {
  /// - Parameter source: Of an own backdrop.
  private func renderer(_ source: (any BackdropSource)?) -> any PixelEffect {
    backdrop.map { BackdropEffect($0, source: source) } ?? effect.renderer
  }

  /// The own picture or movie behind the person; `nil` for an effect without one.
  ///
  /// - Throws: `RecipeError.missingBackdrop`, or the error of the provider.
  func backdropSource(from backdrops: (any BackdropProvider)?) throws -> (any BackdropSource)? {
    guard intensity > 0, case .own(let own) = backdrop else { return nil }
    return try own.source(from: backdrops)
  }

  /// The scope of an effect that has one.
  public var chosenScope: EffectScope? { effect.hasScope ? scope : nil }

  /// Whether it needs to know where people are.
  public var needsMatte: Bool { matteKind != nil }

  /// The matte that it needs; `nil` for none.
  public var matteKind: MatteKind? {
    guard intensity > 0 else { return nil }
    return effect.renderer.needsMatte ? .person : scope.matteKind
  }

  /// Changes a picture in place.
  ///
  /// - Parameters:
  ///   - context: With a matte of the view's size where one is needed.
  ///   - source: Of an own backdrop.
  func apply(
    to view: PixelView, context: FrameContext, scratch: EffectScratch, source: (any BackdropSource)? = nil
  ) {
    let renderer = renderer(source)
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
