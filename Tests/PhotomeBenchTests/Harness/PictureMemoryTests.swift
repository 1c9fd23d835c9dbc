// Pictures crafted to exhaust memory: a process that opens, lists, shows and verifies them stays small.

import Foundation
import TestSupport
import Testing

@testable import photome_bench

@Suite(.timeLimit(.minutes(30))) struct PictureMemoryTests {
  /// Of the whole process, in bytes.
  private static let bound = 200 << 20

  private static let bombs: [String: HandMadeJPEG] = [
    "baseline": HandMadeJPEG(side: 20_000),
    "baseline colors": HandMadeJPEG(side: 20_000, components: 3),
    "cut short": HandMadeJPEG(side: 20_000, components: 3, scanBytes: 1000),
    "progressive": HandMadeJPEG(side: 20_000, components: 3, frameMarker: 0xc2),
    "scan by scan": HandMadeJPEG(side: 20_000, components: 3, isInterleaved: false),
    "lying": HandMadeJPEG(side: 65_488, components: 3, scanBytes: 100),
    "lying progressive": HandMadeJPEG(side: 65_488, components: 3, frameMarker: 0xc2, scanBytes: 100),
    "ordinary": HandMadeJPEG(side: 2000, components: 3),
  ]

  @Test func bombsTakeNoMoreThanOtherPictures() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-bombs-\(UUID().uuidString)")
    let pictures = folder.appendingPathComponent("Pictures", isDirectory: true)
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bomb) in Self.bombs { try bomb.data.write(to: pictures.appendingPathComponent("\(name).jpg")) }
    // Files of other types aren't counted.
    try Data("BM".utf8).write(to: pictures.appendingPathComponent("other.bmp"))
    let result = try Command.run(
      Command.products.appendingPathComponent("photome-bench").path,
      [
        "pictures", "--library", pictures.path, "--index", folder.path + "/index.sqlite", "--thumbnails",
        folder.path + "/thumbnails",
      ], at: folder)
    try #require(result.status == 0, "\(result.errors)")
    let look = try JSONDecoder().decode(PictureLook.self, from: Data(result.output.utf8))
    #expect(look.count == Self.bombs.count)
    // Both of baseline, the one that is cut short, and the ordinary one.
    #expect(look.shown == 4, "\(look.refusals)")
    #expect(look.refusals.count { $0.contains("stored in several passes") } == 3, "\(look.refusals)")
    #expect(look.refusals.count { $0.contains("65488 × 65488 pixels, it’s too large") } == 1, "\(look.refusals)")
    #expect(look.problems.isEmpty, "\(look.problems)")
    #expect(look.peakMemory > 10 << 20 && look.peakMemory < Self.bound, "\(look.peakMemory >> 20) MiB")
  }
}
