// Every path of a shot: random orders of events end it exactly once, and a photo that was taken is never dropped.

import CameraCore
import Foundation
import TestSupport
import Testing

@Suite struct PhotoCaptureStateMachineTests {
  static func resolved(live: Bool, mayImprove: Bool = false) -> ResolvedPhotoSettings {
    ResolvedPhotoSettings(
      id: CaptureID(rawValue: 1), isLive: live, size: PixelSize(width: 4, height: 2),
      stillTime: MonotonicTime(nanoseconds: 0), date: Date(timeIntervalSince1970: 0),
      camera: CameraDevice(id: "test", name: "Test", kind: .test, formats: []), microphone: nil,
      mayImprove: mayImprove)
  }

  static let better = CapturedPhoto(
    data: Data(), thumbnail: Data(), size: PixelSize(width: 4, height: 2), frameCount: 6)
  static let photo = CapturedPhoto(data: Data(), thumbnail: Data(), size: PixelSize(width: 4, height: 2))
  static let movie = CapturedMovie(
    url: URL(fileURLWithPath: "/nowhere"), duration: 3, photoDisplayTime: 1.5, hasSound: true)
  struct Broken: Error {}

  @Test func aPhoto() throws {
    let shot = Shot()
    #expect(shot.received(.willBegin(Self.resolved(live: false))) == "none")
    #expect(shot.received(.willCapture) == "none")
    #expect(shot.received(.photo(Self.photo)) == "save")
    #expect(shot.engineEnded(error: nil) == "none")
    #expect(shot.result == nil)
    #expect(shot.saved("file") == "none")
    let outcome = try #require(shot.result).get()
    #expect(outcome.asset == "file" && outcome.movie == nil && outcome.shortfall == nil)
  }

  /// A shot whose first still is staged.
  private func improvable(live: Bool) -> Shot {
    let shot = Shot()
    #expect(shot.received(.willBegin(Self.resolved(live: live, mayImprove: true))) == "none")
    #expect(shot.received(.photo(Self.photo)) == "stage")
    #expect(shot.staged("still") == "none")
    return shot
  }

  @Test func aBetterStillTakesThePlaceOfTheFirst() throws {
    let shot = improvable(live: false)
    #expect(shot.received(.improved(Self.better)) == "restage still")
    #expect(shot.engineEnded(error: nil) == "none")
    #expect(shot.staged("better") == "commitStill better")
    #expect(shot.saved("file") == "none")
    let outcome = try #require(shot.result).get()
    #expect(outcome.asset == "file" && outcome.shortfall == nil && outcome.frameCount == 6)
  }

  @Test func withoutABetterStillTheFirstIsSaved() throws {
    let shot = improvable(live: false)
    #expect(shot.engineEnded(error: nil) == "commitStill still")
    _ = shot.saved("file")
    let outcome = try #require(shot.result).get()
    #expect(outcome.shortfall == nil && outcome.frameCount == 1)
    let failing = improvable(live: false)
    _ = failing.received(.improved(Self.better))
    #expect(failing.engineEnded(error: nil) == "none")
    #expect(failing.savingFailed(Broken()) == "commitStill still", "the first is safe")
    _ = failing.saved("file")
    #expect(try #require(failing.result).get().frameCount == 1)
  }

  @Test func aStillThatIsntInTheFormatThatWasAskedForSaysSo() throws {
    var fallback = Self.better
    fallback.shortfall = "It is a JPEG."
    let shot = improvable(live: true)
    _ = shot.received(.improved(fallback))
    _ = shot.staged("same")
    var shorter = Self.movie
    shorter.shortfalls = [.fewerFrames]
    _ = shot.received(.movie(shorter))
    _ = shot.saved("file")
    #expect(
      try #require(shot.result).get().shortfall == "It is a JPEG. \(CaptureShortfall.fewerFrames.description)")
    // There was no room for the second one.
    var heic = Self.better
    heic.format = .heic
    let failing = improvable(live: false)
    _ = failing.received(.improved(heic))
    _ = failing.engineEnded(error: nil)
    #expect(failing.savingFailed(Broken()) == "commitStill still")
    _ = failing.saved("file")
    #expect(try #require(failing.result).get().shortfall?.contains("as JPEG instead of HEIC") == true)
  }

  @Test func theStillOfALivePhotoIsTheBetterOneAndItsMovieStays() throws {
    let shot = improvable(live: true)
    #expect(shot.received(.improved(Self.better)) == "restage still")
    #expect(shot.staged("better") == "none")
    #expect(shot.received(.movie(Self.movie)) == "commit better")
    _ = shot.saved("file")
    #expect(try #require(shot.result).get().movie?.url == Self.movie.url)
    let early = improvable(live: true)
    _ = early.received(.improved(Self.better))
    #expect(early.received(.movie(Self.movie)) == "none")
    #expect(early.savingFailed(Broken()) == "commit still")
  }

  @Test func aLivePhotoCarriesItsStillAndItsMovie() throws {
    let shot = Shot()
    _ = shot.received(.willBegin(Self.resolved(live: true)))
    #expect(shot.received(.photo(Self.photo)) == "stage")
    #expect(shot.staged("still") == "none")
    #expect(shot.received(.movieRecorded) == "none")
    #expect(shot.received(.movie(Self.movie)) == "commit still")
    #expect(shot.saved("file") == "none")
    let outcome = try #require(shot.result).get()
    #expect(outcome.movie?.url == Self.movie.url && outcome.resolved == Self.resolved(live: true))
  }

  @Test func aMovieThatLacksSomethingIsKeptAndSaysSo() throws {
    let shot = Shot.waitingForMovie()
    var shorter = Self.movie
    shorter.shortfalls = [.endsEarly(seconds: 1, reason: "“X” was unplugged."), .fewerFrames]
    #expect(shot.received(.movie(shorter)) == "commit still")
    _ = shot.saved("file")
    let outcome = try #require(shot.result).get()
    #expect(outcome.movie != nil)
    #expect(outcome.shortfall == shorter.shortfalls.map(\.description).joined(separator: " "))
    #expect(outcome.shortfall?.contains("“X” was unplugged.") == true)
  }

  @Test func aMovieOrItsEndThatComesBeforeTheStillIsStagedIsKept() throws {
    let early = Shot()
    _ = early.received(.willBegin(Self.resolved(live: true)))
    _ = early.received(.photo(Self.photo))
    #expect(early.received(.movie(Self.movie)) == "none")
    #expect(early.engineEnded(error: nil) == "none")
    #expect(early.staged("still") == "commit still")
    let without = Shot()
    _ = without.received(.willBegin(Self.resolved(live: true)))
    _ = without.received(.photo(Self.photo))
    #expect(without.engineEnded(error: Broken()) == "none")
    #expect(without.staged("still") == "commitStill still")
    _ = without.saved("file")
    #expect(try #require(without.result).get().shortfall != nil)
  }

  @Test func theStillOutlivesItsMovie() throws {
    let shot = Shot.waitingForMovie()
    #expect(shot.engineEnded(error: CameraError.movieFailed(message: "x")) == "commitStill still")
    _ = shot.saved("file")
    let outcome = try #require(shot.result).get()
    #expect(outcome.shortfall?.contains("x") == true && outcome.movie == nil)
  }

  @Test func theStillIsSavedAloneWhenThereIsNoRoomForBoth() {
    let shot = Shot.waitingForMovie()
    _ = shot.received(.movie(Self.movie))
    // The rest of the movie may be what fills the disk.
    #expect(shot.savingFailed(Broken()) == "commitStill still, remove /nowhere")
    #expect(shot.savingFailed(Broken()) == "none")
    #expect(throws: Broken.self) { try #require(shot.result).get() }
  }

  @Test func failuresEndTheShotOnce() {
    let early = Shot()
    _ = early.engineEnded(error: CameraError.notRunning)
    _ = early.engineEnded(error: nil)
    #expect(throws: CameraError.notRunning) { try #require(early.result).get() }
    let unstaged = Shot()
    _ = unstaged.received(.willBegin(Self.resolved(live: true)))
    _ = unstaged.received(.photo(Self.photo))
    #expect(unstaged.savingFailed(Broken()) == "none")
    #expect(unstaged.received(.movie(Self.movie)) == "remove /nowhere")
    #expect(throws: Broken.self) { try #require(unstaged.result).get() }
    let ahead = Shot()
    _ = ahead.received(.willBegin(Self.resolved(live: true)))
    _ = ahead.received(.photo(Self.photo))
    #expect(ahead.received(.movie(Self.movie)) == "none")
    #expect(ahead.savingFailed(Broken()) == "remove /nowhere")
    #expect(throws: Broken.self) { try #require(ahead.result).get() }
  }

  @Test(arguments: 0..<200) func anyOrderOfEventsEndsAtMostOnceAndDropsNoPhoto(seed: UInt64) {
    var random = SeededNumbers(state: seed)
    let shot = Shot()
    var pending: String?
    var taken = false
    var files = 0
    let live = Bool.random(using: &random)
    let mayImprove = Bool.random(using: &random)
    func take(_ action: String) {
      // Nobody waits for a removal.
      guard action != "none", !action.hasPrefix("remove") else { return }
      #expect(pending == nil, "seed \(seed): two things at once")
      pending = action
      if ["save", "stage", "restage still"].contains(action) { taken = true }
    }
    func answerDisk() {
      guard let asked = pending else { return }
      pending = nil
      if Int.random(in: 0..<4, using: &random) == 0 { return take(shot.savingFailed(Broken())) }
      if asked == "stage" || asked.hasPrefix("restage") { return take(shot.staged("still")) }
      files += 1
      take(shot.saved("file"))
    }
    for _ in 0..<30 {
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: take(shot.received(.willBegin(Self.resolved(live: live, mayImprove: mayImprove))))
      case 8 where mayImprove: take(shot.received(.improved(Self.better)))
      case 2, 3: take(shot.received(.photo(Self.photo)))
      case 4: take(shot.received(.movie(Self.movie)))
      case 5: take(shot.engineEnded(error: Bool.random(using: &random) ? Broken() : nil))
      default: answerDisk()
      }
    }
    // Whatever has happened, the engine's end and the disk's answers bring the shot to its end.
    take(shot.engineEnded(error: nil))
    while pending != nil { answerDisk() }
    let hasFile = if case .success? = shot.result { true } else { false }
    #expect(shot.result != nil, "seed \(seed)")
    #expect(files == (hasFile ? 1 : 0), "seed \(seed)")
    if hasFile { #expect(taken, "seed \(seed)") }
  }
}

/// The machine by reference, so that an expectation may step it; actions as texts.
private final class Shot {
  private typealias Machine = PhotoCaptureStateMachine<String, String>
  private var machine = PhotoCaptureStateMachine<String, String>()

  static func waitingForMovie() -> Shot {
    let shot = Shot()
    _ = shot.received(.willBegin(PhotoCaptureStateMachineTests.resolved(live: true)))
    _ = shot.received(.photo(PhotoCaptureStateMachineTests.photo))
    _ = shot.staged("still")
    return shot
  }

  var result: Result<PhotoCaptureStateMachine<String, String>.Outcome, any Error>? { machine.result }
  func received(_ event: CaptureEvent) -> String { Self.text(machine.received(event)) }
  func engineEnded(error: (any Error)?) -> String { Self.text(machine.engineEnded(error: error)) }
  func staged(_ still: String) -> String { Self.text(machine.staged(still)) }
  func savingFailed(_ error: any Error) -> String { Self.text(machine.savingFailed(error)) }
  func saved(_ asset: String) -> String { Self.text(machine.saved(asset)) }

  private static func text(_ action: Machine.Action) -> String {
    switch action {
    case .none: "none"
    case .save: "save"
    case .stage: "stage"
    case .restage(let staged, _): "restage \(staged)"
    case .commit(let staged, _): "commit \(staged)"
    case .commitStill(let staged, let movie):
      "commitStill \(staged)" + (movie.map { ", remove \($0.url.path)" } ?? "")
    case .remove(let movie): "remove \(movie.url.path)"
    }
  }
}
