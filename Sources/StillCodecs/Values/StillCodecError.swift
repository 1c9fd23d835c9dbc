// The error of the codecs.

import Localization

/// The reason why a picture can't be decoded or encoded; it ends a sentence about the picture.
public struct StillCodecError: Error, Hashable, CustomStringConvertible {
  public var description: String
  /// Whether the file is the cause, so that another try can't succeed.
  public var isOfFile: Bool
  /// Whether nobody wants the picture any more.
  public private(set) var isCancellation = false

  public init(_ description: String, isOfFile: Bool = true) {
    (self.description, self.isOfFile) = (description, isOfFile)
  }

  static var noMemory: StillCodecError {
    StillCodecError(localized("there isn’t enough memory"), isOfFile: false)
  }
  static var cancelled: StillCodecError {
    var error = StillCodecError(localized("it was canceled"), isOfFile: false)
    error.isCancellation = true
    return error
  }
  static var damaged: StillCodecError { StillCodecError(localized("the picture is damaged")) }
  static var noPicture: StillCodecError { StillCodecError(localized("the file has no picture")) }
}
