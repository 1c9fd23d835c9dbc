// A file system without case, as on memory cards: for tests.

import Foundation

@testable import PhotoLibrary

/// Finds names in a folder of the test whatever their case, and keeps the case in which they were written.
struct CaselessFileSystem: FileSystem {
  /// Names below it have no case.
  let root: String

  /// The path under which the kernel has what is asked for.
  private func real(_ path: UnsafePointer<CChar>) -> String {
    let path = String(cString: path)
    guard path.hasPrefix(root + "/") else { return path }
    var found = root
    for part in path.dropFirst(root.count + 1).split(separator: "/") {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: found)) ?? []
      let same = names.first { $0 == part } ?? names.first { $0.lowercased() == part.lowercased() }
      found += "/" + (same ?? String(part))
    }
    return found
  }

  func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    Glibc.open(real(path), flags, mode)
  }
  func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? { Glibc.opendir(real(path)) }
  func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 { Glibc.lstat(real(path), &status) }
  func unlink(_ path: UnsafePointer<CChar>) -> Int32 { Glibc.unlink(real(path)) }
}
