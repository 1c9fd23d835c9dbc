// Numbers of bytes in the person's locale.

import Foundation
import Localization

extension BinaryInteger {
  /// The size of a file with this number of bytes: 1.2 MB.
  var localizedByteCount: String {
    Int64(clamping: self).formatted(ByteCountFormatStyle(style: .file, locale: .forNumbers))
  }

  /// The same for a limit that is a power of two: 64 MB are 64 × 2²⁰ bytes.
  var localizedMemory: String {
    Int64(clamping: self).formatted(ByteCountFormatStyle(style: .memory, locale: .forNumbers))
  }
}
