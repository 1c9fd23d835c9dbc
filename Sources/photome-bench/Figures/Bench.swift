// One run of the benchmarks: the private desktop, PhotoMe, and messages.

import CameraCore
import Foundation

/// The shared state of all measurements. The desktop is brought up when the first of them needs it.
final class Bench {
  let options: BenchOptions
  /// The folder of all output; on a disk, where files have to become durable.
  let folder: URL
  private var raised: PrivateDesktop?
  /// The number of parts that could not be measured.
  private(set) var failures = 0

  init(_ options: BenchOptions) throws {
    self.options = options
    folder = URL(fileURLWithPath: "/var/tmp/photome-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  var isQuick: Bool { options.quick }

  var desktop: PrivateDesktop {
    get throws {
      if let raised { return raised }
      say("Bringing up a private desktop")
      let desktop = try PrivateDesktop(keeping: folder.appendingPathComponent("desktop"))
      raised = desktop
      return desktop
    }
  }

  /// PhotoMe itself, with settings for one measurement.
  func photoMe(isLiveOn: Bool = false) throws -> Contestant {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("photome").path
    let path = options.photome ?? beside
    guard ChildProcess.exists(path) else {
      throw BenchError("There is no photome at \(path). Build it: swift build -c release --product photome")
    }
    return Contestant(
      name: "PhotoMe", command: [path, "--library", try pictures.path],
      environment: ["PHOTOME_STATISTICS": statistics.path],
      files: [".config/photome/settings.json": "{\"isLiveOn\": \(isLiveOn)}\n"])
  }

  /// The folder of PhotoMe's photos while it is measured.
  var pictures: URL { get throws { try desktop.pictures.appendingPathComponent("PhotoMe") } }

  /// The file of PhotoMe's statistics, one line per second.
  var statistics: URL { folder.appendingPathComponent("statistics") }

  /// PhotoMe's statistics, oldest first.
  func allStatistics() -> [ProgramStatistics] {
    let text = (try? String(contentsOf: statistics, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(ProgramStatistics.self, from: Data($0.utf8))
    }
  }

  /// Prints progress on standard error.
  func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// Runs a measurement of a peer; its error becomes the figure's note.
  func ifAvailable<Result>(_ name: String, _ body: () throws -> Result) -> (result: Result?, note: String?) {
    do { return (try body(), nil) } catch {
      say("  \(name): \(error)")
      return (nil, "\(error)")
    }
  }

  /// The figures of a part of the report; when it fails, one without a value, whose note is the reason. The other parts may
  /// have taken an hour.
  func part(_ name: String, _ measure: () throws -> [Figure]) -> [Figure] {
    do { return try measure() } catch { return [failed(name, error)] }
  }

  /// The same.
  func part(_ name: String, _ measure: () async throws -> [Figure]) async -> [Figure] {
    do { return try await measure() } catch { return [failed(name, error)] }
  }

  private func failed(_ name: String, _ error: any Error) -> Figure {
    failures += 1
    say("  \(name): \(error)")
    return Figure(name, value: nil, unit: "–", note: "not measured: \(error)")
  }

  func end() {
    raised?.end()
    raised = nil
    if options.keep {
      say("Kept: \(folder.path)")
    } else {
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Ends all children on SIGINT and SIGTERM.
  func endOnSignals() -> [any DispatchSourceSignal] {
    let folder = options.keep ? nil : folder
    return [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        ChildProcess.endAll()
        if let folder { try? FileManager.default.removeItem(at: folder) }
        _exit(130)
      }
      source.resume()
      return source
    }
  }
}

/// A line of PhotoMe's statistics.
struct ProgramStatistics: Decodable {
  var arrived: Int
  var converted: Int
  var shown: Int
  var ringBytes: Int
  var frames: Int
  var longestOwnWork: Double
  var longestOwnTime: Double
  var longestFrameTime: Double
}

extension Array where Element == Double {
  /// The nearest-rank percentile; `nil` without values.
  func percentile(_ share: Double) -> Double? {
    isEmpty ? nil : sorted()[Swift.min(count - 1, Int((Double(count) * share).rounded(.up)) - 1)]
  }

  var median: Double? { percentile(0.5) }
}
