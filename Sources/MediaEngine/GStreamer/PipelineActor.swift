// The actors that pipelines belong to, each with a queue of its own.

import CameraCore

/// Isolates cameras and microphones.
///
/// Building a pipeline takes tens of milliseconds (plugins are loaded), so the actor runs on a queue of its own and never
/// takes a thread from Swift's pool. What can block for longer (changes of state) runs on each pipeline's own queue. Frames
/// don't pass here: streaming threads hand them to `CaptureStore` and `PreviewPump` themselves.
@globalActor
actor PipelineActor {
  static let shared = PipelineActor()

  private let executor = QueueExecutor(label: "photome.pipelines")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Isolates what is played and heard: movies and the shutter's click. Apart from `PipelineActor`, so that no sound output
/// and no decoder holds up a camera.
@globalActor
actor PlaybackActor {
  static let shared = PlaybackActor()

  private let executor = QueueExecutor(label: "photome.playback")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Isolates what reads movies for other purposes than to see them at once: edits, single frames. Apart from
/// `PlaybackActor`, so that nothing that is watched waits for it. (Each encoding is an actor of its own.)
@globalActor
actor EncodingActor {
  static let shared = EncodingActor()

  private let executor = QueueExecutor(label: "photome.encoding")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
