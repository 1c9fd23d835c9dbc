// The kill loop, and that it detects each kind of fault.

import CameraCore
import Foundation
import Testing

@testable import photome_bench

@Suite(.timeLimit(.minutes(30))) struct KillLoopTests {
  /// A folder for one test, on a disk.
  private final class Scratch: Sendable {
    let url = URL(fileURLWithPath: "/var/tmp/photome-kill-test-\(UUID().uuidString)", isDirectory: true)
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
  }

  @Test func nothingIsLostWhenWorkersAreKilled() async throws {
    let scratch = try Scratch()
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    var loop = KillLoop(
      place: try KillPlace.parse(["--folder", scratch.url.path]), seed: 7, isShort: true, programs: programs)
    try await loop.prepare()
    for run in 1...5 { try await loop.run(run) }
    #expect(loop.summary.killed >= 5)
    #expect(loop.summary.assets > 0)
  }

  @Test(arguments: ["exfat", "nfs"])
  func nothingIsLostOnOtherDisksBesideOtherPrograms(fileSystem: String) async throws {
    let scratch = try Scratch()
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    var loop = KillLoop(
      place: try KillPlace.parse(["--folder", scratch.url.path, "--file-system", fileSystem]), seed: 11, isShort: true,
      beside: KillLoop.Companions(hasEditor: true, hasSecond: true), programs: programs)
    try await loop.prepare()
    for run in 1...3 { try await loop.run(run) }
    #expect(loop.summary.killed == 9)
    #expect(loop.summary.foreign["foreign picture", default: 0] > 0)
  }

  private let there: SurvivalNote.Facts = [.there: "yes", .picture: "1", .favorite: "false"]
  private func note(
    _ number: Int, isDone: Bool, _ facts: [String: SurvivalNote.Facts]
  ) -> SurvivalNote {
    SurvivalNote(isDone: isDone, number: number, work: "work", facts: facts)
  }

  @Test func whatWasSaidToBeSavedIsMissed() {
    var ledger = SurvivalLedger()
    ledger.take([note(1, isDone: false, ["a": there]), note(1, isDone: true, ["a": there])])
    #expect(ledger.compare(with: ["a": [.there: "no"]]).count == 1)
  }

  @Test func anotherContentIsSeen() {
    var ledger = SurvivalLedger()
    ledger.take([note(1, isDone: true, ["a": there])])
    #expect(ledger.compare(with: ["a": [.there: "yes", .picture: "2", .favorite: "false"]]).count == 1)
  }

  @Test func whatWasUnderWayMayHaveHappenedOrNot() {
    let marked = there.merging([.favorite: "true"]) { $1 }
    for found in [there, marked] {
      var ledger = SurvivalLedger()
      ledger.take([note(1, isDone: true, ["a": there]), note(2, isDone: false, ["a": [.favorite: "true"]])])
      #expect(ledger.compare(with: ["a": found]) == [])
      // From now on it is certain.
      #expect(ledger.compare(with: ["a": found == there ? marked : there]).count == 1)
    }
  }

  @Test func whatIsDoneByHalfIsSeen() {
    var ledger = SurvivalLedger()
    ledger.take([note(1, isDone: false, ["a": there, "b": there])])
    #expect(ledger.compare(with: ["a": there, "b": [.there: "no"]]) == ["“work” is done by half."])
  }

  @Test func aFileThatIsNotWholeIsSeen() throws {
    let scratch = try Scratch()
    let jpeg = try SmallPictures().picture(1).jpeg
    func check(_ data: Data, _ name: String) throws -> WholeFile {
      let path = scratch.url.path + "/" + name
      try data.write(to: URL(fileURLWithPath: path))
      return try WholeFile(path)
    }
    #expect(try check(jpeg, "a.jpg").picture == WholeFile.picture(of: jpeg))
    #expect(try check(jpeg + LiveMovie.empty, "a.MP.jpg").movie == ContentDigest.of(LiveMovie.empty))
    #expect(throws: BenchError.self) { try check(jpeg.dropLast(), "b.jpg") }
    #expect(throws: BenchError.self) { try check(jpeg + LiveMovie.empty, "b.jpg") }
    #expect(throws: BenchError.self) { try check(jpeg, "b.MP.jpg") }
    #expect(throws: BenchError.self) { try check(jpeg + LiveMovie.empty.dropLast(), "b.MP.jpg") }
    #expect(throws: BenchError.self) { try check(LiveMovie.empty.dropLast(), "b.mp4") }
  }
}
