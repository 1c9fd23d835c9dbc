// A matte that was kept, in place of one that is found.

import CameraCore

/// Gives the matte of one picture that was found before, so that it looks the same again, at once, and also where nobody
/// finds mattes anymore. For movies, and for other mattes than the person's, it asks another provider.
public struct KeptMatteProvider: MatteProvider {
  private let matte: Matte
  private let others: (any MatteProvider)?

  /// - Parameters:
  ///   - matte: Of the still.
  ///   - others: `nil` where nobody tells people from the background.
  public init(_ matte: Matte, others: (any MatteProvider)?) { (self.matte, self.others) = (matte, others) }

  public var kinds: Set<MatteKind> { (others?.kinds ?? []).union([.person]) }

  public func reasonForAbsence() -> (any Error)? { others.map { $0.reasonForAbsence() } ?? RecipeError.noMattes }

  /// - Throws: The reason of the other provider.
  public func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker {
    if kind == .person, quality == .still { return KeptMatteTracker(matte: matte) }
    guard let others else { throw RecipeError.noMattes }
    return try others.makeTracker(kind, quality: quality)
  }
}

/// Gives the same matte for each size of its picture.
private final class KeptMatteTracker: MatteTracker {
  private let matte: Matte

  init(matte: Matte) { self.matte = matte }

  func matte(of picture: LentPixels, time: Double) -> Matte { matte.reduced(to: picture.size) }
}
