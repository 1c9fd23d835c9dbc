// Whether a change is being made in a library at the moment, by whatever program.

import Foundation

/// The changes of a library that aren't complete: what is read meanwhile may be half old and half new.
///
/// A change of several files has a journal from before its first step until after its last one. So what was read is of
/// one moment when there was no journal before, and the folder of the journals is the same afterwards.
struct ChangeProgress: Sendable {
  let folder: LibraryFolder
  let disk: Disk
  /// Of this process; `nil` for none.
  let token: String?

  /// The journals, and the time at which one was last written or removed.
  struct Moment: Hashable, Sendable {
    fileprivate var journals: [String]
    fileprivate var changed: Int64?

    /// Whether there is no journal.
    var isQuiet: Bool { journals.isEmpty }
  }

  /// Something is read while this is there.
  final class Reading: Sendable {
    fileprivate let moment: Moment?
    private let release: (@Sendable () -> Void)?
    /// Whether others wait for its end.
    var pausesOthers: Bool { release != nil }

    /// - Parameter moment: When what is read is of one; `nil` takes the files as they are.
    init(_ moment: Moment? = nil, release: (@Sendable () -> Void)? = nil) {
      (self.moment, self.release) = (moment, release)
    }

    deinit { release?() }
  }

  enum State: Hashable, Sendable {
    /// Nobody is making a change of several files.
    case quiet(Moment)
    /// A program that is alive is in the middle of one.
    case inProgress
    /// One was interrupted, and may be finished.
    case interrupted(Moment)
  }

  /// In nanoseconds: for so long, another computer that has the lock counts as being in the middle of a change.
  private static let foreignGrace: Int64 = 60 * 1_000_000_000
  /// How often, and in microseconds how far apart, is asked whether the lock is free when it is one's turn.
  private static let (questions, pause): (Int, UInt32) = (40, 5_000)

  /// The present moment, to be compared with a later one.
  var moment: Moment {
    // The time first: what comes in between changes it.
    let changed = disk.status(folder.journals)?.changed
    return Moment(journals: HotJournals.sorted(disk.names(in: folder.journals) ?? []), changed: changed)
  }

  /// Whether what was read so far is of one moment, where that can be known.
  func lasts(_ reading: Reading) -> Bool { reading.moment.map { $0 == moment } ?? true }

  /// Keeps all others from beginning a change, for as long as the object is there: for where one change follows the
  /// other, so that nothing could be read in between.
  ///
  /// - Returns: `nil` when the present change takes long, or was interrupted.
  func pauseChanges() -> Reading? {
    // Nobody else gets the lock meanwhile: see `WriteLock`.
    let turn = disk.system.open(folder.hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard turn >= 0 else { return nil }
    defer { disk.unlock(turn) }
    let descriptor = disk.system.open(folder.lock, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    let reading = Reading { [disk] in disk.unlock(descriptor) }
    guard disk.system.flock(turn, LOCK_EX | LOCK_NB) == 0 else { return nil }
    var left = Self.questions
    while disk.system.flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
      left -= 1
      guard left > 0 else { return nil }
      usleep(Self.pause)
    }
    guard !isForeign(descriptor), case .quiet = stateWithoutLock else { return nil }
    return reading
  }

  var state: State {
    let state = stateWithoutLock
    if case .quiet(let moment) = state, moment.isQuiet { return state }
    // Whoever has the lock may be in the middle of it.
    return isLocked ? .inProgress : state
  }

  /// Whether nobody has the lock, and no change was interrupted.
  var isIdle: Bool { !isLocked && moment.isQuiet }

  /// The state if nobody has the lock.
  private var stateWithoutLock: State {
    let moment = moment
    if moment.isQuiet { return .quiet(moment) }
    var isInterrupted = false
    for name in moment.journals {
      guard let token = Journal.parts(of: name)?.token else { continue }
      do throws(PhotoLibraryError) {
        let journal = try Journal(of: "\(folder.journals)/\(name)", disk: disk)
        // New pictures need no lock.
        if journal.steps.contains(where: \.needsLock) || !isAlive(token) {
          isInterrupted = true
        } else {
          return .inProgress
        }
      } catch {
        // Done meanwhile, or no journal: `verify` speaks of that.
        continue
      }
    }
    return isInterrupted ? .interrupted(moment) : .quiet(moment)
  }

  private func isAlive(_ token: String) -> Bool {
    token == self.token || LibrarySession.isAlive(folder, token, disk: disk)
  }

  /// Whether somebody has the write lock at the moment.
  var isLocked: Bool {
    let descriptor = disk.system.open(folder.lock, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return false }
    defer { disk.unlock(descriptor) }
    guard disk.system.flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
    return isForeign(descriptor)
  }

  /// Whether another computer has the lock: the kernel's may not reach it.
  private func isForeign(_ descriptor: Int32) -> Bool {
    guard let holder = disk.machine(in: descriptor), !holder.isSame(as: disk.machine) else { return false }
    var status = stat()
    guard disk.system.fstat(descriptor, &status) == 0 else { return false }
    return !Disk.Status(status).isOlder(than: Self.foreignGrace)
  }
}
