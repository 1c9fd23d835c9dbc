// The fixture of the editor's tests: the editor with scripted saving, players and frames, over a library with pictures.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary
import Synchronization

@testable import CameraModels

/// Opens from a library, and saves as the test specifies.
final class ScriptedEditing: AssetEditing {
  struct Script {
    var recipe = AdjustmentRecipe()
    var extensions: [EditingExtension] = []
    /// The extensions that edited assets, with the assets' IDs.
    var extended: [String] = []
    var opening: PhotoLibraryError?
    var saving: PhotoLibraryError?
    /// Whether saving waits until it is canceled.
    var hangs = false
    /// Saving waits for an element of this stream.
    var gate: AsyncStream<Void>?
    var saved: [AdjustmentRecipe] = []
    var reverted: [Asset.ID] = []
    /// Whether the library is changed as well.
    var performs = false
    /// Whether the asset counts as edited.
    var isEdited = false
    /// The movie that the picture claims to have.
    var movieRange: Range<UInt64>?
    /// A file to work on instead of the asset's.
    var url: URL?
    /// The matte that was kept with the edit.
    var matte: Matte?
  }

  let script = Mutex(Script())
  private let library: PhotoLibrary

  init(library: PhotoLibrary) { self.library = library }

  func open(_ asset: Asset) async throws -> EditStart {
    let script = script.withLock { $0 }
    if let error = script.opening { throw error }
    var input = try await library.contentEditingInput(for: asset.id) { _ in true }
    input.asset.isEdited = script.isEdited
    if let url = script.url { input.url = url }
    if let range = script.movieRange {
      input.movieRange = range
      input.duration = 3
      input.photoDisplayTime = 1.5
    }
    return EditStart(input: input, recipe: script.recipe, matte: script.matte)
  }

  func save(
    _ recipe: AdjustmentRecipe, of start: EditStart, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    progress(0.5)
    let script = script.withLock { $0 }
    if script.hangs {
      let (never, sink) = AsyncStream.makeStream(of: Void.self)
      for await _ in never {}
      _ = sink
      throw CancellationError()
    }
    if let gate = script.gate { for await _ in gate { break } }
    if let error = script.saving { throw error }
    self.script.withLock { $0.saved.append(recipe) }
  }

  func extensions(for asset: Asset) async -> [EditingExtension] { script.withLock { $0.extensions } }

  func edit(
    _ asset: Asset, with extension: EditingExtension, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    progress(0.5)
    if let error = script.withLock({ $0.saving }) { throw error }
    script.withLock { $0.extended.append("\(`extension`.id) \(asset.id)") }
  }

  func revert(_ asset: Asset) async throws {
    if let error = script.withLock({ $0.saving }) { throw error }
    script.withLock { $0.reverted.append(asset.id) }
    if script.withLock({ $0.performs }) { try await library.performChanges { $0.change(.revert(asset.id)) } }
  }
}

/// Frames of a single color, which encodes the time in hundredths of a second.
struct ScriptedFrames: MovieReader {
  static let size = PixelSize(width: 64, height: 36)

  func readFrames(
    of source: MovieSource, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    throw CameraError.playbackFailed(file: source.url.lastPathComponent, message: "the editor asks for single frames")
  }

  func frame(of source: MovieSource, at time: Double, fitting size: PixelSize) async throws -> DecodedImage {
    let block = FrameBlock(count: Self.size.area * 4) { bytes in
      for index in bytes.indices { bytes[index] = UInt8(min(255, max(0, (time * 100).rounded()))) }
    }
    return DecodedImage(size: Self.size, stride: Self.size.width * 4, block: block)
  }
}

/// The editor over a library with photos.
@MainActor final class EditBench {
  let library: LibraryBench
  let editing: ScriptedEditing
  let model: EditModel

  init(
    photos: Int = 1, mattes: (any MatteProvider)? = nil, detector: (any FaceDetecting)? = nil
  ) async throws {
    library = try await LibraryBench(count: photos, mattes: mattes, detector: detector)
    editing = library.editing
    model = library.editor
  }

  func set(_ change: (inout ScriptedEditing.Script) -> Void) { editing.script.withLock { change(&$0) } }
  var script: ScriptedEditing.Script { editing.script.withLock { $0 } }

  /// Opens a picture, and waits for its preview.
  func open(_ index: Int = 0) async {
    await model.open(library.assets[index])
    await model.preview.finished()
  }

  /// Opens a picture as a live photo of three seconds.
  func openLive() async {
    // Beyond the end of the still; nothing of it is read.
    set { $0.movieRange = 1_000_000..<1_000_001 }
    await model.open(library.assets[0])
    await model.preview.finished()
  }

  func end() async throws {
    model.cancel()
    await model.confirm()
    try await library.end()
  }
}
