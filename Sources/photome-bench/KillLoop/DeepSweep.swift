// Every system call of every change failing once in every way, on every kind of file system.

import CameraCore
import ForeignDisks
import Foundation
import PhotoLibrary

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
    let samples = SweptChange.Samples(
      photos: shots.map(\.jpeg), size: shots[0].size, movie: LiveMovie.empty, pair: try await pair(pictures))
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

  /// Exports a live photo as the two files of Apple's.
  private func pair(_ pictures: SmallPictures) async throws -> (photo: Data, movie: Data) {
    let workshop = URL(fileURLWithPath: folder + "-samples", isDirectory: true)
    let library = try await PhotoLibrary.open(
      at: workshop.appendingPathComponent("Pictures"), index: workshop.appendingPathComponent("index.sqlite"))
    let picture = try pictures.picture(5)
    let live = try await library.createAsset(
      AssetCreationRequest(
        photo: picture.jpeg, metadata: PhotoMetadata(date: Date(), utcOffset: 0, size: picture.size),
        pairedVideo: try await LiveMovie.make(in: workshop), photoDisplayTime: 1))
    let exported = try await library.export(live, as: .appleLivePhoto, to: workshop.appendingPathComponent("Pair/PAIR"))
    guard let movie = exported.companions.first else {
      throw BenchError("A live photo was exported without its movie.")
    }
    let pair = (photo: try Data(contentsOf: exported.url), movie: try Data(contentsOf: movie))
    await library.close()
    try FileManager.default.removeItem(at: workshop)
    return pair
  }
}
