// Mirrored JPEGs: bit for bit where the blocks allow it, and nearly so elsewhere.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct JPEGMirrorTests {
  private func decoded(_ jpeg: FrameBlock) throws -> DecodedImage {
    try jpeg.withUnsafeBytes { try JPEGDecoder().decode($0) }
  }

  private func bytes(_ image: DecodedImage) -> [UInt8] { image.block.withUnsafeBytes { [UInt8]($0) } }

  @Test(arguments: [JPEGDecoder.Subsampling.yuv444, .yuv422, .yuv420, .gray])
  func wholeBlocksAreRearranged(_ subsampling: JPEGDecoder.Subsampling) throws {
    let jpeg = try JPEGCodecTests.jpeg(subsampling)
    let mirrored = try #require(try JPEGMirror.lossless(jpeg))
    let (before, after) = try (decoded(jpeg), decoded(mirrored))
    #expect(bytes(before) != bytes(after), "the sample isn't symmetric")
    // Luma is exact; interpolated color may round to the other side.
    let worst = zip(bytes(before.upright(orientation: 2)), bytes(after)).map { abs(Int($0) - Int($1)) }.max()
    #expect(worst ?? 255 <= 2)
    // Back again, the coefficients are those of the camera.
    let again = try #require(try JPEGMirror.lossless(mirrored))
    #expect(bytes(try decoded(again)) == bytes(before))
  }

  @Test func aWidthThatCutsABlockIsEncodedOnceMore() throws {
    let jpeg = try JPEGCodecTests.jpeg(.yuv420, PixelSize(width: 638, height: 361), quality: 95)
    #expect(try JPEGMirror.lossless(jpeg) == nil)
    let (before, after) = (try decoded(jpeg).upright(orientation: 2), try decoded(JPEGMirror.mirrored(jpeg)))
    #expect(after.size == before.size)
    let differences = zip(bytes(before), bytes(after)).map { abs(Int($0) - Int($1)) }
    #expect(differences.reduce(0, +) / differences.count <= 2)
  }

  @Test func whatIsNoJPEGIsRefused() {
    #expect(throws: JPEGCodecError.self) { try JPEGMirror.mirrored(FrameBlock(count: 100) { _ in }) }
  }
}
