// Bursts from the command line.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct BurstCaptureTests {
  private struct Shot: Decodable {
    var path: String
    var burst: String?
    var stillTimestampNs: Int64
  }

  @Test func aBurstHasDifferentFramesAndOneID() throws {
    let place = try Place()
    let output = try place.run(
      ["capture", "--camera", "test", "--resolution", "640x360", "--burst", "6", "--json"] + place.library)
    let shots = try output.split(separator: "\n").map { try JSONDecoder().decode(Shot.self, from: Data($0.utf8)) }
    #expect(shots.count == 6)
    #expect(Set(shots.map(\.burst)).count == 1 && shots.allSatisfy { $0.burst != nil })
    #expect(Set(shots.map(\.stillTimestampNs)).count == 6)
    #expect(shots.map(\.stillTimestampNs) == shots.map(\.stillTimestampNs).sorted())
  }

  private struct Picture: Decodable {
    var id: String
    var burst: String?
    var burstPosition: Int?
    var burstCount: Int?
    var keyPhoto: Bool?
  }

  @Test func theLibraryTellsTheGroup() throws {
    let place = try Place()
    _ = try place.run(["capture", "--camera", "test", "--resolution", "640x360", "--burst", "3"] + place.library)
    func list(_ arguments: [String] = []) throws -> [Picture] {
      let output = try place.run(["library", "list", "--json"] + arguments + place.library)
      return try JSONDecoder().decode([Picture].self, from: Data(output.utf8))
    }
    var all = try list()
    #expect(all.map(\.burstPosition) == [3, 2, 1] && all.allSatisfy { $0.burstCount == 3 })
    // The sharpest, whichever that is.
    #expect(all.count { $0.keyPhoto == true } == 1)
    let other = try #require(all.first { $0.keyPhoto == false })
    _ = try place.run(["library", "key-photo", other.id] + place.library)
    all = try list()
    #expect(all.filter { $0.keyPhoto == true }.map(\.id) == [other.id])
    #expect(try list(["--group-bursts"]).map(\.id) == [other.id])
    let line = try place.run(["library", "info", other.id] + place.library)
    #expect(line.contains("burst: \(other.burstPosition ?? 0) of 3, key photo"))
    let folder = place.folder.appendingPathComponent("copies")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try place.run(["export", other.id, "--whole-bursts", "--output", folder.path] + place.library)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    _ = try place.run(["library", "delete", other.id, "--permanently"] + place.library)
    #expect(try list().map(\.burstCount) == [2, 2] && (try list(["--group-bursts"]).count) == 1)
    let left = try list()[0].id
    _ = try place.run(["library", "delete", left, "--permanently", "--whole-bursts"] + place.library)
    #expect(try list().isEmpty)
  }

  @Test(arguments: [
    (["0"], "--burst must be"), (["101"], "--burst must be"), (["3", "--live"], "can’t be used with --live."),
    (["3", "--count", "2"], "with --count."), (["3", "--interval", "2"], "with --interval."),
    (["3", "--format", "heic"], "with --format heic."), (["3", "--quality", "quality"], "with --quality quality."),
  ])
  func whatCanNotBeIsRefused(arguments: [String], words: String) throws {
    let place = try Place()
    let result = try place.result(["capture", "--camera", "test", "--burst"] + arguments + place.library)
    #expect(result.status == 64 && result.errors.contains("--burst") && result.errors.contains(words), "\(result)")
  }
}
