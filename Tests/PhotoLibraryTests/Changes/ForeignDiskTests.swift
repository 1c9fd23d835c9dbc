// Every change on every kind of file system, with calls that fail.

import CameraCore
import ForeignDisks
import Foundation
import Testing

@testable import PhotoLibrary

/// A part of the calls, spread over the kinds and the ways in which calls fail; `photome-bench kill-loop --sweep` lets each
/// call fail in all ways on all of them.
@Suite(.timeLimit(.minutes(30))) struct ForeignDiskTests {
  private static func samples(name: String? = nil) throws -> SweptChange.Samples {
    let size = PixelSize(width: 64, height: 48)
    return SweptChange.Samples(
      photos: try (0..<5).map { try Samples.jpeg(width: size.width, height: size.height, shade: UInt8(40 * $0)) },
      size: size, movie: Samples.mp4(mediaBytes: 500),
      pair: (try AppleSamples.photo(AppleSamples.mark), AppleSamples.movie(AppleSamples.mark)), name: name)
  }

  @Test(arguments: FileSystemKind.all, SweptChange.allCases)
  func aFailingCallLosesNothing(kind: FileSystemKind, change: SweptChange) async throws {
    let scratch = try Scratch()
    let sweep = try await LibrarySweep(change, on: kind, in: scratch.path, samples: Self.samples())
    let turn = try #require(FileSystemKind.all.firstIndex(of: kind))
    let place = try #require(SweptChange.allCases.firstIndex(of: change))
    let kinds = FileSystemKind.all.count
    // Some kinds have no turn among the few calls of a small change.
    #expect(sweep.callCount > 5)
    for (index, trouble) in LibrarySweep.Trouble.allCases.enumerated() {
      let outcome = try await sweep.run(trouble) { number in
        (number + turn) % kinds == 0 && (trouble.isOfWrites || (number / kinds + place + index) % 6 == 0)
      }
      for fault in outcome.faults { Issue.record("\(fault)") }
    }
  }

  /// The names of the trash are given without replacing: by a second link on one, by reserving them on the other.
  @Test(arguments: [
    (FileSystemKind.nfs, SweptChange.trash, LibrarySweep.Trouble.inputOutput),
    (.nfs, .deleteInTrash, .inputOutput), (.exfat, .trash, .kill), (.exfat, .deleteInTrash, .kill),
  ])
  func noFailingCallLeavesHalfADeletion(
    kind: FileSystemKind, change: SweptChange, trouble: LibrarySweep.Trouble
  ) async throws {
    let scratch = try Scratch()
    let sweep = try await LibrarySweep(change, on: kind, in: scratch.path, samples: Self.samples())
    let outcome = try await sweep.run(trouble)
    for fault in outcome.faults { Issue.record("\(fault)") }
    #expect(outcome.runs >= sweep.callCount)
  }

  /// A name that begins with a combining accent makes one character with the dot before it, or the slash.
  @Test(arguments: [FileSystemKind.exfat, .nfs], [SweptChange.favorite, .edit, .revert, .trash, .deletePermanently])
  func aKilledChangeIsFinishedWhateverTheNameBeginsWith(kind: FileSystemKind, change: SweptChange) async throws {
    for (turn, name) in ["\u{301}a.MP.jpg", "\u{fe0f}\u{301}.MP.jpg"].enumerated() {
      let scratch = try Scratch()
      let samples = try Self.samples(name: name)
      let sweep = try await LibrarySweep(change, on: kind, in: scratch.path, samples: samples)
      let outcome = try await sweep.run(.kill) { ($0 + turn) % 2 == 0 }
      for fault in outcome.faults { Issue.record("\(fault)") }
      #expect(outcome.runs > 2)
    }
  }

  /// Before a picture is restored there is one in the Trash with a record, an original and albums, of which the library
  /// has nothing but these.
  @Test(arguments: FileSystemKind.all) func whatCannotBeReadForAMomentIsNotForgotten(kind: FileSystemKind) async throws
  {
    let scratch = try Scratch()
    let sweep = try await LibrarySweep(.restore, on: kind, in: scratch.path, samples: Self.samples())
    let turn = try #require(FileSystemKind.all.firstIndex(of: kind))
    let outcome = try await sweep.runReading { ($0 + turn) % (12 * FileSystemKind.all.count) == 0 }
    for fault in outcome.faults { Issue.record("\(fault)") }
    #expect(outcome.runs > 0)
  }
}
