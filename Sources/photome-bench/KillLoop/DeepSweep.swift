// Every system call of every change failing once in every way, on every kind of file system.

import CameraCore
import ForeignDisks
import Foundation

/// The long form of the sweep that the tests do in parts.
struct DeepSweep {
  private let folder: String
  private let kinds: [FileSystemKind]

  /// - Parameter ground: A simulated one, or all.
  init(in folder: String, on ground: KillPlace.Ground) {
    self.folder =
      (realpath(folder, nil).map { resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? folder) + "/sweep"
    kinds = if case .simulated(let kind) = ground { [kind] } else { FileSystemKind.all }
  }

  /// - Throws: `BenchError` with everything that was found.
  func run(say: (String) -> Void) async throws {
    let pictures = try SmallPictures()
    let shots = try (0..<5).map { try pictures.picture($0) }
    let workshop = URL(fileURLWithPath: folder + "-samples", isDirectory: true)
    let movie = try Data(contentsOf: try await LiveMovie.make(in: workshop))
    try FileManager.default.removeItem(at: workshop)
    // The movie begins when it is made, and the picture tells no other time than its file.
    let samples = SweptChange.Samples(
      photos: shots.map(\.jpeg), size: shots[0].size, movie: LiveMovie.empty,
      pair: (try pictures.picture(5).jpeg, movie))
    var faults: [String] = []
    for kind in kinds {
      var runs = 0
      for change in SweptChange.allCases {
        Progress.show("\(kind): \(change)")
        let sweep = try await LibrarySweep(change, on: kind, in: folder, samples: samples)
        for trouble in LibrarySweep.Trouble.allCases {
          let outcome = try await sweep.run(trouble)
          runs += outcome.runs
          faults += outcome.faults
        }
        // What only the library's own records know of is most easily forgotten.
        guard change == .restore else { continue }
        let unreadable = try await sweep.runReading()
        runs += unreadable.runs
        faults += unreadable.faults
      }
      Progress.end()
      say("\(kind): \(runs) failing calls swept over \(SweptChange.allCases.count) changes")
    }
    try FileManager.default.removeItem(atPath: folder)
    guard faults.isEmpty else {
      throw BenchError("The sweep found \(faults.count) faults:\n" + faults.map { "  \($0)" }.joined(separator: "\n"))
    }
  }
}
