// photome-bench: PhotoMe measured against its peers, on the same input, in one run.

import ArgumentParser
import Foundation
import PhotoLibrary

/// The command and what its parts have in common.
@main
struct PhotomeBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photome-bench",
    abstract: "Measure PhotoMe against its peers.",
    discussion: """
      Brings up an X server, a session bus, a microphone and a PipeWire camera of its own, runs PhotoMe and its peers \
      on the same frames, one after the other, and prints one table. Processor time is the kernel's count for the whole \
      program; the frames that were shown are read from the screen. Needs a quiet machine and some minutes.
      """,
    subcommands: [
      AllCommand.self, PreviewCommand.self, LiveCommand.self, ShutterCommand.self, BurstCommand.self,
      StartCommand.self, MemoryCommand.self, LibraryCommand.self, FolderCommand.self, EffectsCommand.self,
      RenderCommand.self, PortraitCommand.self,
      ContactSheetCommand.self, CameraCommand.self, LookCommand.self, RenderLookCommand.self,
      PictureCommand.self, KillLoopCommand.self, KillWorkerCommand.self, ForeignEditorCommand.self,
      KillEditsCommand.self,
    ],
    defaultSubcommand: AllCommand.self)

  static func main() async {
    // As photome and photomectl do.
    ProcessMemory.useOneHeap()
    await main(nil)
  }
}

struct AllCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "all", abstract: "Everything (the default).")
  @OptionGroup var options: BenchOptions

  func run() async throws {
    try await options.report { bench in
      var figures: [Figure] = []
      figures += bench.part("preview") { try bench.measurePreview() }
      figures += bench.part("live") { try bench.measureLive() }
      figures += await bench.part("shutter") { try await bench.measureShutter() }
      figures += await bench.part("burst") { try await bench.measureBurst() }
      figures += bench.part("start") { try bench.measureStart() }
      figures += await bench.part("memory") { try await bench.measureMemory() }
      figures += await bench.part("thumbnails") { try await bench.measureThumbnails() }
      figures += await bench.part("library") { try await bench.measureLibrary() }
      figures += bench.part("folder") { try bench.measureFolder() }
      figures += await bench.part("effects") { try await bench.measureEffects(picture: nil) }
      figures += await bench.part("render") { try await bench.measureRender(picture: nil) }
      figures += await bench.part("portrait") { try await bench.measurePortrait(PortraitOptions()) }
      return figures
    }
  }
}

struct PreviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Processor time of the preview, against a bare pipeline and Cheese.")
  @OptionGroup var options: BenchOptions
  func run() async throws { try await options.report { try $0.measurePreview() } }
}

struct LiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live", abstract: "Processor time with Live on, against Live off.")
  @OptionGroup var options: BenchOptions
  func run() async throws { try await options.report { try $0.measureLive() } }
}

struct ShutterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shutter", abstract: "From the press to the frame, the thumbnail and the file.")
  @OptionGroup var options: BenchOptions
  func run() async throws { try await options.report { try await $0.measureShutter() } }
}

struct BurstCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "burst", abstract: "Thirty presses in one second.")
  @OptionGroup var options: BenchOptions
  func run() async throws { try await options.report { try await $0.measureBurst() } }
}

struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "From the start to the first frame on the screen, against Cheese.")
  @OptionGroup var options: BenchOptions
  func run() async throws { try await options.report { try $0.measureStart() } }
}

struct MemoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory", abstract: "Memory of the preview and of the live photo ring.")
  @OptionGroup var options: BenchOptions
  func run() async throws { try await options.report { try await $0.measureMemory() } }
}

struct LibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "A library of 100,000 pictures, and the strip's thumbnails.",
    discussion: "With --quick a library of 5,000, for which the goals mean little.")
  @OptionGroup var options: BenchOptions
  @Option(help: ArgumentHelp("The size of the library; a million takes 10 GB and half an hour.", valueName: "count"))
  var assets: Int?

  func validate() throws {
    if let assets, !(1000...2_000_000).contains(assets) {
      throw ValidationError("--assets takes 1,000 to 2,000,000.")
    }
  }

  func run() async throws {
    try await options.report { bench in
      var figures = await bench.part("thumbnails") { try await bench.measureThumbnails() }
      figures += await bench.part("library") { try await bench.measureLibrary(of: assets) }
      return figures
    }
  }
}

struct FolderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "folder", abstract: "The first page of a folder of 5,000 mixed pictures, against gThumb and libvips.",
    discussion: "With --quick 500 of them.")
  @OptionGroup var options: BenchOptions
  @Option(help: ArgumentHelp("The number of pictures.", valueName: "count")) var pictures: Int?

  func validate() throws {
    if let pictures, !(100...100_000).contains(pictures) { throw ValidationError("--pictures takes 100 to 100,000.") }
  }

  func run() async throws {
    try await options.report { bench in bench.part("folder") { try bench.measureFolder(of: pictures) } }
  }
}

/// The picture that effects are measured on.
struct PictureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A picture to use instead of the built-in scene, in any format that ffmpeg reads.",
      valueName: "file"))
  var picture: String?

  var url: URL? { picture.map { URL(fileURLWithPath: $0) } }
}

struct EffectsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "effects", abstract: "Processor time of each effect, and of Comic against other cartoon filters.")
  @OptionGroup var options: BenchOptions
  @OptionGroup var subject: PictureOptions
  func run() async throws { try await options.report { try await $0.measureEffects(picture: subject.url) } }
}

struct PortraitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "portrait", abstract: "Portrait in the viewfinder and on a live photo, and the mattes it uses.")
  @OptionGroup var options: BenchOptions
  @OptionGroup var subject: PortraitOptions
  func run() async throws { try await options.report { try await $0.measurePortrait(subject) } }
}

struct RenderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render", abstract: "Comic applied to a live photo, against the same transcode without an effect.")
  @OptionGroup var options: BenchOptions
  @OptionGroup var subject: PictureOptions
  func run() async throws { try await options.report { try await $0.measureRender(picture: subject.url) } }
}
