// Paths compared byte by byte, as the file system compares them.

/// A path as a dictionary key: two are equal when their bytes are.
///
/// Swift compares strings by canonical equivalence: “é” as one code point equals “é” as two. As file names they differ.
struct PathBytes: Hashable, Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  static func == (left: Self, right: Self) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

  func hash(into hasher: inout Hasher) {
    var path = path
    path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
