// What a look through files and folders found that can be imported, and what can't be.

import Foundation

/// A picture or movie outside of the library.
struct ImportFile: Sendable, Hashable {
  /// Absolute.
  var path: String
  /// Of the file that was looked at: when it is another at the time of copying, the rest of this doesn't hold.
  var status: Disk.Status
  var facts: FileFacts
  /// The SHA-256 of the whole file; `nil` when it was not needed and not asked for.
  var digest: String?
  /// The path of a file with the same bytes: one of the library, or an earlier one of the same scan.
  var duplicateOf: String?
  /// Files of the library that may have the same bytes, and could not be read.
  var uncompared: [String] = []
}

/// One asset to be.
struct ImportCandidate: Sendable, Hashable {
  /// A photo or a movie.
  var file: ImportFile
  /// The movie of an Apple Live Photo whose photo is `file`.
  var pairedVideo: ImportFile?

  /// All of it is there already.
  var isDuplicate: Bool { file.duplicateOf != nil && (pairedVideo.map { $0.duplicateOf != nil } ?? true) }
}

/// A file that can't be imported.
struct UnusableImport: Sendable, Hashable, CustomStringConvertible {
  enum Reason: Sendable, Hashable {
    /// No bytes at all.
    case empty
    /// It begins as a picture or movie, and ends or breaks before there is one.
    case cutShort
    /// It is called a picture or movie, or was named by the person, and holds none.
    case noPicture
    /// A picture or movie of a kind that PhotoMe doesn't show; the ending of its name, in small letters.
    case unknownKind(String)
    /// A picture or movie whose name says something else; the ending that it should have.
    case misnamed(String)
    /// A symbolic link; they are followed only when they are named by the person.
    case link
    /// A device, a pipe, or something else without content of its own.
    case special
    /// The name is no text, so that no program of the desktop can name it.
    case nameIsNoText
    /// It belongs to the hidden records of a library.
    case libraryRecords
    /// It is not there, or reading it failed; in words.
    case unreadable(String)
  }

  /// Absolute; bytes that are no text are replaced.
  var path: String
  var reason: Reason

  init(path: String, reason: Reason) { (self.path, self.reason) = (path, reason) }

  /// - Returns: `nil` for a problem with something that isn't called a picture or movie, and that nobody named.
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
    case .special:
      guard isNamedAsPicture || problem.isGiven else { return nil }
      reason = .special
    }
  }

  /// A sentence for people.
  var description: String {
    switch reason {
    case .empty: "“\(path)” is empty."
    case .cutShort: "“\(path)” is cut short: it ends before its picture. Copy it again from where it came from."
    case .noPicture: "“\(path)” holds no picture or movie."
    case .unknownKind(let ending): "“\(path)” can't be shown: PhotoMe reads JPEG, MP4 and MOV, and not “.\(ending)”."
    case .misnamed(let ending): "“\(path)” has the wrong ending: rename it to “.\(ending)” and import it again."
    case .link: "“\(path)” is a symbolic link: import what it leads to."
    case .special: "“\(path)” is not an ordinary file."
    case .nameIsNoText: "“\(path)” has a name that is not text in UTF-8: rename it and import it again."
    case .libraryRecords: "“\(path)” belongs to a library's own records."
    case .unreadable(let reason): "“\(path)” can't be read: \(reason)"
    }
  }
}

/// What was found, in the order of what was given, and by name within folders.
struct ImportScan: Sendable, Hashable {
  /// Duplicates included, which say so.
  var candidates: [ImportCandidate] = []
  var unusable: [UnusableImport] = []
}

/// How far a scan is.
struct ImportProgress: Sendable, Hashable {
  /// Files found so far that have to be looked at; final once `lookedAt` is above 0.
  var found = 0
  var lookedAt = 0
  /// Together, of the files found.
  var foundBytes: UInt64 = 0
  /// Of them looked at.
  var lookedAtBytes: UInt64 = 0
}
