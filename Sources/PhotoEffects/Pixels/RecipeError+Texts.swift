// The messages of the errors of an edit's recipe.

import Foundation
import Localization

extension RecipeError {
  public var description: String {
    switch self {
    case .unknownFormat(let identifier):
      localized(
        """
        The edit was made by another program (“\(identifier)”). Revert to the original to edit the picture here.
        """)
    case .newerVersion(let version, let supported):
      localized(
        """
        The edit was made by a newer version of PhotoMe (its format is \(version), this version reads \(supported)). \
        Update PhotoMe, or revert to the original.
        """)
    case .malformedVersion(let version):
      localized(
        "The edit’s format version “\(version)” can’t be read. Revert to the original to edit the picture again.")
    case .malformed(let message):
      localized(
        "The edit’s settings can’t be read: \(message). Revert to the original to edit the picture again.",
        comment: "{0} is the reason")
    case .unknownKeys(let keys):
      localized(
        """
        The edit has settings that this version of PhotoMe doesn’t know: \(keys.localizedList). Update PhotoMe, \
        or revert to the original.
        """)
    case .unknownEffect(let name, let known):
      localized("There is no effect “\(name)”. Available effects: \(known.localizedList).")
    case .unknownAdjustment(let name, let known):
      localized("There is no adjustment “\(name)”. Available adjustments: \(known.localizedList).")
    case .unknownScope(let name):
      localized(
        "“\(name)” isn’t a part of the picture. Choose one of: \(EffectScope.allCases.map(\.rawValue).localizedList).",
        comment: "{1} is a list of words that are typed")
    case .badScope(let effect):
      localized("“\(effect)” changes the whole picture. It can’t be set on the person or the background alone.")
    case .unknownBackdrop(let name, let known):
      localized(
        """
        There is no backdrop “\(name)”. Available backdrops: \(known.localizedList), colors like #1a5fb4, and the paths of \
        pictures and videos.
        """,
        comment: "{1} is a list of words that are typed")
    case .missingBackdrop:
      localized("The picture or video that is the backdrop isn’t in the library. Choose another backdrop.")
    case .badBackdrop(let effect): localized("“\(effect)” has no backdrop.")
    case .noMattes:
      localized("PhotoMe can’t separate people from the background. Choose another effect.")
    case .tooManyStrokes:
      localized("There is no room for more brush strokes. Undo some, or choose Reset.")
    case .outOfRange(let name, let value, let lowest, let highest):
      localized(
        "“\(name)” can’t be set to \(Self.text(value)). It can be from \(Self.text(lowest)) to \(Self.text(highest)).",
        comment: "{0} is the name of a setting")
    case .badTurn(let degrees):
      localized("A picture can’t be turned by \(degrees)°. Turn it by 0°, 90°, 180°, or 270°.")
    case .badCrop:
      localized(
        """
        The crop is empty or reaches outside the picture. Its left edge, top edge, width, and height are fractions of the \
        picture, from 0 to 1.
        """)
    case .badTrim(let start, let end):
      localized(
        "The trim from \(Self.text(start)) s to \(Self.text(end)) s is empty. Its end must come after its start.")
    case .keyPhotoOutsideTrim(let time, let start, let end):
      localized(
        """
        The key photo at \(Self.text(time)) s is outside the trim from \(Self.text(start)) s to \(Self.text(end)) s. Choose \
        a key photo inside the trim.
        """)
    case .unknownPlaybackStyle(let name, let known):
      localized("There is no playback style “\(name)”. Available styles: \(known.localizedList).")
    case .noMovie(let file):
      localized(
        "“\(file)” has no video. Key photo, trim, mute, and playback style are for live photos and videos only.")
    case .notLive(let file):
      localized("“\(file)” is a video, not a live photo, so it has no key photo or playback style.")
    case .notStill(let file):
      localized("“\(file)” is a video. Red eyes are removed from photos only.")
    case .behindEnd(.keyPhoto, let time, let duration):
      localized(
        "The key photo at \(Self.text(time)) s is after the end of the video at \(Self.rounded(duration)) s.")
    case .behindEnd(.trimStart, let time, let duration):
      localized(
        "The trim starts at \(Self.text(time)) s, after the end of the video at \(Self.rounded(duration)) s.")
    case .tooLarge(let size, let longestSide):
      localized("The picture is too large to edit: \(size) pixels. Each side can have up to \(longestSide).")
    case .wrongTargetSize(let given, let needed):
      localized("The edited picture has \(needed) pixels, but the target has \(given).")
    }
  }

  /// All decimals that make a difference.
  private static func text(_ value: Double) -> String { value.localized(decimals: 0...15) }

  private static func rounded(_ seconds: Double) -> String { seconds.localized(decimals: 0...3) }
}
