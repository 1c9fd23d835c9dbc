// Failures of the disk under a movie: found out at the disk, not in the words of an error.

import CGStreamer
import Foundation
import Testing

@testable import MediaEngine

@Suite struct MovieFailureTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("failure-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func failure(of element: String, _ resource: GstResourceError? = nil) -> PipelineFailure {
    var failure = PipelineFailure(element: element, message: "Error while writing.", detail: "Kein Speicherplatz frei")
    failure.resource = resource
    return failure
  }

  @Test func aFolderThatTakesFilesIsNotBlamed() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(await MovieOutput.problem(of: folder) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    let result = await MovieFailure.of(failure(of: "file"), folder: folder)
    #expect(result.message == failure(of: "file").message && !result.isDiskFull && result.part == .other)
  }

  @Test func aFolderThatIsGoneIsNamed() async throws {
    try FileManager.default.removeItem(at: folder)
    #expect(await MovieOutput.problem(of: folder) == ENOENT)
    let result = await MovieFailure.of(failure(of: "muxer"), folder: folder)
    #expect(result.message == MovieOutput.words(ENOENT, folder) && !result.isDiskFull)
    // An encoder's failure isn't the disk's.
    #expect(await MovieFailure.of(failure(of: "encoder"), folder: folder).message == failure(of: "").message)
  }

  @Test func aFullDiskIsKnownByTheCodeOfTheError() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = await MovieFailure.of(failure(of: "file", GST_RESOURCE_ERROR_NO_SPACE_LEFT), folder: folder)
    #expect(result.isDiskFull && result.message == MovieOutput.words(ENOSPC, folder))
  }
}
