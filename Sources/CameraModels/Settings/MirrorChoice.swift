// Mirroring of the viewfinder and of the files.

import Localization

/// What is mirrored.
public enum MirrorChoice: String, CaseIterable, Sendable {
  case nothing
  /// People see themselves as in a mirror; the file shows them as others see them.
  case viewfinder
  /// Files are saved as they were previewed.
  case files

  /// The name in menus.
  public var title: String {
    switch self {
    case .nothing: localized("Off", context: "mirror")
    case .viewfinder: localized("Camera View", context: "mirror")
    case .files: localized("Files Too", context: "mirror")
    }
  }
}

extension AppSettings {
  /// What is mirrored.
  public var mirror: MirrorChoice {
    get { !isMirrored ? .nothing : capture.savesAsPreviewed ? .files : .viewfinder }
    set {
      isMirrored = newValue != .nothing
      // The choice for files is as it was when the viewfinder is a mirror again.
      if isMirrored { capture.savesAsPreviewed = newValue == .files }
    }
  }
}
