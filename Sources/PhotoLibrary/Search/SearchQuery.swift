// A search as a value: the conditions that its text stands for.

import CameraCore

/// The conditions of a search, all of which a picture meets.
///
/// ```swift
/// SearchQuery("last week -movie camera:canon \"trip to\"", .current)
/// ```
///
/// A term is a word, a phrase in quotation marks, a date (“12 May 2025”, “last week”, “summer 2024”, “2025-03”), a kind
/// (“selfie”), a size (“>5 MB”, “4000x3000”), or one of these after a field and a colon (`album:sea`). A minus in front
/// excludes what the term finds. A word that means a date or a kind finds pictures that have it in their names as well:
/// an album may be called “October”. After its field, it means nothing else.
///
/// Any text is a search; nothing in it is an error.
public struct SearchQuery: Sendable, Hashable {
  /// What one way of reading a term asks for.
  public enum Condition: Sendable, Hashable {
    /// A folded text occurs in the file's name, the camera's name, an album's title or a place's name.
    case text(String)
    case name(String)
    case camera(String)
    case album(String)
    case place(String)
    case kind(SearchKind)
    /// Days since 1970-01-01, in the local time of each picture.
    case days(Range<Int>)
    /// Months of any year, 1…12.
    case months([Int])
    /// A day of any year.
    case yearDay(month: Int, day: Int)
    /// A weekday of any week; 1 is Sunday.
    case weekday(Int)
    /// Bytes.
    case fileSize(ClosedRange<UInt64>)
    /// Width and height in either order, in pixels.
    case pixels(PixelSize)
    /// All of these.
    case all([Condition])
    /// None is met: a field with a value that it can't have.
    case nothing
  }

  /// A term: one of its readings is met, or none where it is excluded.
  public struct Term: Sendable, Hashable {
    public var readings: [Condition]
    public var isExcluded: Bool

    public init(_ readings: [Condition], isExcluded: Bool = false) {
      (self.readings, self.isExcluded) = (readings, isExcluded)
    }
  }

  public var terms: [Term]

  /// More terms than these aren't read: SQLite limits the depth of an expression, and nobody types as many.
  static let mostTerms = 48
  /// More characters than these of one term aren't read.
  static let longestTerm = 200
  /// More characters than these of the whole text aren't read.
  static let longestText = 4000

  public init(_ text: String, _ context: SearchContext) {
    var reader = SearchReader(text, context)
    terms = reader.terms()
  }
}
