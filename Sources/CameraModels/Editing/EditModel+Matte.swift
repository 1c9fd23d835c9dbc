// Corrections of the person's matte, by a brush.

import CameraCore
import Foundation
import Localization
import PhotoEffects

extension EditModel {
  /// Whether there is a matte that can be corrected: the picture has a still, and an effect that needs to know where the
  /// person is.
  public var canCorrectMatte: Bool { !isVideo && recipe.effect?.matteKind == .person }

  public func setBrush(_ mode: MatteStroke.Mode) {
    endStroke()
    brush.mode = mode
  }

  /// - Parameter size: As `MatteBrush.size`.
  public func setBrushSize(_ size: Double) { brush.size = size }

  /// Makes the brush larger, or smaller for negative steps.
  public func resizeBrush(by steps: Int) { brush.resize(by: steps) }

  /// Tints the person, or shows the effect.
  public func showMatte(_ isShown: Bool) {
    guard isShown != showsMatte else { return }
    showsMatte = isShown
    updatePreview()
  }

  /// Begins a stroke, with the brush or with its opposite. It is one step that can be undone.
  ///
  /// - Parameters:
  ///   - x: The place in the result's picture, in parts of its width; `y` of its height. It may be outside.
  ///   - isReversed: Whether it takes away what the brush would add.
  public func beginStroke(x: Double, y: Double, isReversed: Bool = false) {
    guard state == .editing, tab == .matte, canCorrectMatte, let point = mattePoint(x, y) else { return }
    endStroke()
    let mode: MatteStroke.Mode = isReversed ? (brush.mode == .add ? .remove : .add) : brush.mode
    let stroke = MatteStroke(mode, radius: brush.radius, points: [point])
    guard recipe.matteStrokes.count < MatteStroke.mostStrokes, hasRoomForPoint else {
      problem = RecipeError.tooManyStrokes.description
      return
    }
    change(step: Self.strokeStep) { $0.matteStrokes.append(stroke) }
    isDrawing = true
  }

  /// Moves the brush. Ways that are too short to be seen are left out.
  public func continueStroke(x: Double, y: Double) {
    guard isDrawing, state == .editing, canCorrectMatte, let stroke = recipe.matteStrokes.last,
      let last = stroke.points.last, let size = fullSize,
      let point = mattePoint(x, y)
    else { return }
    let longest = Double(max(size.width, size.height))
    let way = SIMD2((point.x - last.x) * Double(size.width), (point.y - last.y) * Double(size.height)) / longest
    guard (way * way).sum().squareRoot() >= stroke.radius * Self.leastWay else { return }
    guard hasRoomForPoint else {
      problem = RecipeError.tooManyStrokes.description
      return endStroke()
    }
    change(step: Self.strokeStep) { $0.matteStrokes[$0.matteStrokes.count - 1].points.append(point) }
  }

  /// The brush was lifted.
  public func endStroke() {
    guard isDrawing else { return }
    isDrawing = false
    endStep()
  }

  /// Removes all corrections.
  public func resetMatte() {
    endStroke()
    change { $0.matteStrokes = [] }
  }

  /// Whether the brush is down.
  public var isDrawingStroke: Bool { isDrawing }

  /// The radius of the brush in the result's picture, in parts of its width and of its height.
  public var brushRadii: (x: Double, y: Double)? {
    guard let size = fullSize else { return nil }
    // Geometry turns and cuts; a pixel stays a pixel.
    let result = recipe.geometry.outputSize(for: size)
    let pixels = brush.radius * Double(max(size.width, size.height))
    return (pixels / Double(max(1, result.width)), pixels / Double(max(1, result.height)))
  }

  /// The name of a step of the history.
  private static let strokeStep = "stroke"
  /// The shortest way that is kept, in parts of the brush's radius: of a shorter one nothing is to be seen.
  private static let leastWay = 0.15

  private var hasRoomForPoint: Bool {
    recipe.matteStrokes.reduce(0) { $0 + $1.points.count } < MatteStroke.mostPoints
  }

  /// The place in the picture before its geometry.
  private func mattePoint(_ x: Double, _ y: Double) -> MatteStroke.Point? {
    guard x.isFinite, y.isFinite, let size = fullSize else { return nil }
    let place = recipe.geometry.source(of: SIMD2(x, y), in: size)
    return MatteStroke.Point(x: place.x, y: place.y)
  }
}
