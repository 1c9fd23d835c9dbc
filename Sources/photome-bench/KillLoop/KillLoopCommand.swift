// `photome-bench kill-loop`: proof that nothing is lost when PhotoMe is killed.

import ArgumentParser
import ForeignDisks
import Foundation
import Logging

struct KillLoopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill-loop", abstract: "Kill processes that change a library, and check the result.",
    discussion: """
      Each run kills one to three processes with SIGKILL at random instants in the middle of captures, edits, favorites, \
      albums, deletions and imports, opens the library again, and compares it with what they had said was saved. Stops \
      at the first fault and keeps the folder.
      """, shouldDisplay: false)

  @Argument(help: "The number of runs.") var runs = 200
  @Option(help: "Repeats the choices of an earlier run; the instants of the kills still differ.") var seed: UInt64?
  @Option(help: "The folder for the library; by default a temporary one in /var/tmp.") var folder: String?
  @Flag(help: "Kill after random numbers of steps, without the camera.") var short = false
  @Option(
    help: ArgumentHelp(
      "Where the library lies: a folder on another disk, or a simulated file system (vfat, exfat, smb, nfs, union).",
      valueName: "folder-or-kind"))
  var fileSystem: String?
  @Option(help: "A shell command run after each death, which mounts the disk again.") var remount: String?
  @Flag(help: "Another program edits files in the library: exiftool, touch, mv, cp, truncate.") var editor = false
  @Flag(help: "A second program changes the library in each run.") var second = false
  @Flag(help: "First let every system call of every change fail once, on simulated file systems.") var sweep = false

  func run() async throws {
    // Repairs after each kill are counted here, not printed.
    let level: Logger.Level = sweep ? .critical : .error
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
    // The doomed must not outlive this process.
    let signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        ChildProcess.endAll()
        _exit(130)
      }
      source.resume()
      return source
    }
    defer { signals.forEach { $0.cancel() } }
    let path = folder ?? "/var/tmp/photome-kill-loop-\(getpid())"
    guard !FileManager.default.fileExists(atPath: path) else { throw BenchError("\(path) is there already.") }
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let seed = seed ?? .random(in: .min ... .max)
    var loop = try KillLoop(
      place: KillPlace.parse(["--folder", path] + (fileSystem.map { ["--file-system", $0] } ?? [])), seed: seed,
      isShort: short,
      beside: KillLoop.Companions(hasEditor: editor, hasSecond: second, remount: remount),
      programs: URL(fileURLWithPath: own).deletingLastPathComponent())
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    Self.say("\(runs) runs, seed \(seed), in \(path)")
    do {
      if sweep { try await DeepSweep(in: path, on: loop.place.ground).run(say: Self.say) }
      try await loop.prepare()
      for run in 1...max(1, runs) {
        try await loop.run(run)
        if run % 20 == 0, run < runs, isatty(1) == 0 { Self.say("\(run) of \(runs) runs, nothing is lost") }
        Progress.show("\(run) of \(runs) runs, \(loop.summary.assets) assets")
      }
    } catch {
      Progress.end()
      Self.say(loop.summary.text)
      throw error
    }
    Progress.end()
    Self.say(loop.summary.text)
    if folder == nil {
      try SweepSite.remove(path)
      if case .other = loop.place.ground { try FileManager.default.removeItem(at: loop.place.disk) }
    }
  }

  /// Unbuffered, also when the output is a file.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
