// The house rules, applied to every Swift file.

import Foundation
import TestSupport
import Testing

@Suite("House rules")
struct SourceRuleTests {
  @Test("A file is named after a type that it declares", arguments: ProjectTree.swiftFiles)
  func fileName(_ file: ProjectFile) {
    #expect(SourceRules.fileName(file.stem, of: file.code) == [])
  }

  @Test("Nothing that a user, a camera or a disk can cause traps", arguments: ProjectTree.swiftSources)
  func traps(_ file: ProjectFile) {
    #expect(SourceRules.traps(in: file.code) == [])
  }

  @Test("Unchecked claims have a proof beside them", arguments: ProjectTree.swiftFiles)
  func claims(_ file: ProjectFile) {
    #expect(SourceRules.unprovenClaims(in: file.code) == [])
  }

  @Test("No file has leftovers", arguments: ProjectTree.swiftFiles)
  func leftovers(_ file: ProjectFile) {
    #expect(SourceRules.leftovers(in: file.code) == [])
  }

  /// The system calls themselves; other programs, their folders, caches of other files, and what isn't about files.
  private static let directCallers = [
    "/Disk/FileSystem.swift", "/Disk/ConfinedFileSystem.swift", "/Disk/InotifyHub.swift", "/Extensions/",
    "/Index/", "/Thumbnails/",
  ]

  @Test("The library reaches its files through its FileSystem only", arguments: ProjectTree.swiftSources)
  func directFileCalls(_ file: ProjectFile) {
    guard file.path.hasPrefix("Sources/PhotoLibrary/"), !Self.directCallers.contains(where: file.path.contains) else {
      return
    }
    #expect(SourceRules.directFileCalls(in: file.code) == [])
  }

  @Test(
    "A direct call about a file is found",
    arguments: [
      ("guard lstat(path, &status) == 0", true), ("let d = open(path, O_RDONLY | O_CLOEXEC)", true),
      ("Glibc.rename(a, b)", true), ("if flock(d, LOCK_EX) == 0", true), ("linux_rename_new(a, b)", true),
      ("var status = stat()", false), ("disk.system.lstat(path, &status)", false),
      ("try await open(at: folder)", false), ("system.rename(a, b)", false), ("func mkdir(_ path: String)", false),
    ])
  func directFileCallsFail(line: String, isFound: Bool) {
    #expect(SourceRules.directFileCalls(in: SwiftCode(line)).isEmpty == !isFound)
  }

  /// Programs for those who develop PhotoMe.
  private static let developersPrograms = ["Sources/photome-bench/", "Sources/ForeignDisks/", "Sources/DrawnPeople/"]

  @Test("Texts for people have typographic apostrophes", arguments: ProjectTree.swiftSources)
  func apostrophes(_ file: ProjectFile) {
    guard !Self.developersPrograms.contains(where: file.path.hasPrefix) else { return }
    #expect(SourceRules.straightApostrophes(in: file.code) == [])
  }

  @Test("A test's time limit ends a hang and measures nothing", arguments: ProjectTree.swiftFiles)
  func timeLimits(_ file: ProjectFile) {
    #expect(SourceRules.shortTimeLimits(in: file.code) == [])
  }

  @Test("No mutex is locked in asynchronous code", arguments: ProjectTree.swiftSources)
  func asynchronousLocks(_ file: ProjectFile) {
    #expect(SourceRules.asynchronousLocks(in: file.code) == [])
  }

  @Test(
    "A lock in asynchronous code is found",
    arguments: [
      ("func a() async {", true), ("func a(b: () -> Void = {}) async throws(B) -> C {", true), ("init() async {", true),
      ("var a: B { get async throws { if b {", true), ("func a() async { for b in c where d {", true),
      ("func a() async { await withCheckedContinuation { b in", true), ("func a() { Task {", true),
      ("func a() { Task.detached(priority: .low) { [self] in do {", true), ("func a() { Task<Void, Never> {", true),
      ("func a() async { func b() async {", true), ("func a(); func b() async {", true),
      ("func a() {", false), ("var a: B {", false), ("var a: Task<B, C> {", false), ("init() {", false),
      ("func a(b: () async -> Void) {", false),
      ("func a() async { func b() {", false), ("func a() async { b { c in", false),
      ("func a() async {} func b() {", false),
      ("func a() async { await withTaskCancellationHandler { b() } onCancel: {", false),
      ("func a() { withCheckedContinuation {", false), ("func a() { queue.async {", false),
      ("func a() { Task { queue.async {", false), ("var a: B { get async } func c() {", false),
    ])
  func asynchronousLocksFail(beginning: String, isFound: Bool) {
    #expect(SourceRules.asynchronousLocks(in: SwiftCode("\(beginning) let x = state.withLock {")).isEmpty == !isFound)
  }

  @Test("No file names a folder of one machine")
  func machineTraces() {
    let files = ProjectTree.files(
      under: "Package.swift", "Sources", "Tests", "data", "README.md", "CONTRIBUTING.md", "PRIVACY.md", "meson-notes.md"
    )
    #expect(files.count > 10)
    for file in files { #expect(SourceRules.machineTraces(in: file.text) == [], "\(file.path)") }
  }

  @Test("Every target and package has a comment in Package.swift")
  func manifestComments() throws {
    let manifest = try #require(ProjectTree.files(under: "Package.swift").first)
    #expect(PackageDescription.uncommentedDeclarations(in: manifest.text) == [])
    let sample =
      "  // One.\n  .target(name: \"One\"),\n  .target(\n    name: \"Two\"),\n  // Three.\n  .package(url: \"…\"),"
    #expect(PackageDescription.uncommentedDeclarations(in: sample) == ["line 3: .target("])
  }

  @Test("The formatter finds nothing to change")
  func formatting() throws {
    #expect(
      try Command.complaint(
        of: "swift",
        ["format", "lint", "--strict", "--parallel", "--recursive", "Package.swift", "Sources", "Tests"],
        package: "", at: ProjectTree.root) == nil, "swift format -i -r Package.swift Sources Tests fixes it")
  }

  @Test("The formatter reports a fault")
  func formattingFails() throws {
    let sample = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString).swift")
    try Data("let a  = 1;\n".utf8).write(to: sample)
    defer { try? FileManager.default.removeItem(at: sample) }
    #expect(
      try Command.complaint(
        of: "swift", ["format", "lint", "--strict", sample.path], package: "", at: ProjectTree.root) != nil)
  }

  @Test("Comments and literals are separated from code")
  func codeAndComments() {
    let code = SwiftCode("let a = \"// \\(b(\"c\" /* d */)) e\"  // f\n/* g\nh */ let i = #\"\"j\"\"#")
    #expect(code.lines.map(\.code) == ["let a = \"b(\"\" )\"  ", "", " let i = \"\""])
    #expect(code.lines.map(\.comment) == ["// f", "", ""])
    let pattern = SwiftCode("let a = #/[\"(]\\/{/#, b = 1")
    #expect(pattern.lines.map(\.code) == ["let a = \"\", b = 1"])
  }

  @Test("Each rule fails on a sample that breaks it")
  func rulesFail() {
    let type = SwiftCode("public final class Camera {\n  enum Mode {}\n}\nextension Other.Inner {}")
    #expect(SourceRules.fileName("Camera", of: type) == [])
    #expect(SourceRules.fileName("Inner+Mode", of: type) == [])
    #expect(SourceRules.fileName("Inner", of: type).count == 1)
    #expect(SourceRules.fileName("Cameras+Mode", of: type).count == 1)
    #expect(SourceRules.fileName("Camera+", of: type).count == 1)
    #expect(SourceRules.fileName("Helper", of: SwiftCode("// class Helper\nlet a = \"class Helper\"")).count == 1)

    #expect(SourceRules.traps(in: SwiftCode("let a = try! b()\nfatalError(\"c\")")).count == 2)
    #expect(SourceRules.traps(in: SwiftCode("// try!\nlet a = \"fatalError(\"\ntry? b()")) == [])

    let texts = ["a = \"It isn't\"", "a = \"\\(b)'s c\"", "a = \"\"\"\n  It isn't\n  \"\"\""]
    for text in texts { #expect(SourceRules.straightApostrophes(in: SwiftCode(text)).count == 1, "\(text)") }
    let others = ["a = \"It isn’t\"  // isn't", "a = \"b = '\\(c)' AND d\"", "a = \"\"\"\n  -- isn't\n  \"\"\""]
    for text in others { #expect(SourceRules.straightApostrophes(in: SwiftCode(text)) == [], "\(text)") }

    #expect(SourceRules.shortTimeLimits(in: SwiftCode("@Test(.timeLimit(.minutes(5)))")).count == 1)
    #expect(SourceRules.shortTimeLimits(in: SwiftCode("@Test(.timeLimit(.minutes(30)))")) == [])

    let claim = "final class A: @unchecked Sendable {"
    #expect(SourceRules.unprovenClaims(in: SwiftCode("/// What it is.\n\(claim)\n  let b = 1")).count == 1)
    #expect(SourceRules.unprovenClaims(in: SwiftCode("nonisolated(unsafe) var a = 1")).count == 1)
    #expect(SourceRules.unprovenClaims(in: SwiftCode("// Under the lock.\n\(claim)")) == [])
    #expect(SourceRules.unprovenClaims(in: SwiftCode("\(claim)\n  // Under the lock.")) == [])
    #expect(SourceRules.unprovenClaims(in: SwiftCode("nonisolated(unsafe) var a = 1  // before any thread")) == [])

    #expect(SourceRules.leftovers(in: SwiftCode("let a = 1  // TO" + "DO: more")).count == 1)
    #expect(SourceRules.machineTraces(in: "see /ho" + "me/me/PhotoMe").count == 1)
    #expect(SourceRules.machineTraces(in: "<<<<<<" + "< HEAD\n").count == 1)
    #expect(SourceRules.machineTraces(in: "/usr/share/photome, https://example.org/work/a, ~/Pictures") == [])
  }
}
