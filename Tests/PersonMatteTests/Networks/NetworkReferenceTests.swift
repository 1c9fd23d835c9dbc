// The known models against the outputs of another runtime.

import CameraCore
import DrawnPeople
import Foundation
import Testing

@testable import PersonMatte

/// The values are those of LiteRT 2.3 for the same picture, which computes the same networks with code of its own.
@Suite(.timeLimit(.minutes(30))) struct NetworkReferenceTests {
  /// Of probabilities: several times what runtimes differ by, which is 0.00006.
  private static let tolerance = 0.0005

  static var areInstalled: Bool {
    // Only that they are there: one that can't be read fails the tests.
    ModelFile.allCases.allSatisfy { file in
      (ModelFile.installedFolder?.appendingPathComponent(file.rawValue)).map {
        FileManager.default.fileExists(atPath: $0.path)
      } ?? false
    }
  }

  private func output(_ file: ModelFile) throws -> Network {
    let network = try Network(file.load(from: ModelFile.installedFolder))
    let shape = network.inputShapes[0]
    let size = PixelSize(width: shape[2], height: shape[1])
    let isFace = file == .faces
    network.withInput { numbers in
      for row in 0..<size.height {
        for column in 0..<size.width {
          let color = DrawnPerson.color(row: row, column: column, of: size)
          for channel in 0..<3 {
            let value = Float(color[channel])
            numbers[3 * (row * size.width + column) + channel] = isFace ? value * (2.0 / 255) - 1 : value / 255
          }
        }
      }
    }
    try network.run()
    return network
  }

  /// NaN is near nothing.
  private static func isNear(_ one: Float, _ other: Double, _ tolerance: Double) -> Bool {
    abs(Double(one) - other) <= tolerance
  }

  @Test(
    "The segmentation networks compute what LiteRT does",
    .enabled(if: areInstalled, "The models aren't installed: data/dev/models fetches them"),
    arguments: [
      (
        ModelFile.selfieLandscape,
        [
          5746: 0.39606, 8041: 0.04506, 8599: 0.07424, 13982: 0.03599, 14238: 0.13629, 16738: 0.25686, 20377: 0.04837,
          22638: 0.67503, 24941: 0.42399, 29102: 0.20753, 29103: 0.05734, 32072: 0.12545, 16512: 1, 33152: 1, 771: 0,
          36092: 0,
        ], 0.222568
      ),
      (
        ModelFile.selfie,
        [
          9619: 0.132, 13148: 0.23622, 14170: 0.93462, 26036: 0.17807, 26187: 0.11574, 33615: 0.11248, 39773: 0.13467,
          43412: 0.3059, 45144: 0.94394, 52523: 0.17787, 52777: 0.03333, 56351: 0.03453, 29568: 1, 59008: 1, 771: 0,
          64764: 0,
        ], 0.393007
      ),
    ])
  func segmentation(_ file: ModelFile, _ values: [Int: Double], _ mean: Double) throws {
    let result = try output(file).output()
    #expect(result.allSatisfy { $0 >= 0 && $0 <= 1 })
    for (place, value) in values {
      #expect(Self.isNear(result[place], value, Self.tolerance), "\(place): \(result[place]), not \(value)")
    }
    #expect(abs(Double(result.reduce(0, +)) / Double(result.count) - mean) < 0.0002)
  }

  @Test(
    "The face detector computes what LiteRT does",
    .enabled(if: areInstalled, "The models aren't installed: data/dev/models fetches them"))
  func faces() throws {
    let network = try output(.faces)
    let (boxes, scores) = (network.output(0), network.output(1))
    for (anchor, score) in [239: 2.2849, 271: 2.1662, 273: 1.9905, 241: 1.9401] {
      #expect(Self.isNear(scores[anchor], score, 0.005), "\(anchor): \(scores[anchor])")
    }
    let expected: [Double] = [
      4.248, 3.003, 41.343, 41.343, -4.655, -7.818, 13.103, -6.886, 3.884, 1.307, 3.622, 10.525, -14.588, -2.668,
      23.031, -1.073,
    ]
    for (index, value) in expected.enumerated() {
      #expect(Self.isNear(boxes[16 * 239 + index], value, 0.02), "\(index): \(boxes[16 * 239 + index])")
    }
  }

  @Test(
    "The drawn face is found where it is, and none in the empty room",
    .enabled(if: areInstalled, "The models aren't installed: data/dev/models fetches them"),
    arguments: [
      PixelSize(width: 640, height: 360), PixelSize(width: 360, height: 640), PixelSize(width: 481, height: 481),
    ])
  func foundFace(_ size: PixelSize) throws {
    let finder = try FaceFinder()
    func found(hasPerson: Bool) throws -> [FoundFace] {
      try DrawnPerson.picture(size, hasPerson: hasPerson).withUnsafeBytes {
        try finder.faces(in: LentPixels($0, size: size, stride: 4 * size.width))
      }
    }
    let faces = try found(hasPerson: true)
    #expect(faces.count == 1 && faces[0].score > FaceFinder.surely, "\(faces)")
    let face = try #require(faces.first)
    // The eyes are drawn 65 thousandths of the height beside the middle.
    let reach = 0.065 * Double(size.height) / Double(size.width)
    #expect(abs(face.rightEye.x - (0.5 - reach)) < 0.4 * reach && abs(face.leftEye.x - (0.5 + reach)) < 0.4 * reach)
    #expect(abs(face.rightEye.y - 0.41) < 0.04 && abs(face.mouth.y - 0.56) < 0.06, "\(face)")
    #expect(face.x < 0.5 && face.x + face.width > 0.5 && face.y < 0.45 && face.y + face.height > 0.5)
    #expect(try found(hasPerson: false).isEmpty)
  }
}
