// Another program at work in the library's folder: exiftool, touch, mv, cp, truncate.

import ArgumentParser
import Foundation

/// `photome-bench kill-editor`: edits files of its own in a library until someone kills it.
struct ForeignEditorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill-editor", abstract: "Edit files in a library's folder until killed.", shouldDisplay: false)

  @OptionGroup var place: KillPlace
  @Option var seed: UInt64

  func run() async throws {
    var editor = try ForeignEditor(place, seed: seed)
    while true { try editor.work() }
  }
}

/// Does one thing after another, at random, to the pictures whose names begin as its own do.
///
/// It notes the contents of each before and after it changes them. The last contents that it wrote must be found
/// afterwards somewhere in the library or in the Trash, whatever PhotoMe did to the file; what it destroyed itself is
/// not missed.
struct ForeignEditor {
  private static let prefix = "editor-"
  private static let folders = ["2025-01", "2025-02"]

  private let library: URL
  private let report = SurvivalReport()
  private let sample: PictureTemplate
  private var random: SeededGenerator
  private let hasExiftool = ChildProcess.exists("exiftool")

  /// Whether a file of the library, or of the Trash, is one of the editor's.
  static func isOwn(_ path: String) -> Bool {
    URL(fileURLWithPath: path).lastPathComponent.lowercased().hasPrefix(prefix)
  }

  /// Whether an asset is one of the editor's, by its record in the library; its file may be gone, or no picture now.
  static func isOwn(asset id: String, in library: URL) -> Bool {
    struct Record: Decodable {
      struct File: Decodable { var path: String }
      var file: File?
    }
    let url = library.appendingPathComponent(".photome/assets/\(id).json")
    guard let data = try? Data(contentsOf: url), let record = try? JSONDecoder().decode(Record.self, from: data) else {
      return false
    }
    return record.file.map { isOwn($0.path) } ?? false
  }

  init(_ place: KillPlace, seed: UInt64) throws {
    library = place.library
    sample = try LargeLibrary.template(try Data(contentsOf: place.sample))
    random = SeededGenerator(seed: seed)
    for folder in Self.folders {
      try FileManager.default.createDirectory(
        at: library.appendingPathComponent(folder), withIntermediateDirectories: true)
    }
  }

  private func files() -> [String] {
    Self.folders.flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: library.path + "/" + folder)) ?? []
      return names.filter { Self.isOwn($0) && $0.lowercased().hasSuffix(".jpg") }.sorted()
        .map { "\(library.path)/\(folder)/\($0)" }
    }
  }

  /// `editor-17` of `EDITOR-17 copy.jpg`.
  private static func key(_ path: String) -> String {
    let name = URL(fileURLWithPath: path).lastPathComponent.lowercased()
    return prefix + name.dropFirst(prefix.count).prefix { $0.isNumber }
  }

  private mutating func path(_ key: String) -> String {
    let folder = Self.folders[Int.random(in: 0..<Self.folders.count, using: &random)]
    return "\(library.path)/\(folder)/\(key).jpg"
  }

  private mutating func picture() throws -> (data: Data, digest: String) {
    let id = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
    let time = CalendarTime(Date(timeIntervalSince1970: .random(in: 1_735_700_000...1_740_700_000, using: &random)))
    let data = sample.stamped(id: id, time: time, variant: .random(in: 0..<1 << 31, using: &random))
    return (data, try WholeFile.picture(of: data))
  }

  /// One thing.
  mutating func work() throws {
    let files = files()
    guard files.count > 4, let file = files.randomElement(using: &random) else { return try make() }
    let kind = Int.random(in: 0..<20, using: &random)
    switch kind {
    case 0..<3: try make()
    case 3..<6: try retouch(file, inPlace: false)
    case 6: try retouch(file, inPlace: true)
    case 7..<10: try tag(file)
    case 10..<12: try run(["touch", file])
    case 12..<15: try move(file)
    case 15..<17: try run(["cp", "-n", file, path(Self.key(file) + " copy")])
    case 17: try destroy(file) { try Self.run(["truncate", "-s", "2000", file]) }
    case 18 where files.count > 30: try destroy(file) { try Self.run(["rm", "-f", file]) }
    default: usleep(10_000)
    }
  }

  private mutating func make() throws {
    let key = Self.prefix + "\(UInt32.random(in: .min ... .max, using: &random))"
    try write(key, to: path(key), inPlace: Bool.random(using: &random), destroys: false)
  }

  private mutating func retouch(_ file: String, inPlace: Bool) throws {
    try write(Self.key(file), to: file, inPlace: inPlace, destroys: inPlace)
  }

  /// - Parameter destroys: Whether a kill in between may leave neither the old contents nor the new.
  private mutating func write(_ key: String, to file: String, inPlace: Bool, destroys: Bool) throws {
    let picture = try picture()
    try report.around(
      "foreign picture", [key: [.picture: picture.digest, .there: "yes"]],
      begins: destroys ? [key: [.there: "no"]] : nil
    ) {
      let url = URL(fileURLWithPath: file)
      guard !inPlace else { return try picture.data.write(to: url) }
      let temporary = url.deletingLastPathComponent().appendingPathComponent(".\(key).part")
      try picture.data.write(to: temporary)
      guard rename(temporary.path, file) == 0 else { throw BenchError("\(file) can't be replaced.") }
    }
  }

  private mutating func tag(_ file: String) throws {
    let options = [["-Rating=3"], ["-XMP:Subject+=Thun"], ["-all="], ["-Artist=Somebody"]]
    guard hasExiftool, let option = options.randomElement(using: &random) else { return }
    try run(["exiftool", "-q", "-q", "-overwrite_original"] + option + [file])
  }

  private mutating func move(_ file: String) throws {
    let url = URL(fileURLWithPath: file)
    // Another folder, or the same name in another case.
    let name = url.deletingPathExtension().lastPathComponent
    let isUpper = name == name.uppercased()
    let target =
      Bool.random(using: &random)
      ? path(Self.key(file))
      : url.deletingLastPathComponent().appendingPathComponent(isUpper ? name.lowercased() : name.uppercased())
        .appendingPathExtension("jpg").path
    try run(["mv", "-n", file, target])
  }

  private func destroy(_ file: String, _ body: () throws -> Void) throws {
    try report.around("foreign picture destroyed", [Self.key(file): [.there: "no"]], begins: nil, body)
  }

  private func run(_ command: [String]) throws {
    let none: [String: SurvivalNote.Facts] = [:]
    try report.around("foreign \(command[0])", none, begins: nil) { try Self.run(command) }
  }

  /// Runs a program in this process's own group, so that it dies with it. Its failure is its own affair: the file may
  /// have been moved.
  private static func run(_ command: [String]) throws {
    var arguments = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, command[0], nil, nil, &arguments, environ)
    guard code == 0 else { throw BenchError("\(command[0]) could not be started: \(String(cString: strerror(code))).") }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }
}
