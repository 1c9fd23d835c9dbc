// GStreamer's list of plugins, which the programs that tests start have in common.

import Foundation

public enum GStreamerRegistry {
  /// Has a program read the list from a file beside its home folder. In an empty home folder it would look at each plugin
  /// first, for a second or more. The first program makes the file, and GStreamer sees to it that the list is up to date.
  public static let environment: [String: String] = [
    "GST_REGISTRY": FileManager.default.temporaryDirectory
      .appendingPathComponent("photome-tests-plugins-\(getuid()).bin").path
  ]
}
