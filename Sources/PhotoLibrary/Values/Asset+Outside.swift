// Assets of files outside of the library.

extension Asset {
  /// Whether its file isn't in the library: see `PhotoLibrary.look(at:)`.
  ///
  /// The id of such an asset is the file's path, so that no asset of the library is taken for it. It can be shown,
  /// copied and exported, which needs no more than the file; for everything else it must be imported first.
  public var isOutside: Bool { id.hasPrefix("/") }
}
