// The command line's options, between GLib and `LaunchOptions`.

import CGtk
import CameraCore
import CameraModels
import Foundation
import Localization

extension LaunchOptions {
  /// Adds the options to the application, which lists them in `--help`.
  @MainActor static func add(to application: GObjectRef) {
    func add(
      _ name: String, takes argument: GOptionArg = G_OPTION_ARG_NONE, _ text: String, _ argumentName: String? = nil
    ) {
      g_application_add_main_option(
        application.of(GApplication.self), name, 0, GOptionFlags(rawValue: 0), argument, text, argumentName)
    }
    add(
      "camera", takes: G_OPTION_ARG_STRING, localized("Use this camera, or “test” for the built-in test camera"), "ID")
    add("library", takes: G_OPTION_ARG_FILENAME, localized("Keep photos and videos in this folder"), "DIR")
    add("camera-portal", localized("Ask the desktop for access to cameras, as in a sandbox"))
    add("live", localized("Turn Live on"))
    add(
      "countdown", takes: G_OPTION_ARG_INT,
      localized("Count down 3, 5, or 10 seconds before each photo, or 0 for no countdown"), "SECONDS")
    add("take-photo", localized("Take a photo as soon as the camera is ready"))
    add("version", localized("Print the version and exit"))
  }

  /// Reads the options that were given.
  ///
  /// - Returns: The exit status where that is all; `nil` to go on.
  @MainActor mutating func read(_ dictionary: UnsafeMutablePointer<GVariantDict>) -> Int32? {
    func isGiven(_ name: String) -> Bool { g_variant_dict_contains(dictionary, name) != 0 }
    if isGiven("version") {
      print("PhotoMe \(ProgramVersion.text)")
      return 0
    }
    if isGiven("camera-portal") { usesCameraPortal = true }
    if let value = g_variant_dict_lookup_value(dictionary, "camera", nil) {
      cameraID = String(cString: g_variant_get_string(value, nil))
      g_variant_unref(value)
    }
    if let value = g_variant_dict_lookup_value(dictionary, "library", nil) {
      library = URL(fileURLWithPath: String(cString: g_variant_get_bytestring(value)), isDirectory: true)
      g_variant_unref(value)
    }
    request.turnsLiveOn = isGiven("live")
    request.takesPhoto = isGiven("take-photo")
    if let value = g_variant_dict_lookup_value(dictionary, "countdown", nil) {
      let seconds = Int(g_variant_get_int32(value))
      g_variant_unref(value)
      guard let delay = ShutterDelay(rawValue: seconds) else {
        let text = localized("The countdown can be 0, 3, 5, or 10 seconds, not \(seconds).")
        FileHandle.standardError.write(Data("photome: \(text)\n".utf8))
        return 2
      }
      request.delay = delay
    }
    return nil
  }
}
