// Error messages as parts of longer sentences.

extension String {
  /// The text without a period at its end, to stand inside another sentence: GStreamer and our own errors end theirs with
  /// one.
  public var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}
