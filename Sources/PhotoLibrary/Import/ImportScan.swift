// The result of scanning files and folders for an import.

import CameraCore
import Foundation
import Localization

/// A picture or movie outside of the library.
struct ImportFile: Sendable, Hashable {
  /// Absolute.
  var path: String
  /// The status when it was scanned: if it differs at the time of copying, the rest of this is outdated.
  var status: Disk.Status
  var facts: FileFacts
  /// The SHA-256 of the whole file; `nil` when it was neither needed nor requested.
  var digest: String?
  /// The path of an identical file: one of the library, or an earlier one of the same scan.
  var duplicateOf: String?
  /// Files of the library that may be identical and could not be read.
  var uncompared: [String] = []
  /// The DNG of its raw frame, beside it as in a library; `nil` without one.
  var raw: Raw?

  /// A DNG that belongs to a picture.
  struct Raw: Sendable, Hashable {
    /// Absolute.
    var path: String
    /// The status when it was scanned.
    var status: Disk.Status
  }
}

/// One asset to import.
struct ImportCandidate: Sendable, Hashable {
  /// A photo or a movie.
  var file: ImportFile
  /// The other files of the same shot: see `FilePairs`.
  var parts: [ImportFile] = []

  /// Whether the library has all of it already.
  var isDuplicate: Bool { ([file] + parts).allSatisfy { $0.duplicateOf != nil } }
}

/// A file that can't be imported.
struct UnusableImport: Sendable, Hashable, CustomStringConvertible {
  enum Reason: Sendable, Hashable {
    /// The file is empty.
    case empty
    /// It begins like a picture or movie, and is truncated or damaged before the image.
    case cutShort
    /// A movie file with sound and no picture.
    case soundOnly
    /// It is named like a picture or movie, or was given by the user, and isn't one.
    case noPicture
    /// A picture or movie in an unsupported format; its file extension, in lowercase.
    case unknownKind(String)
    /// The DNG of a photo that PhotoMe took, without the photo.
    case rawOfAnother
    /// A picture or movie with the wrong file extension; the right one.
    case misnamed(String)
    /// A symbolic link; only links that the user gives are followed.
    case link
    /// A device, a pipe, or something else without content of its own.
    case special
    /// The name isn't UTF-8.
    case nameIsNoText
    /// It is in the hidden folder of a library.
    case libraryRecords
    /// It doesn't exist, or reading it failed; in words.
    case unreadable(String)
  }

  /// Absolute; bytes that are not UTF-8 are replaced.
  var path: String
  var reason: Reason

  init(path: String, reason: Reason) { (self.path, self.reason) = (path, reason) }

  /// - Returns: `nil` for a problem with an entry that isn't named like a picture or movie, and that the user didn't
  ///   give.
  init?(_ problem: FolderWalk.Problem) {
    path = problem.path
    let isNamedAsPicture = FileFacts.Kind(name: Disk.name(of: path)) != nil
    switch problem.reason {
    case .unreadable(let words): reason = .unreadable(words)
    case .nameIsNoText: reason = .nameIsNoText
    case .excluded: reason = .libraryRecords
    case .link:
      guard isNamedAsPicture else { return nil }
      reason = .link
    case .linkedFolder: return nil
    case .special:
      guard isNamedAsPicture || problem.isGiven else { return nil }
      reason = .special
    }
  }

  /// A sentence for the user.
  var description: String {
    switch reason {
    case .empty: localized("“\(path)” is empty.")
    case .cutShort:
      localized(
        """
        “\(path)” is cut short and contains no complete picture. Copy it again from where it came from.
        """)
    case .soundOnly: localized("“\(path)” contains only sound. PhotoMe imports photos and videos.")
    case .noPicture: localized("“\(path)” isn’t a photo or video.")
    case .unknownKind(let ending):
      localized(
        """
        PhotoMe can’t show “\(path)”. It can read the formats \
        \((PhotoFormat.allCases.map(\.name) + MovieFormat.allCases.map(\.name)).localizedList), but not “.\(ending)”.
        """)
    case .rawOfAnother:
      localized("“\(path)” is the RAW part of a photo that isn’t beside it. Import both together.")
    case .misnamed(let ending):
      localized(
        """
        “\(path)” has the wrong file extension. Change it to “.\(ending)” and import the file again.
        """)
    case .link: localized("“\(path)” is a symbolic link. Import the file it points to.")
    case .special: localized("“\(path)” isn’t a regular file.")
    case .nameIsNoText: localized("The name of “\(path)” isn’t valid UTF-8 text. Rename the file and import it again.")
    case .libraryRecords: localized("“\(path)” is one of the library’s own records.")
    case .unreadable(let reason): localized("“\(path)” can’t be read: \(reason.asClause).")
    }
  }
}

/// The files found, in the order in which they were given, and by name within folders.
struct ImportScan: Sendable, Hashable {
  /// Including duplicates.
  var candidates: [ImportCandidate] = []
  var unusable: [UnusableImport] = []
  var skipped: [ImportReport.Skipped] = []
}

/// The progress of a scan.
struct ImportProgress: Sendable, Hashable {
  /// The number of files found so far; final once `lookedAt` is above 0.
  var found = 0
  var lookedAt = 0
  /// The size of the files found.
  var foundBytes: UInt64 = 0
  /// The size of the files read.
  var lookedAtBytes: UInt64 = 0
}
