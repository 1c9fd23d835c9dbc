// The codec of movies: the choice, and its consequences in words.

import CameraCore
import Localization

extension MovieModel {
  /// The codec of the next movies.
  public var codec: RecordingSettings.Codec { settings.values.movieCodec }

  /// Changes the codec of the next movies, and says what it means. HEVC can be chosen before its encoder is installed.
  public func setCodec(_ codec: RecordingSettings.Codec) {
    guard codec != self.codec else { return }
    settings.update { $0.movieCodec = codec }
    switch codec {
    case .automatic: messages.post(localized("Videos are now recorded as H.264, or as HEVC with 10 bits."))
    case .h264: messages.post(localized("Videos are now recorded as H.264."))
    case .hevc:
      messages.post(
        service.hevcRefusal().map {
          localized("Videos are recorded as H.264 until HEVC is available. \($0.description)")
        }
          ?? localized("Videos are now recorded as HEVC."))
    }
  }

  /// The codecs with their names in lists. One that can't be used says what to install.
  public var codecs: [(codec: RecordingSettings.Codec, title: String)] {
    RecordingSettings.Codec.allCases.map { codec in
      guard codec == .hevc, case .missingPlugin(_, let package, _)? = service.hevcRefusal() else {
        return (codec, codec.title)
      }
      return (codec, localized("\(codec.title) (not available: install \(package))"))
    }
  }

  /// A sentence about the chosen codec, without the last period.
  public var codecNote: String {
    switch codec {
    case .automatic: localized("H.264, which plays everywhere, and HEVC for pictures with 10 bits")
    case .h264: localized("Plays everywhere")
    case .hevc where service.hevcRefusal() != nil:
      localized("Videos are recorded as H.264 until an HEVC encoder is installed")
    case .hevc:
      localized("About half the size, but more than twice the work for the computer. Some apps can’t play it")
    }
  }
}

extension RecordingSettings.Codec {
  /// The name in lists.
  public var title: String {
    switch self {
    case .automatic: localized("Automatic", context: "video codec")
    case .h264: "H.264"
    case .hevc: "HEVC"
    }
  }
}
