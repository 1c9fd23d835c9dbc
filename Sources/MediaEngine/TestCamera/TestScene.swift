// The test camera's picture: a lake at dusk with hot-air balloons, gulls and a sailing boat.

import CameraCore
import Foundation

/// Draws the scene of one moment. What stands still is drawn once; what moves repeats every two seconds.
///
/// All places are in picture heights from the top left, so that the scene is the same in every size and as wide as the
/// picture. Not for several threads at once.
final class TestScene {
  /// The seconds after which the scene repeats.
  static let period = 2

  let size: PixelSize
  /// The rows above the frame number's bar.
  let floor: Int
  let range: SceneRange
  let aspect: Float
  let sunX: Float
  /// The waterline.
  let horizon: Float = 0.69
  private var backgrounds: [Bool: TestCanvas] = [:]
  let glints: [Glint]

  /// - Parameter size: Both sides even.
  init(size: PixelSize, range: SceneRange) {
    self.size = size
    self.range = range
    floor = size.height - FrameNumberMark.height(inPictureOf: size.height)
    aspect = Float(size.width) / Float(size.height)
    sunX = aspect * 0.66
    glints = Self.makeGlints(sunX: sunX, horizon: horizon, aspect: aspect)
  }

  /// The still part, in daylight or flash.
  func background(isFlash: Bool) -> TestCanvas {
    if let known = backgrounds[isFlash] { return known }
    let canvas = TestCanvas(size: size)
    if isFlash {
      canvas.copy(background(isFlash: false))
      brighten(canvas)
    } else {
      drawBackground(canvas)
      if TestCode.isShown { TestCode.draw(on: canvas, dark: 16, light: 235) }
    }
    backgrounds[isFlash] = canvas
    return canvas
  }

  /// The rectangles in which the scene of a moment differs from its background.
  ///
  /// - Parameter phase: From 0 to 1, through the period.
  func movingBoxes(phase: Float, on canvas: TestCanvas) -> [PixelBox] {
    var boxes = balloons(phase).map { balloon in
      let r = balloon.radius
      return canvas.box(
        x: balloon.x - 1.1 * r...balloon.x + 1.1 * r, y: balloon.y - 1.05 * r...balloon.y + 2 * r, floor: floor)
    }
    boxes += gulls(phase).map { gull in
      canvas.box(
        x: gull.x - 1.2 * gull.span...gull.x + 1.2 * gull.span, y: gull.y - gull.span...gull.y + gull.span, floor: floor
      )
    }
    boxes.append(canvas.box(x: sunX - 0.24...sunX + 0.24, y: horizon...0.96, floor: floor))
    let boat = boatBox
    boxes.append(canvas.box(x: boat.x, y: boat.y, floor: floor))
    return boxes
  }

  /// Draws what moves over a canvas that shows the background.
  func drawMoving(phase: Float, isFlash: Bool, on canvas: TestCanvas) {
    drawGlints(phase, isFlash, canvas)
    drawBoat(phase, isFlash, canvas)
    // The far ones first.
    for balloon in balloons(phase).reversed() { draw(balloon, isFlash, canvas) }
    for gull in gulls(phase) { draw(gull, isFlash, canvas) }
  }

  /// A color, as it looks now.
  func color(_ rgb: UInt32, _ isFlash: Bool = false) -> SceneColor {
    let color = range.color(rgb)
    return isFlash ? flashed(color) : color
  }

  /// Halfway to white. Blending commutes with it: a flashed scene is a scene of flashed colors.
  private func flashed(_ color: SceneColor) -> SceneColor {
    let toWhite = Self.flashStrength
    return SceneColor(
      color.x + (range.white - color.x) * toWhite, 128 + (color.y - 128) * (1 - toWhite),
      128 + (color.z - 128) * (1 - toWhite), color.w)
  }

  private static let flashStrength: Float = 0.45

  private func brighten(_ canvas: TestCanvas) {
    let luma = (0...255).map { UInt8(flashed(SceneColor(Float($0), 128, 128, 1)).x + 0.5) }
    let chroma = (0...255).map { UInt8(flashed(SceneColor(0, Float($0), 128, 1)).y + 0.5) }
    luma.withUnsafeBufferPointer { table in
      for at in 0..<size.area { canvas.luma[at] = table[Int(canvas.luma[at])] }
    }
    chroma.withUnsafeBufferPointer { table in
      for at in 0..<size.area { canvas.blue[at] = table[Int(canvas.blue[at])] }
    }
  }
}
