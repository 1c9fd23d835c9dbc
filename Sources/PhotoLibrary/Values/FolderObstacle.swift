// The reasons for which a folder can't be used, with their messages.

import Localization

/// What keeps a folder from being used.
public enum FolderObstacle: Sendable, Hashable {
  /// There is no such folder.
  case missing
  /// Something that isn't a folder has its name.
  case notFolder
  /// It is a symbolic link, or is reached through one, where none is followed.
  case symbolicLink
  /// It can't be created; the reason is the system's.
  case system(String)

  /// The obstacle, as a sentence with its remedy.
  func message(_ path: String) -> String {
    switch self {
    case .missing: localized("The folder “\(path)” doesn’t exist. Create it, or choose another folder.")
    case .notFolder:
      localized(
        """
        The folder “\(path)” can’t be used because something else has its name. Move that somewhere else, or choose \
        another folder.
        """)
    case .symbolicLink:
      localized(
        """
        The folder “\(path)” can’t be used because it’s a symbolic link or inside one, which PhotoMe doesn’t follow \
        there. Move the link somewhere else, or choose another folder.
        """)
    case .system(let reason):
      localized("The folder “\(path)” can’t be used: \(reason). Create it, or choose another folder.")
    }
  }
}
