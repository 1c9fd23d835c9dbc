// The sentences about problems that are found in several places.

import CameraCore
import Localization

extension LibraryVerifier {
  /// A file or record that the index describes differently.
  static func disagreement(_ path: String) -> String { localized("“\(path)” doesn’t match the library’s index.") }

  /// A file with other bytes than before, without having been written to.
  static func silentChange(_ path: String) -> String {
    localized("The contents of “\(path)” changed although no app has written to it. The disk may be failing.")
  }

  /// A file that can't be read.
  static func unreadable(_ path: String, _ error: PhotoLibraryError) -> String {
    localized("“\(path)” can’t be read: \(error.description.asClause).")
  }

  /// Advice for the user.
  enum Advice {
    static let rebuildCommand = "photomectl library rebuild"
    static let forgetMissing = "photomectl library verify --forget-missing"

    static var rebuild: String { localized("Run “\(rebuildCommand)”.") }

    static var unreadable: String {
      localized("Check its permissions and the disk, and copy what can be read to another disk.")
    }

    static var original: String { localized("Restore it from a backup. The edited version isn’t affected.") }

    static func broken(isEdited: Bool) -> String {
      isEdited
        ? localized("Revert it to the original, or restore it from a backup.")
        : localized("Restore it from a backup, or copy it again from where it came from.")
    }
  }
}
