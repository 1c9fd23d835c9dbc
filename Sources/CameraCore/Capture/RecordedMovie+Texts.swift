// The messages about movies that ended early or lack something.

import Foundation
import Localization

extension RecordedMovie {
  /// What the movie lacks, and why; `nil` for one that is whole.
  public var shortfall: String? {
    let parts = [earlyEnd, soundShortfall, positionShortfall].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  private var name: String { url.lastPathComponent }

  private var positionShortfall: String? {
    lacksPosition ? localized("The location couldn’t be saved in “\(name)”.") : nil
  }

  private var soundShortfall: String? {
    guard hasSound, missingSound >= Self.tolerableMissingSound else { return nil }
    return localized(
      """
      “\(name)” has no sound for \(missingSound, decimals: 0...0) second because the microphone sent none. Check that the \
      microphone is connected and that the sound server is running.
      """,
      plural: """
        “\(name)” has no sound for \(missingSound, decimals: 0...0) seconds because the microphone sent none. Check that \
        the microphone is connected and that the sound server is running.
        """, count: missingSound.countOfPlural(decimals: 0))
  }

  /// The reason why the movie ended before anyone stopped it, and what can be done; `nil` when someone did.
  private var earlyEnd: String? {
    switch ending {
    case .stopped: nil
    case .cameraLost:
      localized(
        "The recording ended because the camera was disconnected. The video up to then was saved as “\(name)”.")
    case .diskFull:
      localized(
        """
        The recording ended because the disk is full. The video up to then was saved as “\(name)”. Free up some space \
        before recording again.
        """)
    case .encoderFailed(let message):
      localized(
        """
        The recording ended because the video encoder failed: \(message.asClause). The video up to then was saved as \
        “\(name)”.
        """, comment: "{0} is the encoder’s message, {1} a file name")
    case .failed(let message):
      localized(
        "The recording ended unexpectedly: \(message.asClause). The video up to then was saved as “\(name)”.",
        comment: "{0} is the reason, {1} a file name")
    }
  }
}
