// The controls that PhotoMe supplies where a camera lacks them.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Brightness, contrast and zoom, done to the pictures.
public enum SoftwareControl {
  /// The controls that a camera lacks, with their defaults.
  ///
  /// - Parameter hardware: The camera's own controls.
  public static func missing(from hardware: [CameraControl]) -> [CameraControl] {
    all.filter { control in !hardware.contains { $0.id == control.id } }
  }

  private static var all: [CameraControl] {
    [
      percent(.brightness), percent(.contrast),
      // In hundredths of the whole picture, as most cameras count.
      CameraControl(
        id: StandardControl.zoom.rawValue, title: StandardControl.zoom.title, kind: .integer, range: 100...400,
        defaultValue: 100, value: 100, state: .software),
    ]
  }

  private static func percent(_ control: StandardControl) -> CameraControl {
    CameraControl(
      id: control.rawValue, title: control.title, kind: .integer, range: -100...100, defaultValue: 0, value: 0,
      state: .software)
  }

  /// The look that the software controls among these ask for.
  public static func look(of controls: [CameraControl]) -> FrameLook {
    func value(_ control: StandardControl) -> Int? {
      controls.first { $0.id == control.rawValue && $0.isSoftware }?.value
    }
    return FrameLook(
      zoom: Double(value(.zoom) ?? 100) / 100, brightness: Double(value(.brightness) ?? 0) / 250,
      // From half to double, the same way in both directions.
      contrast: pow(2, Double(value(.contrast) ?? 0) / 100))
  }
}
