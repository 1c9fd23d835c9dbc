// The fixture of the library's tests: a library with pictures in a folder of its own, with the models over it.

import CameraCore
import CameraModels
import Foundation

@testable import PhotoLibrary

@MainActor
final class LibraryBench {
  let folder: URL
  let library: PhotoLibrary
  let messages = MessageModel()
  let strip: ThumbnailStripModel
  let grid: LibraryModel
  let viewer: ViewerModel
  let editor: EditModel
  let editing: ScriptedEditing
  let camera: CameraModel
  let navigation: NavigationModel
  let edits: RecordingEdits
  let history: ChangeHistory
  let settings: SettingsModel
  let prompt = ScriptedPrompt()
  let lock: HiddenLock
  let pictures: PictureActionsModel
  let albums: AlbumActionsModel
  let deleted: DeletedPicturesModel
  let players = ScriptedPlayers()
  /// Measures glances and hovering.
  let clock = ManualClock()
  /// Newest first, as the library lists them.
  private(set) var assets: [Asset] = []

  /// - Parameters:
  ///   - count: The number of photos, a day apart.
  ///   - hasTrash: Whether the library's disk has a Trash.
  init(
    count: Int, hasTrash: Bool = true, disk: Disk = Disk(), mattes: (any MatteProvider)? = nil,
    detector: (any FaceDetecting)? = nil
  ) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-grid-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let trash = folder.appendingPathComponent("Trash")
    // A file in its place makes the Trash unusable.
    if !hasTrash { try Data().write(to: trash) }
    library = try await PhotoLibrary.open(
      at: folder.appendingPathComponent("PhotoMe"), index: folder.appendingPathComponent("index.sqlite"), disk: disk,
      trash: DesktopTrash(disk: disk, home: trash.path))
    let images = ImageManager()
    strip = ThumbnailStripModel(library: library, images: images)
    settings = SettingsModel(store: TransientSettingsStore(), messages: messages)
    lock = HiddenLock(settings: settings, prompt: prompt, messages: messages)
    grid = LibraryModel(library: library, images: images, messages: messages, lock: lock)
    edits = RecordingEdits(library: library)
    history = ChangeHistory(
      library: library, messages: messages, edits: edits,
      file: HistoryFile(url: folder.appendingPathComponent("history.json")))
    viewer = ViewerModel(library: library, images: images, players: players, messages: messages)
    editing = ScriptedEditing(library: library)
    editor = EditModel(
      editing: editing, library: library, reader: ScriptedFrames(), players: players, messages: messages,
      presets: PresetsModel(store: PresetStore(folder: folder.appendingPathComponent("presets"))),
      mattes: mattes, detector: detector)
    camera = CameraModel(
      service: ScriptedCamera(), library: library, strip: strip, settings: settings, messages: messages)
    navigation = NavigationModel(
      camera: camera, strip: strip, library: grid, viewer: viewer, editor: editor, messages: messages, clock: clock)
    pictures = PictureActionsModel(
      library: library, history: history, grid: grid, navigation: navigation, editor: editor, messages: messages)
    albums = AlbumActionsModel(history: history, grid: grid, messages: messages)
    deleted = DeletedPicturesModel(library: library, history: history, grid: grid, messages: messages)
    for number in 0..<count { try await add(day: -number) }
    assets = try await library.fetchAssets()
  }

  /// Adds a photo of a day, counted from a day in November 2026.
  @discardableResult
  func add(day: Int) async throws -> Asset {
    let date = Date(timeIntervalSince1970: 1_795_262_400 + Double(day) * 86_400)
    return try await library.createAsset(
      AssetCreationRequest(
        photo: SampleMedia.jpeg,
        metadata: PhotoMetadata(date: date, utcOffset: 0, size: PixelSize(width: 64, height: 48))))
  }

  /// The IDs that the grid shows, in order.
  var shown: [Asset.ID] { (0..<grid.list.count).compactMap { grid.list.assetIfRead(at: $0)?.id } }

  /// Makes the index unreadable, or readable again.
  func setReadable(_ isReadable: Bool) throws {
    try library.index.writing { db in
      try db.execute(sql: isReadable ? "ALTER TABLE away RENAME TO asset" : "ALTER TABLE asset RENAME TO away")
    }
  }

  /// Marks an asset as changed, as other processes do: with a row in the history.
  func notice(of id: Asset.ID) throws {
    try library.index.writing { db in
      try db.execute(sql: "INSERT INTO change (id, number, kind) VALUES (?, 0, 1)", arguments: [id])
      try library.index.publishChanges(db)
    }
  }

  /// The text of the oldest message.
  func nextMessage() -> String? { messages.takeNext()?.text }

  /// Gives a picture an edit without rendering anything.
  func edit(_ asset: Asset, _ text: String) async throws {
    let before = try await library.adjustmentData(for: asset.id)
    let after = RecordingEdits.adjustment(text)
    try await edits.restore(after, of: asset) { _ in }
    history.add(ChangeName(.edit), .edited(EditChange(asset: asset.id, before: before, after: after)))
  }

  func end() async throws {
    await history.saved()
    await library.close()
    try FileManager.default.removeItem(at: folder)
  }
}

/// Gives assets earlier edits with the same picture each time.
final class RecordingEdits: EditRestoring {
  private let library: PhotoLibrary

  init(library: PhotoLibrary) { self.library = library }

  static func adjustment(_ text: String) -> AdjustmentData {
    AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data(text.utf8))
  }

  func restore(
    _ adjustment: AdjustmentData?, of asset: Asset, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    progress(0.5)
    guard let adjustment else { return try await library.performChanges { $0.change(.revert(asset.id)) } }
    if adjustment == Self.adjustment("lost") { throw UnrestorableEdit(reason: "the program isn’t installed") }
    let output = ContentEditingOutput(photo: SampleMedia.jpeg, adjustmentData: adjustment)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, contentEditingOutput: output)) }
  }
}

/// A password prompt that a test answers.
@MainActor final class ScriptedPrompt: PasswordPrompt {
  var answer = PasswordAnswer.granted
  private(set) var count = 0
  /// The prompt waits for an element of this stream.
  var gate: AsyncStream<Void>?

  func ask() async -> PasswordAnswer {
    count += 1
    if let gate { for await _ in gate { break } }
    return answer
  }
}
