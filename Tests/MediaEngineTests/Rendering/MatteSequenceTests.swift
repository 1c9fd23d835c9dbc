// Mattes of movies and stills: in the order of the frames, once each, and errors that end the edit.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization
import TestSupport
import Testing

@testable import MediaEngine

@Suite(.serialized, .timeLimit(.minutes(30))) struct MatteSequenceTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("photome-mattes-\(UUID().uuidString)")
  private var output: URL { folder.appendingPathComponent("out") }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  private func movie(count: Int) async throws -> MovieSource {
    let window = try LivePhotoSample.window(count: count, still: 0, sound: nil)
    let movie = try await LivePhotoWriter(limits: EngineLimits()).write(window, into: folder)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: movie.url.path)[.size] as? UInt64)
    return MovieSource(url: movie.url, byteRange: 0..<size)
  }

  private static func processor(_ mattes: RampMattes, _ name: String = "stage") throws -> FrameProcessor {
    try FrameProcessor(AdjustmentRecipe(.init(try Effect.named(name))), isEven: true, mattes: mattes)
  }

  @Test("A movie's frames are followed one after the other, by one tracker")
  func order() async throws {
    defer { remove() }
    let source = try await movie(count: 40)
    let mattes = RampMattes()
    let made = try await EngineEditRenderer().movie(
      of: source, edit: MovieEdit(processor: try Self.processor(mattes)), into: output
    ) { _ in }
    #expect(made.times.count == 40)
    let questions = mattes.questions
    #expect(questions.count == 40 && Set(questions.map(\.tracker)) == [0])
    #expect(questions.allSatisfy { $0.quality == .movie })
    #expect(questions.map(\.time) == questions.map(\.time).sorted() && Set(questions.map(\.time)).count == 40)
    // The stage's right third is black.
    let frame = try await EngineMovieReader().frame(
      of: MovieSource(
        url: made.url,
        byteRange: 0..<(try #require(try FileManager.default.attributesOfItem(atPath: made.url.path)[.size] as? UInt64))
      ),
      at: 0.5, fitting: PixelSize(width: 10_000, height: 10_000))
    let bytes = frame.block.bytes
    let row = frame.size.height / 2 * frame.stride
    #expect((0..<3).allSatisfy { bytes[row + 4 * (frame.size.width - 4) + $0] < 12 })
    #expect((0..<3).contains { bytes[row + 16 + $0] > 12 })
  }

  @Test("A frame without a matte ends the edit, and nothing is left", arguments: [0, 0.5])
  func failure(_ time: Double) async throws {
    defer { remove() }
    let source = try await movie(count: 40)
    await #expect(throws: RampMattes.Failure.self) {
      try await EngineEditRenderer().movie(
        of: source, edit: MovieEdit(processor: try Self.processor(RampMattes(failingFrom: time))), into: output
      ) { _ in }
    }
    await #expect(throws: RampMattes.Failure.self) {
      try await EngineEditRenderer().movie(
        of: source, edit: MovieEdit(processor: try Self.processor(RampMattes(absence: RampMattes.Failure()))),
        into: output
      ) { _ in }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).isEmpty)
  }

  @Test("A still has a matte of its own")
  func still() async throws {
    defer { remove() }
    let source = try await movie(count: 6)
    let mattes = RampMattes()
    let still = try await EngineEditRenderer().still(of: source, at: 0.1, processor: try Self.processor(mattes))
    #expect(mattes.questions == [.init(quality: .still, tracker: 0, time: 0)])
    let image = try still.data.withUnsafeBytes { try JPEGDecoder().decode($0) }
    let bytes = image.block.bytes
    #expect((0..<3).allSatisfy { bytes[4 * (image.size.width - 4) + $0] < 12 })
  }

  @Test("Whoever waits for a frame that failed gets its error, and no cancellation")
  func errors() async throws {
    let sequence = MatteSequence(try RampMattes(failingFrom: 0).makeTracker(.person, quality: .movie))
    let size = PixelSize(width: 1, height: 1)
    await withTaskGroup(of: (any Error)?.self) { group in
      for number in (0..<4).reversed() {
        group.addTask {
          await Blocking.run {
            withUnsafeTemporaryAllocation(byteCount: 4, alignment: 4) { bytes in
              bytes.initializeMemory(as: UInt8.self, repeating: 0)
              let picture = LentPixels(UnsafeRawBufferPointer(bytes), size: size, stride: 4)
              do { _ = try sequence.matte(of: number, picture, time: Double(number)) } catch { return error }
              return nil
            }
          }
        }
      }
      for await error in group { #expect(error is RampMattes.Failure) }
    }
  }

  @Test("Threads that come in any order are served in order")
  func turns() async throws {
    let mattes = RampMattes()
    let sequence = MatteSequence(try mattes.makeTracker(.person, quality: .movie))
    let size = PixelSize(width: 2, height: 2)
    await withTaskGroup(of: Void.self) { group in
      for number in (0..<6).reversed() {
        group.addTask {
          await Blocking.run {
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 4) { bytes in
              bytes.initializeMemory(as: UInt8.self, repeating: 0)
              let picture = LentPixels(UnsafeRawBufferPointer(bytes), size: size, stride: 8)
              _ = try? sequence.matte(of: number, picture, time: Double(number))
            }
          }
        }
      }
    }
    #expect(mattes.questions.map(\.time) == [0, 1, 2, 3, 4, 5])
  }
}
