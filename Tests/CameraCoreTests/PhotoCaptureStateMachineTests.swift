// Every path of a shot: random orders of events end it exactly once, and a photo that was taken is never dropped.

import CameraCore
import Foundation
import TestSupport
import Testing

@Suite struct PhotoCaptureStateMachineTests {
  static func resolved(live: Bool) -> ResolvedPhotoSettings {
    ResolvedPhotoSettings(
      id: CaptureID(rawValue: 1), isLive: live, size: PixelSize(width: 4, height: 2),
      stillTime: MonotonicTime(nanoseconds: 0), date: Date(timeIntervalSince1970: 0),
      camera: CameraDevice(id: "test", name: "Test", kind: .test, formats: []), microphone: nil)
  }

  static let photo = CapturedPhoto(jpeg: Data(), thumbnail: Data(), size: PixelSize(width: 4, height: 2))
  static let movie = CapturedMovie(
    url: URL(fileURLWithPath: "/nowhere"), duration: 3, photoDisplayTime: 1.5, hasSound: true)
  struct Broken: Error {}

  @Test func aPhoto() {
    let machine = Shot()
    #expect(machine.received(.willBegin(Self.resolved(live: false))).name == "none")
    #expect(machine.received(.willCapture).name == "none")
    #expect(machine.received(.photo(Self.photo)).name == "save")
    #expect(machine.engineEnded(error: nil).name == "none")
    #expect(machine.saved().name == "finish")
    #expect(machine.hasEnded)
  }

  @Test func aLivePhoto() {
    let machine = Shot()
    _ = machine.received(.willBegin(Self.resolved(live: true)))
    #expect(machine.received(.photo(Self.photo)).name == "stage")
    #expect(machine.received(.movieRecorded).name == "none")
    #expect(machine.received(.movie(Self.movie)).name == "commit")
    #expect(machine.saved().name == "finish")
  }

  @Test func theStillOutlivesItsMovie() {
    let machine = Shot()
    _ = machine.received(.willBegin(Self.resolved(live: true)))
    _ = machine.received(.photo(Self.photo))
    #expect(machine.engineEnded(error: CameraError.movieFailed(message: "x")).name == "commitStill")
    guard case .finish(let shortfall) = machine.saved() else {
      Issue.record("did not finish")
      return
    }
    #expect(shortfall?.contains("x") == true)
  }

  @Test func theStillIsSavedAloneWhenThereIsNoRoomForBoth() {
    let machine = Shot()
    _ = machine.received(.willBegin(Self.resolved(live: true)))
    _ = machine.received(.photo(Self.photo))
    _ = machine.received(.movie(Self.movie))
    #expect(machine.savingFailed(Broken()).name == "commitStill")
    #expect(machine.savingFailed(Broken()).name == "fail")
  }

  @Test func failuresEndTheShotOnce() {
    let early = Shot()
    #expect(early.engineEnded(error: CameraError.notRunning).name == "fail")
    #expect(early.engineEnded(error: nil).name == "none")
    let unsaved = Shot()
    _ = unsaved.received(.willBegin(Self.resolved(live: false)))
    _ = unsaved.received(.photo(Self.photo))
    #expect(unsaved.savingFailed(Broken()).name == "fail")
    #expect(unsaved.saved().name == "none")
    #expect(unsaved.engineEnded(error: nil).name == "none")
  }

  @Test(arguments: 0..<200) func anyOrderOfEventsEndsAtMostOnceAndDropsNoPhoto(seed: UInt64) {
    var random = SeededNumbers(state: seed)
    let machine = Shot()
    var ends = 0
    var taken = false
    var asked = 0
    let live = Bool.random(using: &random)
    for _ in 0..<30 {
      let action: PhotoCaptureStateMachine.Action
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: action = machine.received(.willBegin(Self.resolved(live: live)))
      case 2, 3: action = machine.received(.photo(Self.photo))
      case 4: action = machine.received(.movie(Self.movie))
      case 5: action = machine.saved()
      case 6: action = machine.engineEnded(error: Bool.random(using: &random) ? Broken() : nil)
      default: action = Int.random(in: 0..<4, using: &random) == 0 ? machine.savingFailed(Broken()) : .none
      }
      if ["save", "stage"].contains(action.name) { taken = true }
      if ["save", "commit", "commitStill"].contains(action.name) { asked += 1 }
      if ["finish", "fail"].contains(action.name) { ends += 1 }
    }
    #expect(ends <= 1)
    #expect(asked <= 2)
    if !machine.hasEnded {
      // Whatever has happened, the engine's end and the disk's answer bring the shot to its end.
      let last = machine.engineEnded(error: nil)
      if taken, asked == 0 { #expect(last.name == "commitStill") }
      if last.name == "fail" { ends += 1 }
      if !machine.hasEnded, machine.saved().name == "finish" { ends += 1 }
      #expect(ends == 1)
    }
    #expect(machine.hasEnded)
  }
}

extension PhotoCaptureStateMachine.Action {
  /// The case's name alone.
  var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// The machine by reference, so that an expectation may step it.
private final class Shot {
  private var machine = PhotoCaptureStateMachine()

  var hasEnded: Bool { machine.hasEnded }
  func received(_ event: CaptureEvent) -> PhotoCaptureStateMachine.Action { machine.received(event) }
  func engineEnded(error: (any Error)?) -> PhotoCaptureStateMachine.Action { machine.engineEnded(error: error) }
  func savingFailed(_ error: any Error) -> PhotoCaptureStateMachine.Action { machine.savingFailed(error) }
  func saved() -> PhotoCaptureStateMachine.Action { machine.saved() }
}
