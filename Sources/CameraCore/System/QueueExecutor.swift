// An executor for actors that work long, or wait.

import Dispatch

/// Runs an actor's jobs on a dispatch queue, and not on the threads of Swift's tasks, of which there are as few as cores. (On
/// Linux, `DispatchQueue` is no `SerialExecutor` itself.)
public final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: Of the queue.
  public init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
