// `photome-fuzz`: libFuzzer on one parser of untrusted files. data/dev/fuzz builds and runs it.

import CFuzzer
import Foundation

guard let parser = FuzzedParser.chosen else {
  for parser in FuzzedParser.all { print(parser.name) }
  exit(CommandLine.arguments.count > 1 ? 64 : 0)
}
// `photome-fuzz --parser=NAME --seeds=FOLDER` writes the seeds; other arguments are libFuzzer's.
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
