// Stabilization: how much of a shake is left, that pictures stay pictures, and that a movie keeps its times.

import CameraCore
import Foundation
import PhotoEffects
import TestSupport
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct MovieStabilizerTests {
  private static let size = PixelSize(width: 320, height: 192)

  /// A still scene, seen from a place.
  ///
  /// - Parameter scene: Another number is another scene.
  private static func picture(at place: PixelShift, scene: Int = 0) throws -> FrameBlock {
    let kind = RawConverter.Kind(layout: "I420", size: size, colorimetry: "bt709")
    let (layout, byteCount) = try #require(RawConverter.defaultLayout(of: kind))
    return FrameBlock(count: byteCount) { memory in
      for plane in 0..<3 {
        let share = plane == 0 ? 1 : 2
        for row in 0..<size.height / share {
          for column in 0..<size.width / share {
            let (u, v) = (Double(column * share + place.x + 500 + 170 * scene), Double(row * share + place.y + 500))
            var value = 120 + 50 * sin(u / 17) + 30 * cos(v / 23 + u / 51)
            if (Int(u) / 20 + Int(v) / 20 + scene) % 2 == 0 { value += 25 }
            if plane > 0 { value = 128 + 20 * sin(u / 60 + Double(plane)) }
            memory[layout.offsets[plane] + row * layout.strides[plane] + column] = UInt8(min(255, max(0, value)))
          }
        }
      }
    }
  }

  /// The mean difference of the luma of two pictures of the same size, in steps.
  private static func difference(_ one: FrameBlock, _ other: FrameBlock, _ size: PixelSize) -> Double {
    one.withUnsafeBytes { one in
      other.withUnsafeBytes { other in
        Double((0..<size.width * size.height).reduce(0) { $0 + abs(Int(one[$1]) - Int(other[$1])) })
          / Double(size.width * size.height)
      }
    }
  }

  /// Whether a picture is the middle of a larger one, unchanged.
  private static func isMiddle(_ picture: FrameBlock, of whole: FrameBlock) throws -> Bool {
    let size = try #require(MovieStabilizer.size(of: Self.size))
    let (luma, whole) = (picture.bytes, whole.bytes)
    return [0, 100, size.height - 1].allSatisfy { row in
      let start = (row + 8) * Self.size.width + 16
      return luma[row * size.width..<(row + 1) * size.width].elementsEqual(whole[start..<start + size.width])
    }
  }

  private static func stabilized(_ pictures: [FrameBlock]) throws -> [(picture: FrameBlock, time: TimeSpan)] {
    let stabilizer = try #require(MovieStabilizer(size: size))
    var result: [(picture: FrameBlock, time: TimeSpan)] = []
    for (index, picture) in pictures.enumerated() {
      result += stabilizer.add(picture, at: .milliseconds(Int64(33 * index)))
    }
    return result + stabilizer.finish()
  }

  @Test("Of a shake less than a third is left in the picture, and each keeps its time")
  func shake() throws {
    var numbers = SeededNumbers(state: 11)
    let places = (0..<60).map { _ in
      PixelShift(x: Int.random(in: -6...6, using: &numbers), y: Int.random(in: -4...4, using: &numbers))
    }
    let pictures = try places.map { try Self.picture(at: $0) }
    let steady = try Self.stabilized(pictures)
    #expect(steady.map(\.time) == (0..<60).map { .milliseconds(Int64(33 * $0)) })
    let size = try #require(MovieStabilizer.size(of: Self.size))
    #expect(size == PixelSize(width: 288, height: 176))
    func change(_ pictures: [FrameBlock], _ size: PixelSize) -> Double {
      zip(pictures, pictures.dropFirst()).map { Self.difference($0, $1, size) }.reduce(0, +)
    }
    let middle = 16..<44
    #expect(change(steady[middle].map(\.picture), size) * 3 < change(Array(pictures[middle]), Self.size))
  }

  @Test("What stands still is cut out of the middle, unchanged")
  func still() throws {
    let picture = try Self.picture(at: .zero)
    let steady = try Self.stabilized([FrameBlock](repeating: picture, count: 20))
    #expect(try Self.isMiddle(steady[10].picture, of: picture))
    #expect(Set(steady.map { $0.picture.bytes }).count == 1)
  }

  @Test("A cut moves no picture of either side")
  func cut() throws {
    let (before, after) = (try Self.picture(at: .zero), try Self.picture(at: .zero, scene: 1))
    let steady = try Self.stabilized(
      [FrameBlock](repeating: before, count: 20) + [FrameBlock](repeating: after, count: 20))
    #expect(Set(steady[..<20].map { $0.picture.bytes }).count == 1)
    #expect(Set(steady[20...].map { $0.picture.bytes }).count == 1)
  }

  @Test("No more than half a second waits, however slow the camera is", arguments: [1, 3, 5, 15])
  func slowCamera(rate: Int64) throws {
    let stabilizer = try #require(MovieStabilizer(size: Self.size))
    let picture = try Self.picture(at: .zero)
    var times: [TimeSpan] = []
    for index in 0..<20 {
      let now = TimeSpan.milliseconds(1000 * Int64(index) / rate)
      times += stabilizer.add(picture, at: now).map(\.time)
      #expect(now - (times.last ?? .zero) <= MovieStabilizer.patience + .milliseconds(1000 / rate))
      #expect(times.count >= index - Int(rate) / 2)
    }
    times += stabilizer.finish().map(\.time)
    #expect(times == (0..<20).map { .milliseconds(1000 * $0 / rate) })
  }

  @Test("A pause hands out what waits, and a camera that was turned meanwhile moves no picture of either side")
  func pause() throws {
    let stabilizer = try #require(MovieStabilizer(size: Self.size))
    let (before, after) = (try Self.picture(at: .zero), try Self.picture(at: PixelShift(x: 12, y: 4)))
    var steady: [FrameBlock] = []
    for index in 0..<30 { steady += stabilizer.add(before, at: .milliseconds(Int64(33 * index))).map(\.picture) }
    steady += stabilizer.finish().map(\.picture)
    #expect(steady.count == 30)
    for index in 30..<60 { steady += stabilizer.add(after, at: .milliseconds(Int64(33 * index))).map(\.picture) }
    steady += stabilizer.finish().map(\.picture)
    #expect(Set(steady[..<30].map(\.bytes)).count == 1)
    #expect(Set(steady[30...].map(\.bytes)).count == 1)
  }

  @Test("Switched off, it lets every picture through, which comes to rest in the middle")
  func off() throws {
    let stabilizer = try #require(MovieStabilizer(size: Self.size))
    let pictures = try (0..<80).map { try Self.picture(at: PixelShift(x: $0 % 2 == 0 ? 5 : -5, y: 0)) }
    var steady: [FrameBlock] = []
    for (index, picture) in pictures.enumerated() {
      if index == 30 { stabilizer.switchOff() }
      steady += stabilizer.add(picture, at: .milliseconds(Int64(index))).map(\.picture)
    }
    #expect(stabilizer.isOff)
    steady += stabilizer.finish().map(\.picture)
    try #require(steady.count == 80)
    // Half a second of frames after the last measured one, nothing moves anymore.
    for index in 30 + MovieStabilizer.lookAhead..<80 {
      #expect(try Self.isMiddle(steady[index], of: pictures[index]), "\(index)")
    }
    #expect(try !Self.isMiddle(steady[15], of: pictures[15]), "it was moved before")
    #expect(MovieStabilizer.size(of: PixelSize(width: 160, height: 120)) == nil)
  }

  @Test("A stabilized movie has all its frames, at their times, in a smaller picture, and its sound as long")
  func movie() async throws {
    let bench = try RecordingBench(isStabilized: true)
    let run = await bench.begin()
    await bench.feed(0..<90)
    bench.setNow(90)
    bench.recorder.stop()
    let movie = try await run.value
    let reading = try LivePhotoReading(movie.url)
    #expect(movie.droppedFrames == 0 && movie.hasSound)
    #expect(reading.pictures.count == 90)
    #expect(reading.flashes.count == 3 && reading.beeps.count == 3)
    for (flash, beep) in zip(reading.flashes, reading.beeps) { #expect(abs(flash - beep) < 0.003, "\(flash) \(beep)") }
    #expect(!bench.events.contains(.stabilizationEnded))
    #expect(abs(movie.duration - 3) < 0.05)
  }
}
