// What is below the window, put together: the library, the engine and the models over both.

import CameraCore
import CameraModels
import Dispatch
import Foundation
import GtkShim
import MediaEngine
import PhotoLibrary
import Synchronization

extension Assembly {
  /// Opens the library, makes engine and models, and begins to open the camera.
  ///
  /// - Throws: `PhotoLibraryError` when the library's folder can't be one.
  static func make(_ options: LaunchOptions, data: DataFolder) throws -> Assembly {
    let library = try open(options.library ?? PhotoLibrary.defaultFolder)
    let engine = CameraEngine()
    let messages = MessageModel()
    let settings = SettingsModel(store: FileSettingsStore.standard, messages: messages)
    let strip = ThumbnailStripModel(library: library)
    let camera = CameraModel(service: engine, library: library, strip: strip, settings: settings, messages: messages)
    Task { await camera.start(options.cameraID.map { CameraConfiguration(cameraID: $0) }) }
    // The loop does not run yet, and GTK will keep this thread busy for a while before it does: this lets the task reach
    // the engine, whose own threads go on from there.
    pm_main_queue_drain()

    let viewer = ViewerModel(strip: strip, players: EngineMoviePlayerFactory(), messages: messages)
    let shutter = ShutterSound(file: URL(fileURLWithPath: data.shutterSound))
    return Assembly(
      models: Models(camera: camera, strip: strip, viewer: viewer, messages: messages), preview: engine.preview,
      windowIsShown: {
        for note in library.recovery { messages.post(note.description) }
        StatisticsReport.start(engine.preview, engine)
        await strip.start()
        // A folder that can't be written is known before the first shot is lost to it.
        do throws(PhotoLibraryError) { try await library.prepareForCapture() } catch {
          messages.post(error.description)
        }
      },
      prepareShutterSound: { shutter.prepare() }, soundShutter: { shutter.play() }, close: { await library.close() })
  }

  /// Opens the library and waits for it.
  ///
  /// The models need it from their birth, and the camera needs the models; there is no main loop yet that could wait
  /// instead. Only the index is opened (a few milliseconds, on another thread); the folder is looked through later.
  private static func open(_ folder: URL) throws -> PhotoLibrary {
    let opening = Opening()
    Task.detached {
      do throws(PhotoLibraryError) { opening.finish(.success(try await PhotoLibrary.open(at: folder))) } catch {
        opening.finish(.failure(error))
      }
    }
    return try opening.wait()
  }
}

/// The outcome of an opening, handed from a task to the thread that waits for it.
private final class Opening: Sendable {
  private let outcome = Mutex<Result<PhotoLibrary, PhotoLibraryError>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func finish(_ result: Result<PhotoLibrary, PhotoLibraryError>) {
    outcome.withLock { $0 = result }
    isDone.signal()
  }

  func wait() throws(PhotoLibraryError) -> PhotoLibrary {
    isDone.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("signalled without an outcome") }
    return try result.get()
  }
}
