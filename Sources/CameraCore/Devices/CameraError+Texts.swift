// The messages of errors of cameras, microphones and shots.

import Foundation
import Localization

extension CameraError {
  public var description: String {
    switch self {
    case .noCamera:
      localized("No camera found. Connect one, or use the built-in test camera.")
    case .unknownCamera(let id, let known):
      localized("There is no camera “\(id)”. Available cameras: \(known.localizedList).")
    case .unknownMicrophone(let id, let known):
      localized("There is no microphone “\(id)”. Available microphones: \((known + ["none"]).localizedList).")
    case .inUse(let camera, let holder?):
      localized("“\(camera)” is in use by \(holder). Close it and try again.")
    case .inUse(let camera, nil):
      localized("“\(camera)” is in use by another app. Close it and try again.")
    case .permissionDenied(let camera, let refusal?): refusal.explanation(of: camera)
    case .permissionDenied(let camera, nil):
      localized("Access to “\(camera)” was denied. Allow it in the system’s privacy settings.")
    case .accessDenied:
      localized(
        """
        PhotoMe isn’t allowed to use the camera. Allow it in the system’s settings (in GNOME, under Privacy → Camera), \
        and come back.
        """)
    case .portal(let failure): failure.explanation
    case .noSuchFormat(let camera, let wanted, let offered):
      localized(
        """
        “\(camera)” has no mode with \(wanted.description). Available sizes: \
        \(offered.map(\.description).localizedList).
        """, comment: "{1} and the sizes in {2} are like 1280x720")
    case .noUsableMode(let camera, let offered, let package?):
      localized(
        """
        PhotoMe can’t use any mode of “\(camera)”, which offers \(offered.localizedList). Install the package \
        \(package), or choose another camera.
        """, comment: "{1} is a list of picture formats, {2} the name of a package")
    case .noUsableMode(let camera, let offered, nil):
      localized(
        """
        PhotoMe can’t use any mode of “\(camera)”, which offers \(offered.localizedList). Choose another camera.
        """, comment: "{1} is a list of picture formats")
    case .unresponsive(let camera):
      localized("“\(camera)” isn’t responding. Unplug it, plug it back in, and try again.")
    case .noFrames(let camera, let seconds):
      localized(
        """
        “\(camera)” has sent no picture for \(seconds) second. Unplug it, plug it back in, and try again.
        """,
        plural: """
          “\(camera)” has sent no picture for \(seconds) seconds. Unplug it, plug it back in, and try again.
          """, count: seconds.countOfPlural(decimals: 2))
    case .damagedFrames(let camera, let seconds):
      localized(
        """
        “\(camera)” has sent only damaged pictures for \(seconds) second. Try another cable or USB port.
        """,
        plural: """
          “\(camera)” has sent only damaged pictures for \(seconds) seconds. Try another cable or USB port.
          """, count: seconds.countOfPlural(decimals: 2))
    case .stoppedSending(let camera):
      localized(
        """
        No photo was taken because “\(camera)” stopped sending pictures. Wait until the picture moves again, or plug the \
        camera back in.
        """)
    case .unpluggedBeforeShot(let camera):
      localized("“\(camera)” was unplugged before the photo could be taken. Plug it back in and try again.")
    case .unplugged(let camera):
      localized("“\(camera)” was unplugged. Plug it back in to continue.")
    case .missingPlugin(let element, let package, let purpose):
      Self.missing(element, package, purpose)
    case .device(let camera, let message):
      localized(
        "“\(camera)” reported an error: \(message.asClause). Try again, or choose another camera.",
        comment: "{1} is the driver’s message")
    case .refusedModes(let camera, let modes, let message):
      localized(
        """
        “\(camera)” refused every mode that was tried (\(modes.localizedList)): \(message.asClause). Unplug it, \
        plug it back in, and try again, or choose another camera.
        """, comment: "{1} is a list of modes, {2} the driver’s message")
    case .endedLastRun(let camera?):
      localized(
        """
        PhotoMe quit unexpectedly while opening “\(camera)” last time. Try again, or choose another camera.
        """)
    case .endedLastRun(nil):
      localized("PhotoMe quit unexpectedly while opening the camera last time. Try again, or choose another camera.")
    case .microphone(let message):
      localized("The microphone can’t be used: \(message.asClause).", comment: "{0} is the reason")
    case .rawUnavailable(let camera):
      localized(
        """
        RAW isn’t available because “\(camera)” doesn’t provide its sensor’s pictures (Bayer). Take a JPEG, or choose \
        another camera.
        """)
    case .hdrUnavailable(let camera):
      localized(
        """
        High dynamic range isn’t available because “\(camera)” has no modes with 10 bits. Turn it off, or choose another \
        camera.
        """)
    case .tooManyShots:
      localized(
        """
        No photo was taken because too many photos and videos are still being saved. Wait a moment and try again.
        """)
    case .notRunning:
      localized("The camera is off, so no photo was taken. Start the camera and try again.")
    case .movieFailed(let message):
      localized(
        "The live photo was saved as a photo, because its video failed: \(message.asClause).",
        comment: "{0} is the reason")
    case .recordingFailed(let message):
      localized("The video couldn’t be recorded: \(message.asClause).", comment: "{0} is the reason")
    case .playbackFailed(let file, let message):
      localized("The video in “\(file)” can’t be played: \(message.asClause).", comment: "{1} is the reason")
    case .pictureFailed(let message):
      localized("The photo couldn’t be taken: \(message.asClause).", comment: "{0} is the reason")
    }
  }

  private static func missing(_ element: String, _ package: String, _ purpose: Purpose) -> String {
    switch purpose {
    case .camera:
      localized(
        """
        The camera can’t be used because the GStreamer plugin “\(element)” is missing. Install the package \(package).
        """)
    case .pipeWireCameras:
      localized(
        """
        Cameras can’t be used through PipeWire because the GStreamer plugin “\(element)” is missing. Install the package \
        \(package).
        """)
    case .pictures:
      localized(
        """
        This camera’s pictures can’t be shown because the GStreamer plugin “\(element)” is missing. Install the package \
        \(package).
        """)
    case .sound:
      localized(
        """
        Sound can’t be recorded because the GStreamer plugin “\(element)” is missing. Install the package \(package).
        """)
    case .livePhotos:
      localized(
        """
        Live photos and videos can’t be made because the GStreamer plugin “\(element)” is missing. Install the package \
        \(package).
        """)
    case .soundOfLivePhotos:
      localized(
        """
        Live photos and videos can’t have sound because the GStreamer plugin “\(element)” is missing. Install the package \
        \(package).
        """)
    case .livePhotoPlayback:
      localized(
        """
        Live photos and videos can’t be played because the GStreamer plugin “\(element)” is missing. Install the package \
        \(package).
        """)
    case .hevc:
      localized(
        """
        HEVC videos can’t be recorded because the GStreamer plugin “\(element)” is missing. Install the package \(package).
        """)
    case .playback:
      localized(
        """
        This video can’t be played because the GStreamer plugin “\(element)” is missing. Install the package \(package).
        """)
    }
  }
}
