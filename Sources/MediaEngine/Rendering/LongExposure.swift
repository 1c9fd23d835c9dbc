// Adds up the frames of a movie, as a shutter that stays open does.

import CameraCore
import Foundation
import PhotoEffects
import Synchronization

/// The average of frames in light, each weighted by how long it is shown.
///
/// sRGB numbers become light by the curve of IEC 61966-2-1, are added up in 64-bit whole numbers, and come back at the end:
/// no frame is rounded twice.
final class LongExposure: Sendable {
  private struct State {
    var size: PixelSize?
    /// Blue, green and red of each pixel.
    var sums: [UInt64] = []
    var weight: UInt64 = 0
    var pixels: [UInt32] = []
    var held: DecodedFrame?
    var span: Int64 = 33_333_333
    var failure: EditError?
    var isStopped = false
  }

  private let trim: ClosedRange<Double>?
  private let state = Mutex(State())

  /// Light of an sRGB number, in 65535ths.
  private static let light: [UInt64] = (0...255).map { number in
    let value = Double(number) / 255
    let light = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    return UInt64((light * 65535).rounded())
  }

  init(trim: ClosedRange<Double>?) { self.trim = trim }

  func stop() { state.withLock { $0.isStopped = true } }

  /// Takes the next frame, on the decoder's thread.
  ///
  /// - Returns: Whether more are wanted.
  func add(_ frame: DecodedFrame) -> Bool {
    state.withLock { state in
      guard !state.isStopped, state.failure == nil else { return false }
      if let held = state.held { expose(held, until: frame.time, &state) }
      state.held = frame
      return trim.map { Double(frame.time) / 1e9 < $0.upperBound - 1e-6 } ?? true
    }
  }

  /// The picture. Call it when all frames have come.
  func average(named name: String) throws(EditError) -> DecodedImage {
    try state.withLock { (state) throws(EditError) in
      if let held = state.held {
        let isKept = trim.map { Double(held.time) / 1e9 < $0.upperBound - 1e-6 } ?? true
        if isKept { expose(held, until: held.time + (held.duration > 0 ? held.duration : state.span), &state) }
      }
      if let failure = state.failure { throw failure }
      guard let size = state.size, state.weight > 0 else {
        throw .unreadableMovie(file: name, reason: "there is no frame in it")
      }
      let (sums, weight) = (state.sums, state.weight)
      let curve = Self.numbers
      let block = FrameBlock(count: size.area * 4) { memory in
        for pixel in 0..<size.area {
          for channel in 0..<3 {
            let light = (sums[3 * pixel + channel] + weight / 2) / weight
            memory[4 * pixel + channel] = curve[Int(min(light, 65535))]
          }
          memory[4 * pixel + 3] = 0xFF
        }
      }
      return DecodedImage(size: size, stride: size.width * 4, block: block)
    }
  }

  /// The nearest sRGB number of each light.
  private static let numbers: [UInt8] = (0...65535).map { number in
    let light = Double(number) / 65535
    let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    return UInt8(min(255, max(0, (value * 255).rounded())))
  }

  private func expose(_ frame: DecodedFrame, until end: Int64, _ state: inout State) {
    state.span = max(1, end - frame.time)
    if let trim, Double(end) / 1e9 <= trim.lowerBound + 1e-6 { return }
    let size = MoviePictureMaker.pictureSize(of: frame.layout.size)
    if state.size == nil {
      state.size = size
      state.sums = [UInt64](repeating: 0, count: size.area * 3)
      state.pixels = [UInt32](repeating: 0, count: size.area)
    }
    guard state.size == size else {
      state.failure = .encoding(reason: "the movie's frames change their size")
      return
    }
    // In microseconds: a day of white fits 64 bits a hundred times.
    let weight = UInt64(max(1, state.span / 1000))
    state.weight += weight
    let colours = MovieColours(MovieColours.Space(frame.layout))
    var (pixels, sums) = ([UInt32](), [UInt64]())
    swap(&pixels, &state.pixels)
    swap(&sums, &state.sums)
    pixels.withUnsafeMutableBufferPointer { pixels in
      guard let base = pixels.baseAddress else { return }
      let view = PixelView(pixels: base, width: size.width, height: size.height, stride: size.width)
      frame.frame.block.withUnsafeBytes { colours.convert($0, frame.layout, into: view) }
      Self.light.withUnsafeBufferPointer { light in
        sums.withUnsafeMutableBufferPointer { sums in
          for index in 0..<size.area {
            let pixel = base[index]
            sums[3 &* index] &+= light[Int(pixel & 0xFF)] &* weight
            sums[3 &* index &+ 1] &+= light[Int(pixel >> 8 & 0xFF)] &* weight
            sums[3 &* index &+ 2] &+= light[Int(pixel >> 16 & 0xFF)] &* weight
          }
        }
      }
    }
    state.pixels = pixels
    state.sums = sums
  }
}
