// The location of new pictures: wanted, allowed, found, and written.

import CameraModels
import EngineInterface
import Foundation
import PhotoLibrary
import Testing

/// A location service that tells what the test says.
@MainActor final class ScriptedLocations: LocationSource {
  private(set) var startCount = 0
  private var told: ((LocationNotice) -> Void)?

  var isSearching: Bool { told != nil }

  func start(_ tell: @escaping (LocationNotice) -> Void) {
    startCount += 1
    told = tell
  }

  func stop() { told = nil }

  func tell(_ notice: LocationNotice) { told?(notice) }
}

@MainActor
@Suite(.timeLimit(.minutes(30))) struct LocationModelTests {
  private static let bern = GeoLocation(latitude: 46.948, longitude: 7.4474)

  private func bench() async throws -> (ModelBench, LocationModel, ScriptedLocations) {
    let bench = try await ModelBench()
    let source = ScriptedLocations()
    let place = LocationModel(settings: bench.settings, source: source, messages: bench.messages)
    bench.model.place = place
    return (bench, place, source)
  }

  @Test func nobodyIsLocatedUnlessItIsWantedAndACameraRuns() async throws {
    let (bench, place, source) = try await bench()
    #expect(!place.isOn && place.state == .off)
    place.setOn(true)
    #expect(!source.isSearching, "no picture can be taken yet")
    #expect(bench.messages.takeNext()?.text == "Location will be added to new photos and videos once it’s found.")
    await bench.model.start()
    #expect(source.isSearching && place.state == .searching)
    await bench.model.setViewfinderVisible(false)
    #expect(!source.isSearching && place.state == .off)
    await bench.model.setViewfinderVisible(true)
    #expect(source.isSearching)
    place.setOn(false)
    #expect(!source.isSearching && source.startCount == 2)
    #expect(bench.messages.takeNext()?.text == "Location won’t be added to new photos and videos.")
    try await bench.end()
  }

  @Test func aPictureGetsThePlaceThatIsKnownAtThePress() async throws {
    let (bench, place, source) = try await bench()
    await bench.model.start()
    place.setOn(true)
    let before = try #require(bench.model.takePhoto())
    source.tell(.found(try #require(Self.bern), accuracy: 25))
    #expect(place.explanation.contains("25 m"))
    let after = try #require(bench.model.takePhoto())
    for capture in bench.captures {
      bench.expose(capture)
      capture.sink.finish()
    }
    let (first, second) = (try await before.saved, try await after.saved)
    #expect(try await bench.library.asset(id: first.assetID)?.location == nil)
    let found = try #require(try await bench.library.asset(id: second.assetID)?.location)
    #expect(abs(found.latitude - 46.948) < 1e-6 && abs(found.longitude - 7.4474) < 1e-6)
    try await bench.end()
  }

  @Test func theLastPlaceHoldsForMinutesWhileTheNextIsSearchedFor() async throws {
    let bench = try await ModelBench()
    let source = ScriptedLocations()
    var time = ContinuousClock.now
    let place = LocationModel(settings: bench.settings, source: source, messages: bench.messages, now: { time })
    let bern = try #require(Self.bern)
    place.setOn(true)
    place.setInUse(true)
    source.tell(.found(bern, accuracy: 25))
    // It may have been found long ago: it holds from the end of the search on.
    time += .seconds(3600)
    place.setInUse(false)
    #expect(place.location == nil && !source.isSearching)
    time += LocationModel.memory - .seconds(1)
    place.setInUse(true)
    #expect(place.state == .searching && place.location == bern && place.explanation.contains("25 m"))
    // A camera that goes and comes before it is found again doesn't make it last longer.
    place.setInUse(false)
    place.setInUse(true)
    #expect(place.location == bern)
    time += .seconds(1)
    #expect(place.location == nil && place.explanation.hasPrefix("Finding your"))
    source.tell(.found(bern, accuracy: nil))
    place.setOn(false)
    place.setOn(true)
    #expect(place.location == nil, "switched off, it is forgotten")
    source.tell(.found(bern, accuracy: nil))
    place.setInUse(false)
    place.setInUse(true)
    source.tell(.unavailable)
    #expect(place.location == nil)
    place.setInUse(false)
    place.setInUse(true)
    #expect(place.location == nil)
    try await bench.end()
  }

  @Test func aMovieGetsThePlaceThatIsKnownWhenItBegins() async throws {
    let (bench, place, source) = try await bench()
    let recorder = ScriptedRecorder()
    let movies = MovieModel(
      service: recorder, library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    movies.place = place
    await bench.model.start()
    place.setOn(true)
    source.tell(.found(try #require(Self.bern), accuracy: 25))
    await movies.start()
    #expect(recorder.requests.last?.position == "+46.948000+007.447400/")
    recorder.end()
    await movies.waitForEnd()
    place.setOn(false)
    await movies.start()
    #expect(recorder.requests.count == 2 && recorder.requests.last?.position == nil)
    recorder.end()
    await movies.waitForEnd()
    try await bench.end()
  }

  @Test func aRefusalSwitchesItOffSoThatNobodyIsAskedTwice() async throws {
    let (bench, place, source) = try await bench()
    await bench.model.start()
    place.setOn(true)
    source.tell(.refused)
    #expect(!place.isOn && place.state == .off && !source.isSearching)
    #expect(bench.messages.messages.last?.text.contains("privacy settings") == true)
    try await bench.end()
  }

  @Test func withoutAServiceItIsSaidOnceAndPicturesHaveNoPlace() async throws {
    let (bench, place, source) = try await bench()
    await bench.model.start()
    place.setOn(true)
    source.tell(.unavailable)
    source.tell(.unavailable)
    #expect(place.isOn && place.state == .unavailable && place.location == nil)
    #expect(bench.messages.messages.count { $0.text.contains("location service doesn’t respond") } == 1)
    try await bench.end()
  }
}
