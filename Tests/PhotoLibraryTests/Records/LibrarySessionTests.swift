// Sessions: a process's folder is removed only after its last write.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LibrarySessionTests {
  @Test func theEndWaitsForWhatIsBeingWritten() async throws {
    let scratch = try Scratch()
    let folder = LibraryFolder(scratch.url.appendingPathComponent("PhotoMe"))
    let session = LibrarySession(folder: folder, disk: Disk())
    let (began, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let file = "\(session.path)/.half.tmp"
    Thread.detachNewThread {
      try? session.write { () throws(PhotoLibraryError) in
        _ = FileManager.default.createFile(atPath: file, contents: Data())
        began.signal()
        mayEnd.wait()
        unlink(file)
      }
    }
    try await Blocking.run { () throws(PhotoLibraryError) in
      began.wait()
      Thread.detachNewThread {
        session.end()
        hasEnded.signal()
      }
      // No other process may clean up meanwhile; and it does not end before the write does.
      #expect(LibrarySession.isAlive(folder, session.token, disk: Disk()))
      #expect(hasEnded.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
      mayEnd.signal()
      hasEnded.wait()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.incoming).isEmpty)
    #expect(throws: PhotoLibraryError.self) { try session.write {} }
    #expect(try session.writeUnlessEnded { 1 } == nil)
  }
}
