// `photome-fuzz`: one parser of files that others wrote, fed by libFuzzer; data/dev/fuzz builds and runs it.

import CFuzzer
import Foundation

guard let parser = FuzzedParser.chosen else {
  for parser in FuzzedParser.all { print(parser.name) }
  exit(CommandLine.arguments.count > 1 ? 64 : 0)
}
// `photome-fuzz --parser=NAME --seeds=FOLDER` writes what to begin with; anything else is libFuzzer's.
if let folder = CommandLine.arguments.first(where: { $0.hasPrefix("--seeds=") })?.dropFirst(8) {
  try parser.writeSeeds(into: URL(fileURLWithPath: String(folder), isDirectory: true))
  exit(0)
}
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
exit(
  withUnsafeMutablePointer(to: &arguments) { arguments in
    arguments.withMemoryRebound(to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1) {
      LLVMFuzzerRunDriver(&count, $0, fuzzOne)
    }
  })
