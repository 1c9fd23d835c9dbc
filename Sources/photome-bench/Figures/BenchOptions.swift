// The options of every measurement.

import ArgumentParser

/// Options of every measurement.
struct BenchOptions: ParsableArguments {
  @Flag(help: "Print JSON instead of the table.") var json = false
  @Flag(help: "Measure for a shorter time, with less precise figures.") var quick = false
  @Option(help: ArgumentHelp("The program to measure; by default the one beside photome-bench.", valueName: "path"))
  var photome: String?
  @Flag(help: "Keep the private desktop's folder, with the programs' output.") var keep = false
  @Option(
    help: ArgumentHelp(
      "The folder that keeps the pictures of “library” and their index for the next run, over a gigabyte; by default they "
        + "are temporary.",
      valueName: "folder"))
  var cache: String?

  /// Measures, prints the report, and removes everything temporary.
  ///
  /// - Throws: When a part failed, after the report of the others.
  func report(_ measure: (Bench) async throws -> [Figure]) async throws {
    let bench = try Bench(self)
    let signals = bench.endOnSignals()
    defer { signals.forEach { $0.cancel() } }
    defer { bench.end() }
    let report = Report(figures: try await measure(bench))
    print(json ? try report.json : report.table)
    if bench.failures > 0 { throw ExitCode.failure }
  }
}
