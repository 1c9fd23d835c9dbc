// The version of PhotoMe, as the programs print it and pictures record it.

/// The program's version.
public enum ProgramVersion {
  /// As `MAJOR.MINOR.PATCH`.
  public static let text = "0.1.0"
}
