// Whether the library is there, for whoever shows it.

extension PhotoLibrary {
  /// Why the library can't be used at the moment: its disk isn't mounted or doesn't answer. `nil` while it is available.
  public var unavailabilityReason: PhotoLibraryError? { availabilityMonitor.reason }

  /// Whether the library is available: now, and at each change until it is closed. When it is back, it has been followed anew
  /// and is being scanned; `changes()` tells what is different.
  public func availability() -> AsyncStream<LibraryAvailability> { availabilityMonitor.stream() }
}
