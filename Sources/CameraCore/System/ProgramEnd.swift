// The end of the process.

import Foundation

public enum ProgramEnd {
  /// Ends the process at once: output is flushed, and nothing else is done.
  ///
  /// `exit` would run the destructors of libraries while other threads go on. One that loads a GStreamer plug-in at that
  /// moment makes the loader initialize GLib a second time, which aborts (“cannot register existing fundamental type”);
  /// others crash in a C++ library whose objects are gone. Whatever has to be saved was saved before.
  public static func end(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}
