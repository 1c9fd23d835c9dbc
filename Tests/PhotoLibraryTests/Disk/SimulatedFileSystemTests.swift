// The simulated file systems behave as the real ones do.

import ForeignDisks
import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct SimulatedFileSystemTests {
  /// A disk in a temporary folder.
  private struct Stick {
    let scratch: Scratch
    let root: String
    let kind: FileSystemKind
    let system: SimulatedFileSystem

    init(_ kind: FileSystemKind) throws {
      scratch = try Scratch()
      root = scratch.path + "/stick"
      self.kind = kind
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      system = SimulatedFileSystem(kind, at: root)
    }

    func put(_ name: String, _ text: String = "text") throws {
      let descriptor = system.open("\(root)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      try #require(descriptor >= 0, "\(name): \(String(cString: strerror(errno)))")
      defer { close(descriptor) }
      _ = Array(text.utf8).withUnsafeBytes { bytes in
        bytes.baseAddress.map { system.write(descriptor, $0, bytes.count) }
      }
    }

    func text(_ name: String) -> String? {
      try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
    }

    func status(_ name: String, mount: UInt64 = 1) -> Disk.Status? {
      Disk(system: SimulatedFileSystem(kind, at: root, mount: mount)).status("\(root)/\(name)")
    }

    var names: Set<String> { Set(Disk(system: system).names(in: root) ?? []) }
  }

  @Test(arguments: [FileSystemKind.vfat, .exfat, .smb]) func namesHaveNoCase(kind: FileSystemKind) throws {
    let stick = try Stick(kind)
    try stick.put("img.jpg")
    #expect(stick.status("IMG.JPG") == stick.status("img.jpg"))
    #expect(stick.system.open(stick.root + "/Img.jpg", O_WRONLY | O_CREAT | O_EXCL, 0o666) == -1 && errno == EEXIST)
    // The spelling stays when a file is replaced, and changes when it is renamed to itself.
    try stick.put("new.jpg", "new")
    #expect(stick.system.rename(stick.root + "/new.jpg", stick.root + "/IMG.jpg") == 0)
    #expect(stick.names == ["img.jpg"] && stick.text("img.jpg") == "new")
    #expect(stick.system.rename(stick.root + "/img.jpg", stick.root + "/IMG.JPG") == 0)
    #expect(stick.names == ["IMG.JPG"])
    // In folders as well.
    #expect(stick.system.mkdir(stick.root + "/Month", 0o777) == 0)
    try stick.put("MONTH/a.jpg")
    #expect(stick.status("month/A.JPG") != nil)
    #expect(stick.system.mkdir(stick.root + "/month", 0o777) == -1 && errno == EEXIST)
    #expect(stick.system.unlink(stick.root + "/month/A.jpg") == 0)
    #expect(stick.status("Month/a.jpg") == nil)
  }

  @Test func normalFormsAreEqualOnSharesOnly() throws {
    let (composed, decomposed) = ("\u{e9}.jpg", "e\u{301}.jpg")
    let share = try Stick(.smb)
    try share.put(composed)
    #expect(share.status(decomposed) != nil)
    let stick = try Stick(.exfat)
    try stick.put(composed)
    #expect(stick.status(decomposed) == nil)
  }

  @Test func namesWithCaseAreOnNetworkDisks() throws {
    let export = try Stick(.nfs)
    try export.put("a.jpg")
    try export.put("A.jpg")
    #expect(export.names == ["a.jpg", "A.jpg"])
  }

  @Test func numbersLastAsLongAsOnTheRealOnes() throws {
    for kind in FileSystemKind.all {
      let stick = try Stick(kind)
      try stick.put("a.jpg")
      let first = try #require(stick.status("a.jpg"))
      #expect(stick.status("a.jpg") == first)
      let isLasting = kind.numbers != .untilUnmounted
      #expect((stick.status("a.jpg", mount: 2)?.number == first.number) == isLasting, "\(kind)")
      let file = try ReadableFile(stick.root + "/a.jpg", disk: Disk(system: stick.system))
      #expect(file.status == first, "\(kind)")
      #expect(stick.system.rename(stick.root + "/a.jpg", stick.root + "/b.jpg") == 0)
      #expect((stick.status("b.jpg")?.number == first.number) == (kind.numbers != .untilRenamed), "\(kind)")
    }
  }

  @Test func aNumberMayBelongToAnotherFileAfterTheNextMount() throws {
    let stick = try Stick(.exfat)
    try stick.put("a.jpg")
    try stick.put("b.jpg")
    func numbers(_ names: [String], mount: UInt64) -> [UInt64?] {
      let disk = Disk(system: SimulatedFileSystem(.exfat, at: stick.root, mount: mount, isOnly: true))
      return names.map { disk.status("\(stick.root)/\($0)")?.number }
    }
    #expect(numbers(["a.jpg", "b.jpg"], mount: 1) == numbers(["b.jpg", "a.jpg"], mount: 2))
  }

  @Test func timesAreCoarse() throws {
    for kind in FileSystemKind.all {
      let stick = try Stick(kind)
      try stick.put("a.jpg")
      let status = try #require(stick.status("a.jpg"))
      #expect(status.modified % kind.timeUnit == 0 && status.changed % kind.timeUnit == 0)
      if !kind.hasChangeTime { #expect(status.changed == status.modified) }
    }
  }

  @Test func linksAndNamesAreRefusedAsByTheDrivers() throws {
    for kind in FileSystemKind.all {
      let stick = try Stick(kind)
      try stick.put("a.jpg")
      let code = stick.system.link(stick.root + "/a.jpg", stick.root + "/b.jpg")
      #expect(kind.linkError.map { code == -1 && errno == $0 } ?? (code == 0), "\(kind)")
      let isRenamed = stick.system.renameNew(stick.root + "/a.jpg", stick.root + "/c.jpg")
      #expect(kind.hasRenameNew ? isRenamed == 0 : isRenamed == -1 && errno == EINVAL, "\(kind)")
      let opened = stick.system.open(stick.root + "/12:30.jpg", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      #expect(kind.forbidden.isEmpty ? opened >= 0 : opened == -1 && errno == EINVAL, "\(kind)")
      if opened >= 0 { close(opened) }
    }
  }

  @Test(arguments: FileSystemKind.all) func aDiskWithoutLinksIsNoFailure(kind: FileSystemKind) throws {
    let stick = try Stick(kind)
    try stick.put("a.jpg")
    let isLinked = try Disk(system: stick.system).link(stick.root + "/a.jpg", to: stick.root + "/b.jpg")
    #expect(isLinked == (kind.linkError == nil))
  }

  @Test func nothingIsRenamedAcrossItsEdge() throws {
    let stick = try Stick(.vfat)
    try stick.put("a.jpg")
    let outside = stick.scratch.path + "/a.jpg"
    #expect(stick.system.rename(stick.root + "/a.jpg", outside) == -1 && errno == EXDEV)
    let volumes = Volumes.of(Disk(system: stick.system))
    #expect(volumes.top(of: stick.root) == stick.root)
    #expect(volumes.top(of: stick.scratch.path) != stick.root)
  }

  // MARK: Faults

  @Test func oneCallFailsOnce() throws {
    let stick = try Stick(.nfs)
    let faults = stick.system.faults
    faults.arm(.error(ENOSPC), at: 2)
    #expect(stick.system.mkdir(stick.root + "/a", 0o777) == 0)
    #expect(stick.system.mkdir(stick.root + "/b", 0o777) == -1 && errno == ENOSPC)
    #expect(faults.victim == "make \(stick.root)/b")
    #expect(stick.system.mkdir(stick.root + "/b", 0o777) == 0)
    #expect(faults.count == 3)
  }

  @Test func aWriteIsShortOnce() throws {
    let stick = try Stick(.vfat)
    stick.system.faults.arm(.shortWrite, at: 1, of: .writes)
    try stick.put("a.txt", "12345678")
    #expect(stick.text("a.txt") == "1234")
    // The library writes the rest.
    stick.system.faults.arm(.shortWrite, at: 1, of: .writes)
    try FileWriter(disk: Disk(system: stick.system)).write(Data("12345678".utf8), to: stick.root + "/b.txt")
    #expect(stick.text("b.txt") == "12345678")
  }

  @Test func theDeadChangeNothing() throws {
    let stick = try Stick(.nfs)
    stick.system.faults.arm(.tornWrite, at: 1, of: .writes)
    try stick.put("a.txt", "12345678")
    stick.system.faults.disarm()
    #expect(stick.text("a.txt") == "1234")
    #expect(stick.system.unlink(stick.root + "/a.txt") == -1)
    #expect(stick.status("a.txt") != nil)
  }
}
