// The errors of the parsers and writers of file formats.

import Foundation
import Localization

/// The reason that a file can't be read, or can't be changed as requested.
///
/// It doesn't name the file; the caller wraps it in an error that does.
public enum FormatError: Error, Hashable, Sendable {
  /// The file is damaged, or in a form that can't be used. The reason ends a sentence about the file: “the video is damaged”.
  case refused(reason: String)
  /// The system could not read the file.
  case read(ReadFailure)

  /// The end of a sentence about the file.
  public var reason: String {
    switch self {
    case .refused(let reason): reason
    case .read(let failure): failure.reason
    }
  }
}

/// The system's refusal to read a file.
public struct ReadFailure: Error, Hashable, Sendable {
  /// As `errno` had it.
  public var code: Int32

  public init(code: Int32) { self.code = code }

  /// The end of a sentence about the file.
  public var reason: String {
    code == ENOENT ? localized("the file no longer exists") : String(cString: strerror(code))
  }
}
