// The agreement with a device on one of several pixel formats that serve as well.

import CameraCore
import Foundation

/// Sets a device's mode.
enum NodeNegotiation {
  /// Sets the first pixel format that the device has in this size and at this rate; where it has none at this rate, the
  /// first that it has in this size.
  ///
  /// - Throws: `NodeFailure`; `EINVAL` when the device has none of them.
  static func set(
    _ modes: [NodeMode], _ size: PixelSize, _ rate: FrameRate, of node: any CaptureNode
  ) throws(NodeFailure) -> (mode: NodeMode, format: NodeFormat) {
    var slower: NodeMode?
    for mode in modes {
      guard let format = try format(mode, size, of: node) else { continue }
      if node.setRate(rate)?.isAlike(rate) ?? true { return (mode, format) }
      slower = slower ?? mode
    }
    if let slower, let format = try format(slower, size, of: node) {
      _ = node.setRate(rate)
      return (slower, format)
    }
    throw NodeFailure(step: .setting, number: EINVAL)
  }

  /// - Returns: `nil` when the device does another mode instead.
  private static func format(
    _ mode: NodeMode, _ size: PixelSize, of node: any CaptureNode
  ) throws(NodeFailure) -> NodeFormat? {
    do throws(NodeFailure) {
      let format = try node.setMode(mode.pixelFormat, size)
      // What is compressed says its size itself.
      let isAsAsked = format.pixelFormat == mode.pixelFormat && (format.size == size || mode.samples == .compressed)
      return isAsAsked ? format : nil
    } catch {
      // Some drivers refuse what they don't have, others answer with another mode.
      if error.number == EINVAL { return nil }
      throw error
    }
  }
}
