// The process that is killed: it changes a library without a pause and reports each change.

import ArgumentParser
import CameraCore
import Foundation
import PhotoLibrary

/// `photome-bench kill-worker`: works until someone kills it.
struct KillWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill-worker", abstract: "Change a library until killed.", shouldDisplay: false)

  @OptionGroup var place: KillPlace
  /// Of several workers, each changes its own assets only.
  @Option var worker = 0
  @Option var seed: UInt64

  func run() async throws {
    let library = try await place.open()
    var worker = try await KillWorker(library: library, place: place, number: worker, seed: seed)
    while true { try await worker.work() }
  }
}

/// Does one thing after another, at random.
struct KillWorker {
  let library: PhotoLibrary
  let place: KillPlace
  let number: Int
  let report = SurvivalReport()
  let pictures: SmallPictures
  let sample: PictureTemplate
  let liveSample: PictureTemplate
  let movie: (data: Data, digest: String)
  var random: SeededGenerator
  var clock = Date()
  private var count = 0
  /// Assets of this worker.
  var own: [Asset.ID] = []
  private var trashed: [TrashedAsset] = []
  private var albums: [AssetCollection] = []

  init(library: PhotoLibrary, place: KillPlace, number: Int, seed: UInt64) async throws {
    self.library = library
    self.place = place
    self.number = number
    random = SeededGenerator(seed: seed)
    pictures = try SmallPictures()
    sample = try LargeLibrary.template(try Data(contentsOf: place.sample))
    liveSample = try LargeLibrary.template(try Data(contentsOf: place.liveSample))
    let data = try Data(contentsOf: place.movie)
    movie = (data, ContentDigest.of(data))
    // After the refresh the index has everything that earlier processes left.
    try await library.refresh()
    var options = FetchOptions(limit: 2000)
    options.includesHidden = true
    own = try await library.fetch(options).allAssets()
      .filter { isOwn($0.id) && !ForeignEditor.isOwn($0.url.path) }.map(\.id)
    albums = try await library.fetchAlbums()
  }

  private func isOwn(_ id: Asset.ID) -> Bool { Self.owner(of: id) == number }

  /// The worker that changes an asset: 0 or 1, or 2 for the second program.
  static func owner(of id: Asset.ID) -> Int { Int(id.utf8.last ?? 0) % 3 }

  func makeID() -> Asset.ID {
    while true {
      let id = Asset.makeID()
      if isOwn(id) { return id }
    }
  }

  /// One thing.
  mutating func work() async throws {
    if Int.random(in: 0..<8, using: &random) == 0 { try await changeForeign() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<22: try await create(1)
    case 22..<30: try await create(.random(in: 2...5, using: &random))
    case 30..<42: try await createLive()
    case 42..<46: try await takeOver()
    case 46..<50: try await importCard()
    case 50..<62: try await mark()
    case 62..<65: try await makeAlbum()
    case 65..<75: try await putIntoAlbum()
    case 75..<83: try await edit()
    case 83..<87: try await revert()
    case 87..<93: try await trash()
    case 93..<97: try await restore()
    default: try await delete()
    }
  }

  // MARK: New assets

  private mutating func shot() throws -> (id: Asset.ID, jpeg: Data, metadata: PhotoMetadata, facts: SurvivalNote.Facts)
  {
    count += 1
    clock += .random(in: 0.001...90_000, using: &random)
    let picture = try pictures.picture(.random(in: 0..<1 << 30, using: &random))
    let metadata = PhotoMetadata(date: clock, size: picture.size, thumbnail: picture.thumbnail, photoDisplayTime: 1.5)
    return (makeID(), picture.jpeg, metadata, try facts(ofNew: picture.jpeg))
  }

  func facts(ofNew jpeg: Data, movie: String = "") throws -> SurvivalNote.Facts {
    let digest = try WholeFile.picture(of: jpeg)
    return [
      .there: "yes", .picture: digest, .original: digest, .movie: movie, .favorite: "false", .hidden: "false",
      .albums: "", .edit: "", .trashed: "no",
    ]
  }

  private mutating func create(_ count: Int) async throws {
    var shots: [(id: Asset.ID, request: AssetCreationRequest, facts: SurvivalNote.Facts)] = []
    for _ in 0..<count {
      let shot = try shot()
      shots.append(
        (shot.id, AssetCreationRequest(id: shot.id, photo: shot.jpeg, metadata: shot.metadata), shot.facts))
    }
    let requests = shots.map(\.request)
    try await report.around(
      count == 1 ? "photo" : "several photos", Dictionary(uniqueKeysWithValues: shots.map { ($0.id, $0.facts) })
    ) {
      try await library.performChanges { changes in for request in requests { changes.create(request) } }
    }
    own += shots.map(\.id)
  }

  /// The still at once and the movie later, as the camera does.
  private mutating func createLive() async throws {
    let shot = try shot()
    var staged: StagedPhoto?
    try await report.around("still of a live photo", [shot.id: shot.facts]) {
      staged = try await library.stage(shot.jpeg, id: shot.id, metadata: shot.metadata)
    }
    guard let staged else { return }
    let file = library.movieFolder.appendingPathComponent("\(shot.id).mp4")
    try movie.data.write(to: file)
    try await report.around("live photo", [shot.id: [.movie: movie.digest]]) {
      _ = try await library.createAsset(AssetCreationRequest(staged: staged, pairedVideo: file))
    }
    own.append(shot.id)
  }

  /// A file from elsewhere, moved or copied.
  private mutating func takeOver() async throws {
    count += 1
    clock += 1
    let id = makeID()
    let data = sample.stamped(id: id, time: CalendarTime(clock), variant: .random(in: 0..<1 << 31, using: &random))
    let file = place.url.appendingPathComponent("import-\(number)-\(count).jpg")
    try data.write(to: file)
    let moves = Bool.random(using: &random)
    try await report.around("file taken over", [id: try facts(ofNew: data)]) {
      _ = try await library.createAsset(AssetCreationRequest(file: file, shouldMoveFile: moves))
    }
    try? FileManager.default.removeItem(at: file)
    own.append(id)
  }

  // MARK: Changes

  private mutating func some(_ most: Int) -> [Asset.ID] {
    Array(own.shuffled(using: &random).prefix(.random(in: 1...most, using: &random)))
  }

  private mutating func mark() async throws {
    let ids = some(4)
    let isOn = Bool.random(using: &random)
    let hides = Int.random(in: 0..<5, using: &random) == 0
    let facts: SurvivalNote.Facts = [hides ? .hidden : .favorite: "\(isOn)"]
    try await report.around(
      hides ? "hidden" : "favorite", Dictionary(uniqueKeysWithValues: ids.map { ($0, facts) })
    ) {
      try await library.performChanges { changes in
        for id in ids {
          changes.change(AssetChangeRequest(for: id, isFavorite: hides ? nil : isOn, isHidden: hides ? isOn : nil))
        }
      }
    }
  }

  private mutating func makeAlbum() async throws {
    guard albums.count < 12 else { return }
    let title = "Album \(UInt32.random(in: .min ... .max, using: &random))"
    try await report.learning("album") {
      let id = try await library.performChanges { $0.createAlbum(title: title).id }
      return [id: [.there: "yes", .albums: title]]
    }
    albums = try await library.fetchAlbums()
  }

  /// Into one, or out of it.
  private mutating func putIntoAlbum() async throws {
    guard let album = albums.randomElement(using: &random), let id = own.randomElement(using: &random) else { return }
    var titles = Set(try await library.fetchAlbums(of: id).map(\.title))
    let isIn = titles.remove(album.title) != nil
    if !isIn { titles.insert(album.title) }
    try await report.around("in an album", [id: [.albums: titles.sorted().joined(separator: ", ")]]) {
      try await library.performChanges { changes in
        changes.change(
          AssetCollectionChangeRequest(for: album.id, addAssets: isIn ? [] : [id], removeAssets: isIn ? [id] : []))
      }
    }
  }

  private mutating func edit() async throws {
    guard let id = own.randomElement(using: &random), let asset = try await library.asset(id: id) else { return }
    let jpeg = try pictures.picture(.random(in: 0..<1 << 30, using: &random)).jpeg
    let settings = "\(UInt32.random(in: .min ... .max, using: &random))"
    var file: URL?
    if asset.isLive {
      file = library.movieFolder.appendingPathComponent("edit-\(settings).mp4")
      try await library.prepareForCapture()
      if let file { try movie.data.write(to: file) }
    }
    let output = ContentEditingOutput(
      photo: jpeg, pairedVideo: file, photoDisplayTime: 1.5,
      adjustmentData: AdjustmentData(
        formatIdentifier: "kill-loop", formatVersion: "1", data: Data(settings.utf8)))
    // A live photo of the camera has another movie than those of the workers.
    let facts: SurvivalNote.Facts = [.picture: try WholeFile.picture(of: jpeg), .edit: settings]
    try await report.around("edit", [id: file == nil ? facts : facts.merging([.movie: movie.digest]) { $1 }]) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: id, contentEditingOutput: output)) }
    }
  }

  private mutating func revert() async throws {
    for id in own.shuffled(using: &random) {
      guard let asset = try await library.asset(id: id), asset.isEdited else { continue }
      let original = try WholeFile(try await library.originalURL(of: asset).path)
      try await report.around("revert", [id: [.picture: original.picture, .movie: original.movie, .edit: ""]]) {
        try await library.performChanges { $0.change(.revert(id)) }
      }
      return
    }
  }

  // MARK: The Trash

  private mutating func trash() async throws {
    let ids = some(3)
    var gone: [TrashedAsset] = []
    try await report.around(
      "trash", Dictionary(uniqueKeysWithValues: ids.map { ($0, [.there: "no", .trashed: "yes"]) })
    ) {
      gone = try await library.trash(ids)
    }
    trashed += gone
    own.removeAll { ids.contains($0) }
  }

  private mutating func restore() async throws {
    guard !trashed.isEmpty else { return }
    let asset = trashed.remove(at: .random(in: 0..<trashed.count, using: &random))
    try await report.around("restore", [asset.id: [.there: "yes", .trashed: "no"]]) {
      try await library.restore([asset])
    }
    own.append(asset.id)
  }

  private mutating func delete() async throws {
    guard own.count > 20, let id = own.randomElement(using: &random) else { return }
    try await report.around("delete", [id: [.there: "no", .trashed: "no"]]) {
      try await library.performChanges { $0.deletePermanently([id]) }
    }
    own.removeAll { $0 == id }
  }
}

/// Random numbers that come again with the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
