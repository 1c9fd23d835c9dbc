// Files as GLib and GDK pass them.

import CGtk
import Foundation

extension URL {
  /// The location of a `GFile`; `nil` when it has none.
  init?(_ file: OpaquePointer) {
    if let path = g_file_get_path(file) {
      self.init(fileURLWithPath: takeString(path))
    } else {
      self.init(string: takeString(g_file_get_uri(file)))
    }
  }

  /// The files of a value with a `GdkFileList`; empty for another value.
  static func files(in value: UnsafePointer<GValue>) -> [URL] {
    guard g_type_check_value_holds(UnsafeMutablePointer(mutating: value), gdk_file_list_get_type()) != 0,
      let list = g_value_get_boxed(value)
    else { return [] }
    let nodes = gdk_file_list_get_files(OpaquePointer(list))
    defer { g_slist_free(nodes) }
    var (files, node): ([URL], UnsafeMutablePointer<GSList>?) = ([], nodes)
    while let item = node {
      if let file = item.pointee.data, let url = URL(OpaquePointer(file)) { files.append(url) }
      node = item.pointee.next
    }
    return files
  }
}
