// The desktop's own settings, where a person allows a program to use the camera.

import CGtk

/// GNOME's settings program, where it is installed.
@MainActor enum SystemSettings {
  private static let program = "gnome-control-center"

  static var areInstalled: Bool {
    let path = g_find_program_in_path(program)
    defer { g_free(path) }
    return path != nil
  }

  /// Opens the camera's page of the settings.
  ///
  /// - Parameter report: Called with a sentence for the person when that can't be done.
  static func openCameraPanel(report: (String) -> Void) {
    var error: UnsafeMutablePointer<GError>?
    guard g_spawn_command_line_async("\(program) camera", &error) == 0 else { return }
    report("The settings could not be opened: \(error.map { String(cString: $0.pointee.message) } ?? program)")
    g_clear_error(&error)
  }
}
