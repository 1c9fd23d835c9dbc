// Contact sheets: every effect on real pictures, for review by eye.

import ArgumentParser
import CameraCore
import Foundation
import MediaEngine
import PersonMatte
import PhotoEffects

/// `photome-bench contact-sheet`: each effect beside the original, at the size of a preview and at full size.
struct ContactSheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contact-sheet",
    abstract: "Shows every effect on pictures, at preview and full size side by side.",
    discussion: """
      Makes a JPEG for each picture: rows of the original and of each effect. Left the whole picture as a preview renders \
      it, right the middle of the full-size rendering, pixel for pixel, and beside it the same part of the preview, enlarged: \
      the two must show the same lines and dots.
      """)

  @Argument(help: "Pictures, in any format that ffmpeg reads.") var pictures: [String]
  @Option(help: "The folder for the sheets.") var output: String
  @Option(help: ArgumentHelp("Only these effects; by default all.", valueName: "name")) var effect: [String] = []
  @Option(help: "The preview's height, in pixels.") var preview = 360

  /// The size of each of the three pictures in a row, in pixels.
  private static let cell = PixelSize(width: 640, height: 360)
  private static let gap = 8

  func validate() throws {
    guard (90...720).contains(preview) else { throw ValidationError("The preview's height is 90 to 720.") }
  }

  func run() async throws {
    let effects = try effect.isEmpty ? Effect.all : effect.map { try Effect.named($0) }
    let folder = URL(fileURLWithPath: output, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for path in pictures {
      let picture = URL(fileURLWithPath: path)
      let sheet = try Self.sheet(of: picture, effects: effects, preview: preview, scratch: folder)
      let url = folder.appendingPathComponent(picture.deletingPathExtension().lastPathComponent + "-effects.jpg")
      try sheet.jpeg().write(to: url)
      print(url.path)
    }
  }

  private static func sheet(of picture: URL, effects: [Effect], preview: Int, scratch folder: URL) throws -> PixelBuffer
  {
    // As a camera would have it: 16:9, 1080 rows.
    let full = try read(picture, size: PixelSize(width: 1920, height: 1080), folder)
    let size = PixelSize(width: (preview * 16 / 9) & ~1, height: preview & ~1)
    let small = try read(picture, size: size, folder)
    let mattes = PersonMatteProvider()
    let reason = mattes.reasonForAbsence()
    if let reason, effects.contains(where: \.renderer.needsMatte) {
      FileHandle.standardError.write(Data("\(reason) Effects on people are left out.\n".utf8))
    }
    let rows: [Effect?] = [nil] + effects.filter { reason == nil || !$0.renderer.needsMatte }
    var sheet = PixelBuffer(
      size: PixelSize(width: 3 * cell.width + 4 * gap, height: rows.count * (cell.height + gap) + gap),
      color: 0xFF20_2020)
    let scratch = EffectScratch(threadCount: ProcessInfo.processInfo.activeProcessorCount)
    for (number, effect) in rows.enumerated() {
      var recipe = AdjustmentRecipe()
      recipe.effect = effect.map { .init($0) }
      let processor = try FrameProcessor(recipe, mattes: mattes)
      func rendered(_ picture: PixelBuffer) throws -> PixelBuffer {
        var context = processor.context(.still, time: 0, fullSize: full.size)
        if processor.needsMatte { context.matte = try picture.matte(by: processor.makeTracker(.still), time: 0) }
        return try processor.render(picture, context: context, scratch: scratch)
      }
      let (large, reduced) = (try rendered(full), try rendered(small))
      let top = gap + number * (cell.height + gap)
      sheet.paint(reduced, from: (0, 0, size.width, size.height), at: (gap, top), cell)
      let (x, y) = ((full.size.width - cell.width) / 2, (full.size.height - cell.height) / 3)
      sheet.paint(large, from: (x, y, cell.width, cell.height), at: (2 * gap + cell.width, top), cell)
      let scale = Double(size.width) / Double(full.size.width)
      func scaled(_ value: Int) -> Int { Int(Double(value) * scale) }
      sheet.paint(
        reduced, from: (scaled(x), scaled(y), scaled(cell.width), scaled(cell.height)),
        at: (3 * gap + 2 * cell.width, top), cell)
    }
    return sheet
  }

  private static func read(_ picture: URL, size: PixelSize, _ folder: URL) throws -> PixelBuffer {
    let raw = folder.appendingPathComponent(".frame.bgra")
    defer { try? FileManager.default.removeItem(at: raw) }
    let fit =
      "scale=\(size.width):\(size.height):force_original_aspect_ratio=increase:flags=area,crop=\(size.width):\(size.height):y='min(ih-oh,ih*0.05)'"
    try BenchClip.ffmpeg(
      ["-i", picture.path, "-frames:v", "1", "-vf", fit, "-f", "rawvideo", "-pix_fmt", "bgra", raw.path], in: folder)
    return try PixelBuffer(raw: Data(contentsOf: raw), size: size)
  }
}

extension PixelBuffer {
  /// Paints a part of another picture, enlarged without smoothing so that its pixels are seen.
  mutating func paint(
    _ other: PixelBuffer, from part: (x: Int, y: Int, width: Int, height: Int), at place: (x: Int, y: Int),
    _ size: PixelSize
  ) {
    for y in 0..<size.height {
      for x in 0..<size.width {
        self[place.x + x, place.y + y] =
          other[part.x + x * part.width / size.width, part.y + y * part.height / size.height]
      }
    }
  }
}
