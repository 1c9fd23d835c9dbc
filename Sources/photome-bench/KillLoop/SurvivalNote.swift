// The notes of a process about its work, one per line.

import Foundation
import Synchronization

/// A worker's note: work that is about to start, or that was reported as safe.
struct SurvivalNote: Codable, Equatable {
  /// The state of an asset.
  enum Fact: String, Codable, CodingKeyRepresentable, CaseIterable {
    /// `yes`, or `no` for one that is not there any more.
    case there
    /// Of the picture's own bytes, as `ContentDigest` counts; likewise the movie's, empty without one.
    case picture
    case movie
    /// `true` or `false`.
    case favorite
    case hidden
    /// The albums' titles.
    case albums
    /// The settings of the edit; empty for an untouched picture.
    case edit
    /// As `picture`, of the untouched original; the same where there is no edit.
    case original
    /// `yes` when the desktop's Trash has it.
    case trashed
  }

  typealias Facts = [Fact: String]

  /// Whether it is done, rather than about to start.
  var isDone: Bool
  /// Pairs the two notes of one operation.
  var number: Int
  /// The kind of work.
  var work: String
  /// The state of the assets afterwards, by their ids.
  var facts: [String: Facts]
}

/// Writes notes so that they outlive the process: each with one system call, before anything else happens.
final class SurvivalReport: Sendable {
  private let count = Atomic<Int>(0)

  /// Does something in which this process may be killed.
  ///
  /// - Parameter outcome: The state of the assets when it is done.
  func around(_ work: String, _ outcome: [String: SurvivalNote.Facts], _ body: () async throws -> Void) async throws {
    let number = try begin(work, outcome)
    try await body()
    try write(SurvivalNote(isDone: true, number: number, work: work, facts: outcome))
  }

  /// The same for a program that makes its changes at once.
  ///
  /// - Parameter begins: What may hold when it is killed in between, besides what held before; `nil` takes the outcome.
  func around(
    _ work: String, _ outcome: [String: SurvivalNote.Facts], begins: [String: SurvivalNote.Facts]?,
    _ body: () throws -> Void
  ) throws {
    let number = try begin(work, begins ?? outcome)
    try body()
    try write(SurvivalNote(isDone: true, number: number, work: work, facts: outcome))
  }

  /// The same where only `body` can tell that state.
  func learning(_ work: String, _ body: () async throws -> [String: SurvivalNote.Facts]) async throws {
    let number = try begin(work, [:])
    try write(SurvivalNote(isDone: true, number: number, work: work, facts: try await body()))
  }

  /// Begins several operations that are done one after the other, in this order, each wholly or not at all.
  func several(_ work: String, _ outcomes: [[String: SurvivalNote.Facts]]) throws -> SurvivalNotes {
    let works = try outcomes.map { outcome in
      SurvivalNote(isDone: true, number: try begin(work, outcome), work: work, facts: outcome)
    }
    return SurvivalNotes(works, report: self)
  }

  private func begin(_ work: String, _ outcome: [String: SurvivalNote.Facts]) throws -> Int {
    let number = count.add(1, ordering: .relaxed).newValue
    try write(SurvivalNote(isDone: false, number: number, work: work, facts: outcome))
    return number
  }

  func write(_ note: SurvivalNote) throws {
    let line = try JSONEncoder().encode(note) + Data("\n".utf8)
    let written = line.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
    guard written == line.count else { throw BenchError("Nobody listens to the notes any more.") }
  }
}

/// A number for some bytes: FNV-1a with 64 bits, quick and without any library of ours in it.
enum ContentDigest {
  static func of(_ bytes: some Collection<UInt8>) -> String {
    if bytes.isEmpty { return "" }
    let sum = bytes.withContiguousStorageIfAvailable(sum) ?? sum(of: Array(bytes))
    return String(sum, radix: 16)
  }

  private static func sum(of bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBufferPointer(sum) }

  private static func sum(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
}
