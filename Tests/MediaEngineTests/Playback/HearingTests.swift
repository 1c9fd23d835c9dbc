// The times in which a movie that stands still says nothing about its sound output.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct HearingTests {
  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  @Test("Until its first picture a movie waits for the decoder, for a while; while it is linked, for the sound output")
  func theBeginning() {
    let hearing = Hearing()
    #expect(!hearing.awaitsPicture(at: start))
    hearing.linked(at: start)
    #expect(hearing.awaitsPicture(at: start + .seconds(19)))
    #expect(!hearing.awaitsPicture(at: start + .seconds(21)))
    hearing.pictures.encoded.add(1, ordering: .relaxed)
    #expect(!hearing.awaitsPicture(at: start + .seconds(1)))
  }

  @Test("A seek waits for the decoder, also in the middle of a movie")
  func seeking() {
    let hearing = Hearing()
    hearing.linked(at: start)
    hearing.pictures.encoded.add(1, ordering: .relaxed)
    hearing.seekBegan(at: start + .seconds(60))
    #expect(hearing.awaitsPicture(at: start + .seconds(79)))
    #expect(!hearing.awaitsPicture(at: start + .seconds(81)))
    hearing.becameReady()
    #expect(!hearing.awaitsPicture(at: start + .seconds(61)))
  }
}
