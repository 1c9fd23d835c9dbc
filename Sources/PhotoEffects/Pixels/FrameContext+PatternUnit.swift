// The length against which radii, dots and lines are measured, so that a preview looks as the saved picture does.

extension FrameContext {
  /// A thousandth of the full picture's long side, in pixels of `view`: 1.92 for a 1920×1080 picture at full size, 0.64 for
  /// its preview of 640×360; times `patternScale`.
  ///
  /// A full size of another shape than the view's is taken as it is, but not so far that radii get larger than the view.
  func patternUnit(in view: PixelView) -> Float {
    let longSide = Float(max(1, fullSize.width, fullSize.height))
    let unit = longSide / 1000 * Float(view.width) / Float(max(1, fullSize.width)) * Float(patternScale)
    return min(unit, Float(max(view.width, view.height)) / 50)
  }
}
