// The codec of movies: the choice, and its consequences in words.

import CameraCore

extension MovieModel {
  /// The codec of the next movies.
  public var codec: RecordingSettings.Codec { settings.values.movieCodec }

  /// Changes the codec of the next movies, and says what it means. HEVC can be chosen before its encoder is installed.
  public func setCodec(_ codec: RecordingSettings.Codec) {
    guard codec != self.codec else { return }
    settings.update { $0.movieCodec = codec }
    switch codec {
    case .automatic: messages.post("Videos are recorded as H.264 from now on, and as HEVC with 10 bits.")
    case .h264: messages.post("Videos are recorded as H.264 from now on.")
    case .hevc:
      messages.post(
        service.hevcRefusal().map { "Videos are recorded as H.264 until HEVC can be encoded. \($0.description)" }
          ?? "Videos are recorded as HEVC from now on.")
    }
  }

  /// The codecs with their names in lists. One that can't be used says what to install.
  public var codecs: [(codec: RecordingSettings.Codec, title: String)] {
    RecordingSettings.Codec.allCases.map { codec in
      guard codec == .hevc, case .missingPlugin(_, let package, _)? = service.hevcRefusal() else {
        return (codec, codec.title)
      }
      return (codec, "\(codec.title) (not available: install \(package))")
    }
  }

  /// A sentence about the chosen codec, without the last period.
  public var codecNote: String {
    switch codec {
    case .automatic: "H.264, which every program plays, and HEVC for pictures with 10 bits"
    case .h264: "Every program plays it"
    case .hevc where service.hevcRefusal() != nil: "Videos are H.264 until an encoder for HEVC is installed"
    case .hevc: "About half the size, for more than twice the work; some programs can’t play it"
    }
  }
}

extension RecordingSettings.Codec {
  /// The name in lists.
  public var title: String {
    switch self {
    case .automatic: "Automatic"
    case .h264: "H.264"
    case .hevc: "HEVC"
    }
  }
}
