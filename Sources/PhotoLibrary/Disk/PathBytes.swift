// Paths as the file system tells them apart.

/// A path as a key: two are the same when their bytes are.
///
/// Swift's strings are the same when they look the same: “é” in one code point and in two. As names these are two files.
struct PathBytes: Hashable, Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  static func == (left: Self, right: Self) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

  func hash(into hasher: inout Hasher) {
    var path = path
    path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
