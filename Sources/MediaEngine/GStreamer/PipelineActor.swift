// The actor of all pipelines, with a queue of its own.

import Dispatch

/// Isolates everything that builds, starts, changes or stops a pipeline.
///
/// State changes can block for tens of milliseconds (a driver opens, a thread is joined), so the actor runs on a queue of
/// its own and never takes a thread from Swift's pool. Frames don't pass here: streaming threads hand them to
/// `CaptureStore` and `PreviewPump` themselves.
@globalActor
actor PipelineActor {
  static let shared = PipelineActor()

  private let executor = QueueExecutor(label: "photome.pipelines")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Runs an actor's jobs on a dispatch queue. (On Linux, `DispatchQueue` is no `SerialExecutor` itself.)
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
