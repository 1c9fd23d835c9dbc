// The whole file of a rewrite, in memory.

import Foundation

@testable import PhotoLibrary

extension MetadataRewrite.Bytes {
  /// The new file.
  func joined(with old: Data) -> Data {
    pieces.reduce(Data()) { joined, piece in
      switch piece {
      case .new(let part): joined + part
      case .old(let range): joined + old[Int(range.lowerBound)..<Int(range.upperBound)]
      }
    }
  }
}
