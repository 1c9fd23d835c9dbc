// The version of PhotoMe, said by the programs and written into pictures.

/// The program's version.
public enum ProgramVersion {
  /// As `MAJOR.MINOR.PATCH`.
  public static let text = "0.1.0"
}
