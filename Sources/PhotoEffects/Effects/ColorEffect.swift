// Effects that change colours only: monochromes, moods and palettes.

/// A look that depends on a pixel's own colour alone, so it is the same at every size.
public struct ColorEffect: PixelEffect {
  public let look: ColorLook

  public init(_ look: ColorLook) { self.look = look }

  public func apply(to view: PixelView, intensity: Double, context: FrameContext, scratch: EffectScratch) {
    Self.tables[look]?.apply(to: view, intensity: intensity, threads: scratch.threadCount)
  }

  /// Made once, when the first colour effect is used: some 20 KB each.
  private static let tables = Dictionary(
    uniqueKeysWithValues: ColorLook.allCases.map { ($0, ColorTables($0.transform)) })
}
