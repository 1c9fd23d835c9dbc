// Conversion between movie pictures and pixels: the standards' formulas, and the way back.

import CameraCore
import Foundation
import PhotoEffects
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct MovieColorsTests {
  private static let spaces = [
    MovieColors.Space.bt709, MovieColors.Space(red: 0.299, blue: 0.114, isFullRange: false),
    MovieColors.Space(red: 0.299, blue: 0.114, isFullRange: true),
    MovieColors.Space(red: 0.2627, blue: 0.0593, isFullRange: false),
  ]

  /// A size whose rows end in the middle of a vector.
  private let size = PixelSize(width: 38, height: 4)

  private var layout: RawLayout {
    get throws { try #require(RawConverter.defaultLayout(of: .init(layout: "I420", size: size))).layout }
  }

  private func picture(_ value: (_ plane: Int, _ x: Int, _ y: Int) -> UInt8) throws -> [UInt8] {
    let layout = try layout
    var bytes = [UInt8](repeating: 0, count: layout.offsets[2] + layout.strides[2] * size.height / 2)
    for plane in 0..<3 {
      let scale = plane == 0 ? 1 : 2
      for y in 0..<size.height / scale {
        for x in 0..<size.width / scale {
          bytes[layout.offsets[plane] + y * layout.strides[plane] + x] = value(plane, x, y)
        }
      }
    }
    return bytes
  }

  private func pixels(_ bytes: [UInt8], _ colors: MovieColors) throws -> PixelBuffer {
    let layout = try layout
    var buffer = PixelBuffer(size: size)
    buffer.withView { view in bytes.withUnsafeBytes { colors.convert($0, layout, into: view) } }
    return buffer
  }

  @Test(arguments: spaces) func formulasAreTheStandards(space: MovieColors.Space) throws {
    var random = SeededNumbers.fresh()
    let layout = try layout
    for _ in 0..<50 {
      let bytes = try picture { _, _, _ in .random(in: 0...255, using: &random) }
      let result = try pixels(bytes, MovieColors(space))
      for y in 0..<size.height {
        for x in 0..<size.width {
          func sample(_ plane: Int) -> Double {
            let scale = plane == 0 ? 1 : 2
            return Double(bytes[layout.offsets[plane] + y / scale * layout.strides[plane] + x / scale])
          }
          let light = space.isFullRange ? sample(0) : (sample(0) - 16) * 255 / 219
          let scale = space.isFullRange ? 1 : 255.0 / 224
          let (cb, cr) = ((sample(1) - 128) * scale, (sample(2) - 128) * scale)
          let green = 1 - space.red - space.blue
          let expected = [
            light + 2 * (1 - space.blue) * cb,
            light - 2 * (1 - space.blue) * space.blue / green * cb - 2 * (1 - space.red) * space.red / green * cr,
            light + 2 * (1 - space.red) * cr,
          ]
          for (channel, value) in expected.enumerated() {
            let got = Double(result[x, y] >> (8 * UInt32(channel)) & 0xFF)
            #expect(abs(got - min(255, max(0, value))) <= 1)
          }
          #expect(result[x, y] >> 24 == 0xFF)
        }
      }
    }
  }

  /// A picture whose colors RGB has.
  @Test(arguments: spaces) func thereAndBackIsTheSame(space: MovieColors.Space) throws {
    var random = SeededNumbers.fresh()
    let (layout, colors) = (try layout, MovieColors(space))
    for _ in 0..<50 {
      let bytes = try picture { plane, _, _ in .random(in: plane == 0 ? 90...160 : 108...148, using: &random) }
      var pixels = try pixels(bytes, colors)
      var back = [UInt8](repeating: 0, count: bytes.count)
      pixels.withView { view in back.withUnsafeMutableBytes { colors.convert(view, into: $0, layout) } }
      for (before, after) in zip(bytes, back) { #expect(abs(Int(before) - Int(after)) <= 1) }
    }
  }

  @Test func whatAStreamSaysIsKnown() {
    func space(_ colorimetry: String?) -> MovieColors.Space {
      MovieColors.Space(
        RawLayout(name: "I420", size: size, strides: [40, 20, 20], offsets: [0, 160, 200], colorimetry: colorimetry))
    }
    #expect(space("bt709") == .bt709)
    #expect(space("bt601") == MovieColors.Space(red: 0.299, blue: 0.114, isFullRange: false))
    #expect(space("1:4:0:0").isFullRange && abs(space("1:4:0:0").red - 0.299) < 1e-9)
  }
}
