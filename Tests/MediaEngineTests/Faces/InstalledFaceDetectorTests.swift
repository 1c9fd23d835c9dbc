// The installed face detector: a drawn face, a plain picture, and a computer without OpenCV.

import CameraCore
import EngineInterface
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct InstalledFaceDetectorTests {
  private static let size = PixelSize(width: 640, height: 480)

  /// A picture of one color with padded rows, in which `draw` paints ellipses: center and radii in pixels, and a color.
  private func picture(
    padding: Int, _ draw: ((Double, Double, Double, Double, UInt32) -> Void) -> Void = { _ in }
  ) -> DecodedImage {
    let (width, height) = (Self.size.width, Self.size.height)
    let stride = width + padding
    var pixels = [UInt32](repeating: 0xAA_B4BE, count: stride * height)
    draw { x, y, across, down, color in
      for row in max(0, Int(y - down))...min(height - 1, Int(y + down)) {
        for column in max(0, Int(x - across))...min(width - 1, Int(x + across)) {
          let (dx, dy) = ((Double(column) - x) / across, (Double(row) - y) / down)
          if dx * dx + dy * dy <= 1 { pixels[row * stride + column] = color }
        }
      }
    }
    return DecodedImage(
      size: Self.size, stride: stride * 4, block: pixels.withUnsafeBytes { FrameBlock(copying: $0) })
  }

  /// A face from the front, 176 pixels wide.
  private func face(atX x: Double, y: Double, padding: Int) -> DecodedImage {
    picture(padding: padding) { ellipse in
      ellipse(x, y - 11, 104, 139, 0x3C_2D28)  // hair
      ellipse(x, y + 11, 88, 117, 0xE0_BEA5)
      for side in [-1.0, 1.0] {
        ellipse(x + side * 36, y - 29, 23, 7, 0x5A_4137)  // brow
        ellipse(x + side * 36, y - 11, 20, 12, 0x78_5F55)
        ellipse(x + side * 36, y - 8, 15, 8, 0xF5_F5F5)  // eye
        ellipse(x + side * 36, y - 8, 8, 8, 0x1E_1914)
        ellipse(x + side * 11, y + 45, 7, 4, 0x8C_645A)  // nostril
      }
      ellipse(x, y + 19, 9, 27, 0xEE_CEB8)  // nose
      ellipse(x, y + 77, 32, 11, 0x96_4646)  // mouth
    }
  }

  @Test(
    .enabled(if: InstalledFaceDetector.isInstalled, "needs gstreamer1.0-opencv and opencv-data"), arguments: [0, 8])
  func aFaceIsFoundWhereItIs(padding: Int) async throws {
    let found = await InstalledFaceDetector().faces(in: face(atX: 240, y: 250, padding: padding))
    let faces = try #require(found)
    #expect(faces.count == 1)
    let face = try #require(faces.first)
    #expect(abs((face.x + face.width / 2) * 640 - 240) < 40 && abs((face.y + face.height / 2) * 480 - 260) < 50)
    #expect((130...330).contains(face.width * 640) && (130...330).contains(face.height * 480), "\(face)")
    #expect(await eventually { Pipeline.liveCount("faces") == 0 })
  }

  @Test(.enabled(if: InstalledFaceDetector.isInstalled, "needs gstreamer1.0-opencv and opencv-data"))
  func aPlainPictureHasNone() async {
    #expect(await InstalledFaceDetector().faces(in: picture(padding: 0)) == [])
    #expect(await eventually { Pipeline.liveCount("faces") == 0 })
  }

  @Test func withoutItsCascadeThereIsNoDetector() async {
    let detector = InstalledFaceDetector(folders: ["/nowhere"])
    #expect(await detector.faces(in: picture(padding: 0)) == nil)
  }

  @Test func itSeesASmallPictureInTheSameShape() {
    let sizes = [(640, 480), (480, 640), (1280, 720), (64, 48), (1001, 1), (2, 2)].map {
      InstalledFaceDetector.size(for: PixelSize(width: $0.0, height: $0.1))
    }
    let expected = [(480, 360), (360, 480), (480, 270), (64, 48), (480, 4), (4, 4)].map {
      PixelSize(width: $0.0, height: $0.1)
    }
    #expect(sizes == expected)
  }
}
