// What PhotoMe is started for: its text, and what the camera makes of it.

import CameraCore
import Foundation
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct StartRequestTests {
  @Test func theTextSaysAllOfIt() {
    for isLive in [true, false] {
      for delay in [nil] + ShutterDelay.allCases.map(Optional.some) {
        for takesPhoto in [true, false] {
          var request = StartRequest()
          (request.turnsLiveOn, request.delay, request.takesPhoto) = (isLive, delay, takesPhoto)
          #expect(StartRequest(text: request.text) == request)
          #expect(request.isEmpty == request.text.isEmpty)
        }
      }
    }
  }

  @Test(arguments: ["", "later", "countdown=", "countdown=4", "countdown=x=3", "=", "countdown"])
  func wordsOfOtherVersionsAreLeftOut(text: String) {
    #expect(StartRequest(text: text).isEmpty)
    #expect(StartRequest(text: text + " photo").takesPhoto)
  }

  @Test func aPhotoWaitsForTheCamera() async throws {
    let bench = try await LibraryBench(count: 0)
    var request = StartRequest()
    (request.takesPhoto, request.delay, request.turnsLiveOn) = (true, .three, true)
    let task = Task { await bench.camera.perform(request) }
    await bench.camera.start()
    await task.value
    #expect(bench.camera.delay == .three && bench.camera.countdown.isRunning && bench.camera.live.isOn)
    bench.camera.countdown.cancel()
    try await bench.end()
  }
}
