// The options of every measurement.

import ArgumentParser

/// Options of every measurement.
struct BenchOptions: ParsableArguments {
  @Flag(help: "Print JSON instead of the table.") var json = false
  @Flag(help: "Measure for a shorter time: rougher figures.") var quick = false
  @Option(help: ArgumentHelp("The program to measure; without it, the one beside photome-bench.", valueName: "path"))
  var photome: String?
  @Flag(help: "Keep the folder of the private desktop, with the programs' words.") var keep = false
  @Option(
    help: ArgumentHelp(
      "Where the pictures of “library” are kept for the next run, over a gigabyte; without it they are made and removed.",
      valueName: "folder"))
  var cache: String?

  /// Measures, prints the report, and removes everything temporary.
  func report(_ measure: (Bench) async throws -> [Figure]) async throws {
    let bench = try Bench(self)
    let signals = bench.endOnSignals()
    defer { signals.forEach { $0.cancel() } }
    defer { bench.end() }
    let report = Report(figures: try await measure(bench))
    print(json ? try report.json : report.table)
  }
}
