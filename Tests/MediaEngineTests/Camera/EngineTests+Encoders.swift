// The encoders of stills in other formats than JPEG: a still is safe before they begin, and saved where they fail.

import CameraCore
import Foundation
import StillCodecs
import Testing

@testable import MediaEngine

extension EngineTests {
  private struct NoEncoder: Error, CustomStringConvertible { let description = "its encoder is gone" }

  /// All stills of one shot.
  private static func stills(
    _ format: PhotoFormat, isMirrored: Bool = false, encoder: @escaping StillFormats.Encoder
  ) async throws -> [CapturedPhoto] {
    let engine = CameraEngine(limits: EngineLimits().times(4), fault: .none, encoder: encoder)
    let folder = FileManager.default.temporaryDirectory.appending(path: "photome-format-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await engine.start(CameraConfiguration(cameraID: CameraDevice.testID))
    var stills: [CapturedPhoto] = []
    let settings = PhotoSettings(isLive: false, movieFolder: folder, isMirrored: isMirrored, format: format)
    for try await event in engine.capture(settings) {
      switch event {
      case .willBegin(let resolved): #expect(resolved.mayImprove == (format != .jpeg))
      case .photo(let photo), .improved(let photo): stills.append(photo)
      default: break
      }
    }
    await engine.stop()
    return stills
  }

  @Test("A still that can't be encoded in its format is kept as the JPEG that it was")
  func anEncoderThatFails() async throws {
    for format in [PhotoFormat.heic, .avif, .png] {
      let stills = try await Self.stills(format) { _, _, _, _, _ in throw NoEncoder() }
      #expect(stills.map(\.format) == [.jpeg, .jpeg])
      let last = try #require(stills.last)
      #expect(last.data == stills.first?.data && !last.data.isEmpty)
      #expect(last.shortfall?.contains("saved as JPEG") == true)
      #expect(last.shortfall?.contains("\(format.name): its encoder is gone") == true)
    }
  }

  @Test("The movie of a live photo doesn't wait for the encoder of its still", .timeLimit(.minutes(30)))
  func aMovieBesideAnEncoder() async throws {
    let gate = OneShot<Void, Never>()
    let encoder: StillFormats.Encoder = { _, _, _, _, _ in
      await gate.wait()
      return Data([1])
    }
    let engine = CameraEngine(limits: EngineLimits().times(4), fault: .none, encoder: encoder)
    let folder = FileManager.default.temporaryDirectory.appending(path: "photome-beside-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await engine.start(CameraConfiguration(cameraID: CameraDevice.testID, size: PixelSize("640x360")))
    await engine.setLive(true, microphone: .none)
    let steps = engine.movieSteps
    var names: [String] = []
    for try await event in engine.capture(PhotoSettings(isLive: true, movieFolder: folder, format: .heic)) {
      switch event {
      case .movieRecorded:
        names.append("recorded")
        // Written meanwhile; the shot is saved with what comes last.
        #expect(await eventually { engine.movieSteps > steps })
        gate.decide(.success(()))
      case .improved(let photo):
        #expect(photo.data == Data([1]) && photo.format == .heic)
        names.append("improved")
      case .movie: names.append("movie")
      default: break
      }
    }
    #expect(names == ["recorded", "improved", "movie"])
    await engine.stop()
  }

  @Test("An encoder that hangs is given up, and holds up no other one", .timeLimit(.minutes(30)))
  func anEncoderThatHangs() async throws {
    let (hanging, turn) = (DispatchSemaphore(value: 0), AsyncGate(places: 2))
    let began = AsyncGate(places: 0)
    for _ in 0..<5 {
      await #expect(throws: StillCodecError("the encoder isn’t responding")) {
        _ = try await StillFormats.limited(turn, wait: { _ in await began.enter() }) {
          began.leave()
          hanging.wait()
          return Data()
        }
      }
    }
    #expect(try await StillFormats.limited(turn) { Data([7]) } == Data([7]))
    for _ in 0..<5 { hanging.signal() }
  }

  @Test("The JPEG of a still is handed over before another format is encoded") func theJPEGComesFirst() async throws {
    let stills = try await Self.stills(.png, isMirrored: true, encoder: StillFormats.data)
    #expect(stills.map(\.format) == [.jpeg, .png])
    #expect(stills.allSatisfy { $0.shortfall == nil && $0.frameCount == 1 })
    #expect(stills.first?.data.starts(with: [0xff, 0xd8]) == true)
    #expect(stills.last?.data.starts(with: [0x89, 0x50]) == true)
    let jpeg = try await Self.stills(.jpeg) { _, _, _, _, _ in throw NoEncoder() }
    #expect(jpeg.map(\.format) == [.jpeg] && jpeg.first?.shortfall == nil)
  }
}
