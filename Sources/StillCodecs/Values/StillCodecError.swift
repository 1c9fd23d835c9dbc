// The error of the codecs.

import Localization

/// The reason why a picture can't be decoded or encoded; it ends a sentence about the picture.
public struct StillCodecError: Error, Hashable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }

  static var noMemory: StillCodecError { StillCodecError(localized("there isn’t enough memory")) }
  static var damaged: StillCodecError { StillCodecError(localized("the picture is damaged")) }
  static var noPicture: StillCodecError { StillCodecError(localized("the file has no picture")) }
}
