// Every change of a library on a file system of another kind, with every call of it failing once.

import Foundation
import PhotoLibrary

/// Sweeps a failure over the system calls of a change: for each call there is one run in which it is the one that fails.
///
/// After each run the disk is mounted again and the library opened as by the next process. Then it must be as before the
/// change or as after it, with nothing left over, and `verify` must agree. A change that reported success must have
/// happened; one that threw an error must not.
package struct LibrarySweep: Sendable {
  /// A way in which a call fails.
  package enum Trouble: String, Sendable, CaseIterable {
    case diskFull
    case inputOutput
    case shortWrite
    case kill
    case tornWrite

    var fault: CallFaults.Fault {
      switch self {
      case .diskFull: .error(ENOSPC)
      case .inputOutput: .error(EIO)
      case .shortWrite: .shortWrite
      case .kill: .death
      case .tornWrite: .tornWrite
      }
    }

    /// Whether it is about writing contents, of which there are few calls; otherwise about all that changes something.
    package var isOfWrites: Bool { self == .shortWrite || self == .tornWrite }
    var counted: CallFaults.Counted { isOfWrites ? .writes : .changes }
    var isDeath: Bool { self == .kill || self == .tornWrite }
  }

  /// The outcome of sweeping one change.
  package struct Outcome: Sendable {
    /// The number of runs.
    package var runs = 0
    /// What went wrong, with the call that had failed.
    package var faults: [String] = []
  }

  private let change: SweptChange
  private let samples: SweptChange.Samples
  private let site: SweepSite
  private var before: SweepState
  private var after: SweepState
  /// The number of calls of the change, by what is counted.
  private var calls: [CallFaults.Counted: Int] = [:]
  /// The number of calls that change something.
  package var callCount: Int { calls[.changes, default: 0] }

  /// Makes the library in a folder and performs the change once without any failure.
  ///
  /// - Parameter folder: Absolute, without symbolic links; what is in it is removed.
  /// - Throws: When the change fails by itself on such a file system.
  package init(
    _ change: SweptChange, on kind: FileSystemKind, in folder: String, samples: SweptChange.Samples
  ) async throws {
    (self.change, self.samples) = (change, samples)
    site = SweepSite(folder, kind: kind)
    try site.clear()
    let maker = try await site.open(mount: 1)
    try await change.prepare(maker, at: site, samples)
    before = try await SweepState(of: maker, at: site)
    await site.close(maker)
    try site.keep()
    after = before
    for counted in [CallFaults.Counted.changes, .writes] {
      try site.reset()
      let faults = CallFaults()
      let library = try await site.open(mount: 2, faults: faults)
      faults.arm(nil, of: counted)
      try await change.perform(on: library, at: site, samples)
      calls[counted] = faults.count
      faults.disarm()
      await site.close(library)
      after = try await look(mount: 3).state
    }
    guard before != after else { throw SweepError("\(change) on \(kind) changes nothing.") }
  }

  /// Lets calls fail in one way.
  ///
  /// - Parameter isIncluded: Whether the call with a number, from 1, is to fail in a run of its own.
  package func run(_ trouble: Trouble, where isIncluded: (Int) -> Bool = { _ in true }) async throws -> Outcome {
    var outcome = Outcome()
    // A few more than without a failure, for the calls of undoing.
    for number in 1...(calls[trouble.counted, default: 0] + 3) where isIncluded(number) {
      let (faults, wasHit) = try await run(trouble, number: number)
      guard wasHit else { break }
      outcome.runs += 1
      outcome.faults += faults.map { "\(site.kind), \(change), \(trouble) at call \(number), \($0)" }
    }
    return outcome
  }

  private func run(_ trouble: Trouble, number: Int) async throws -> (faults: [String], wasHit: Bool) {
    try site.reset()
    let calls = CallFaults()
    let library = try await site.open(mount: 2, faults: calls)
    calls.arm(trouble.fault, at: number, of: trouble.counted)
    var failure: String?
    do { try await change.perform(on: library, at: site, samples) } catch { failure = "\(error)" }
    calls.disarm()
    guard let victim = calls.victim else {
      await site.close(library)
      return ([], false)
    }
    var faults: [String] = []
    if !trouble.isDeath {
      // The one that goes on must know the truth as well.
      // A file whose name was free for a moment may be on its way back into the index.
      try await library.refresh()
      let state = try await SweepState(of: library, at: site)
      faults += judge(state, failure: failure, isKilled: false).map { "while open: " + $0 }
    }
    await site.close(library)
    do {
      let (state, problems) = try await look(mount: 3)
      faults += judge(state, failure: failure, isKilled: trouble.isDeath)
      faults += problems
    } catch {
      faults.append("the library can't be opened again: \(error)")
    }
    let place = victim.replacing(site.path + "/", with: "")
    return (faults.map { "“\(place)”\(failure.map { " (\($0))" } ?? ""): \($0)" }, true)
  }

  /// Lets one look-up, listing or read fail while the library is opened, scanned and verified: a disk with a loose plug
  /// must not make it forget anything.
  ///
  /// - Parameter isIncluded: As in `run`.
  package func runReading(where isIncluded: (Int) -> Bool = { _ in true }) async throws -> Outcome {
    var outcome = Outcome()
    var number = 0
    while true {
      number += 1
      guard isIncluded(number) else { continue }
      try site.reset()
      let calls = CallFaults()
      calls.arm(.error(EIO), at: number, of: .reads)
      if let library = try? await site.open(mount: 2, faults: calls) {
        // It may say that something can't be read.
        _ = try? await library.verify()
        await site.close(library)
      }
      guard let victim = calls.victim else { return outcome }
      outcome.runs += 1
      let (state, problems) = try await look(mount: 3)
      let place = victim.replacing(site.path + "/", with: "")
      outcome.faults += ((state == before ? [] : [state.difference(from: before)]) + problems)
        .map { "\(site.kind), before \(change), unreadable at call \(number), “\(place)”: \($0)" }
    }
  }

  private func judge(_ state: SweepState, failure: String?, isKilled: Bool) -> [String] {
    if state == after { return failure == nil || isKilled ? [] : ["it reported a failure and has happened"] }
    if failure == nil { return ["it was reported done; " + state.difference(from: after)] }
    if state == before { return [] }
    return isPart(state) ? [] : [state.difference(from: before)]
  }

  /// Whether a part of the change is there that may be there without the rest.
  private func isPart(_ state: SweepState) -> Bool {
    var rest = state
    switch change {
    case .moveFile, .movePair:
      // A copy that is in the library, and its source.
      rest.card = after.card
      return rest == after && state.card.allSatisfy(before.card.contains)
    case .export:
      // What was exported before the disk was full, or the kill came. Where nothing renames without replacing, one name
      // may be reserved by an empty file; nobody looks after this folder later.
      rest.exports = before.exports
      return rest == before && state.exports.allSatisfy { after.exports.contains($0) || $0.hasSuffix(" empty") }
    default: return false
    }
  }

  /// Opens the library as the next process does.
  private func look(mount: UInt64) async throws -> (state: SweepState, problems: [String]) {
    let library = try await site.open(mount: mount)
    let state: SweepState
    var problems: [String] = []
    do {
      state = try await SweepState(of: library, at: site)
      let checked = try await library.verify()
      problems += checked.problems.map { "verify says \($0)" }
    } catch {
      await site.close(library)
      throw error
    }
    await site.close(library)
    let hidden = site.pictures + "/.photome"
    problems += SweepSite.files(below: site.pictures).filter { $0.hasSuffix(".tmp") || $0.hasSuffix(".aside") }.map {
      "\($0) is left over"
    }
    problems += SweepSite.files(below: hidden + "/journal").map { "the journal \($0) is left over" }
    problems += library.recovery.compactMap { note in
      if case .couldNotRecover = note { note.description } else { nil }
    }
    return (state, problems)
  }
}
