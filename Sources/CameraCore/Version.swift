// The version of PhotoMe, said by the programs and written into pictures.

/// The version, as `MAJOR.MINOR.PATCH`.
public let photoMeVersion = "0.1.0"
