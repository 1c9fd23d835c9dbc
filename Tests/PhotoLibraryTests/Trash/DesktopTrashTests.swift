// The desktop's trash on real folders: the choice of the folder, info files, and restorable entries.

import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct DesktopTrashTests {
  private let scratch: Scratch
  private let zone: TimeZone

  init() throws {
    scratch = try Scratch()
    zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    for folder in ["data", "house/pictures", "kärtchen/DCIM"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path + "/" + folder, withIntermediateDirectories: true)
    }
  }

  private var home: String { scratch.path + "/data/Trash" }
  private var card: String { scratch.path + "/kärtchen" }
  private var own: String { "\(card)/.Trash-\(geteuid())" }

  /// A trash on a machine where `card` is a file system of its own.
  private func trash(disk: Disk = Disk()) -> DesktopTrash {
    var volumes = Volumes.of(Disk())
    let card = card
    volumes.mountPoints = { ["/", card] }
    return DesktopTrash(disk: disk, home: home, volumes: volumes, timeZone: zone)
  }

  @discardableResult
  private func put(_ name: String) throws -> String {
    let path = scratch.path + "/" + name
    try Data("picture".utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// A transaction's use of a slot.
  private func move(_ path: String, _ slot: TrashSlot) throws {
    try slot.infoBytes.write(to: URL(fileURLWithPath: slot.info), options: .withoutOverwriting)
    #expect(try Disk().renameNew(path, to: slot.file))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  /// A subvolume of Btrfs has a device number of its own, and is no mount point.
  @Test func aFolderWithADeviceNumberOfItsOwnHasItsTrash() throws {
    var volumes = Volumes.of(Disk())
    let (card, device) = (card, volumes.device)
    volumes.mountPoints = { ["/"] }
    volumes.device = { path in path == card || path.hasPrefix(card + "/") ? device(path).map { $0 + 1 } : device(path) }
    let trash = DesktopTrash(home: home, volumes: volumes, timeZone: zone)
    let slot = try trash.slot(for: put("kärtchen/1.jpg"), now: Samples.date)
    #expect(slot.file == "\(own)/files/1.jpg")
    #expect(trash.folders(for: scratch.path).contains { $0.folder == own && !$0.isHome })
  }

  @Test func filesOfTheHomeDiskGoToTheHomeTrash() throws {
    let path = try put("house/pictures/1 ü%\n~.jpg")
    let slot = try trash().slot(for: path, now: Samples.date)
    #expect(slot.file == home + "/files/1 ü%\n~.jpg")
    #expect(slot.info == home + "/info/1 ü%\n~.jpg.trashinfo")
    #expect(slot.attempt == 1)
    // 06:31:06 in Greenwich.
    #expect(
      String(decoding: slot.infoBytes, as: UTF8.self) == """
        [Trash Info]
        Path=\(scratch.path)/house/pictures/1%20%C3%BC%25%0A~.jpg
        DeletionDate=2026-11-21T07:31:06

        """)
    for folder in ["", "/files", "/info"] { #expect(mode(home + folder) == 0o700) }
    // Nothing but folders was made.
    #expect(Disk().status(path)?.kind == .file)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: home).sorted() == ["files", "info"])
    #expect(!FileManager.default.fileExists(atPath: own))
  }

  @Test func filesOfAnotherDiskStayThere() throws {
    let path = try put("kärtchen/DCIM/a b.jpg")
    let slot = try trash().slot(for: path, now: Samples.date)
    #expect(slot.file == own + "/files/a b.jpg")
    #expect(String(decoding: slot.infoBytes, as: UTF8.self).contains("\nPath=DCIM/a%20b.jpg\n"))
    #expect(mode(own) == 0o700)
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test func theSharedTrashIsTakenWhenItIsSafe() throws {
    let path = try put("kärtchen/DCIM/a.jpg")
    let shared = card + "/.Trash"
    let one = "\(shared)/\(geteuid())"
    // Others could take files away.
    #expect(mkdir(shared, 0o777) == 0 && chmod(shared, 0o777) == 0)
    #expect(try trash().slot(for: path, now: .now).file == own + "/files/a.jpg")
    #expect(chmod(shared, 0o1777) == 0)
    #expect(try trash().slot(for: path, now: .now).file == one + "/files/a.jpg")
    #expect(mode(one) == 0o700)
    try move(path, trash().slot(for: path, now: .now))
    #expect(trash().entries(below: card).map(\.originalPath) == [path])
    try put("kärtchen/DCIM/a.jpg")
    // A link to another folder.
    #expect(rename(shared, card + "/elsewhere") == 0)
    try FileManager.default.createSymbolicLink(atPath: shared, withDestinationPath: card + "/elsewhere")
    #expect(try trash().slot(for: path, now: .now).file == own + "/files/a.jpg")
  }

  @Test func takenNamesArePassedOver() throws {
    let trash = trash()
    for attempt in 1...3 {
      let path = try put("house/pictures/IMG_1.MP.jpg")
      let slot = try trash.slot(for: path, now: Samples.date)
      #expect(slot.attempt == attempt)
      #expect(slot.file.hasSuffix(attempt == 1 ? "/IMG_1.MP.jpg" : "/IMG_1.MP.\(attempt).jpg"))
      try move(path, slot)
    }
    // A file that lost its info, and an info that lost its file, keep their names as well.
    try put("data/Trash/files/b.jpg")
    try put("data/Trash/info/b.2.jpg.trashinfo")
    let path = try put("house/pictures/b.jpg")
    #expect(try trash.slot(for: path, now: .now).attempt == 3)
    // Another program was quicker.
    #expect(try trash.slot(for: path, now: .now, attempt: 4).file.hasSuffix("/b.4.jpg"))
    #expect(trash.entries(below: scratch.path + "/house").count == 3)
  }

  @Test func longNamesFit() throws {
    for name in [String(repeating: "ü", count: 124) + ".jpeg", String(repeating: "a", count: 255)] {
      let path = try put("house/pictures/" + name)
      for attempt in [1, 12_345] {
        let slot = try trash().slot(for: path, now: Samples.date, attempt: attempt)
        let (file, info) = (slot.file.split(separator: "/").last ?? "", slot.info.split(separator: "/").last ?? "")
        #expect(info.utf8.count <= 255 && info == file + ".trashinfo")
        #expect(name.hasSuffix(".jpeg") == file.hasSuffix(".jpeg"))
      }
      try move(path, trash().slot(for: path, now: Samples.date))
      #expect(trash().entries(below: scratch.path + "/house").contains { $0.originalPath == path })
    }
  }

  @Test func whereNoTrashCanBeTheErrorSaysSo() throws {
    let path = try put("kärtchen/DCIM/a.jpg")
    func failure(_ trash: DesktopTrash) throws -> String {
      try #require(throws: PhotoLibraryError.self) { try trash.slot(for: path, now: .now) }.description
    }
    let full = try failure(trash(disk: Disk { step, _ in step == .makeFolder ? ENOSPC : nil }))
    #expect(full.contains(path) && full.contains(own) && full.contains("No space left"))
    #expect(full.contains("delete it permanently"))
    // Another user's link to another folder.
    try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: scratch.path + "/house")
    #expect(try failure(trash()).contains("someone else"))
    #expect(unlink(own) == 0)
    try put("kärtchen/.Trash-\(geteuid())")
    #expect(try failure(trash()).contains("isn’t a folder"))
    #expect(throws: PhotoLibraryError.fileMissing(path: path + "x")) { try trash().slot(for: path + "x", now: .now) }
    // A home trash that a link puts on another disk is none for this one.
    try FileManager.default.createSymbolicLink(atPath: home, withDestinationPath: card + "/DCIM")
    let atHome = try put("house/pictures/a.jpg")
    var volumes = Volumes.of(Disk())
    let mounts: Set<String> = [scratch.path, card]
    volumes.mountPoints = { mounts }
    let slot = try DesktopTrash(home: home, volumes: volumes).slot(for: atHome, now: .now)
    #expect(slot.file == "\(scratch.path)/.Trash-\(geteuid())/files/a.jpg")
  }

  @Test func entriesAreWhatCanBePutBack() throws {
    let trash = trash()
    let old = try put("house/pictures/old.jpg")
    try move(old, trash.slot(for: old, now: Samples.date))
    let new = try put("house/pictures/ü \n.jpg")
    try move(new, trash.slot(for: new, now: Samples.date.addingTimeInterval(60)))
    let other = try put("house/other.jpg")
    try move(other, trash.slot(for: other, now: Samples.date))
    let onCard = try put("kärtchen/DCIM/c.jpg")
    try move(onCard, trash.slot(for: onCard, now: Samples.date))

    let entries = trash.entries(below: scratch.path + "/house/pictures")
    #expect(entries.map(\.originalPath) == [new, old])
    #expect(entries.map(\.deleted) == [1_795_242_726, 1_795_242_666].map { Date(timeIntervalSince1970: $0) })
    #expect(entries.allSatisfy { !$0.isFolder && Disk().status($0.file) != nil && Disk().status($0.info) != nil })
    #expect(trash.entries(below: card).map(\.originalPath) == [onCard])
    // By another name of the same folder, and when it is gone.
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path + "/link", withDestinationPath: scratch.path + "/house")
    #expect(trash.entries(below: scratch.path + "/link/pictures") == entries)
    try FileManager.default.removeItem(atPath: scratch.path + "/house/pictures")
    #expect(trash.entries(below: scratch.path + "/house/pictures") == entries)
    #expect(trash.entries(below: scratch.path + "/house/pict").isEmpty)
  }

  @Test func whatOthersWroteIsReadAndWhatIsBrokenIsPassedOver() throws {
    let trash = trash()
    let first = try put("house/pictures/first.jpg")
    try move(first, trash.slot(for: first, now: Samples.date))
    let folder = scratch.path + "/house/pictures"
    func info(_ name: String, _ text: String, file: Bool = true) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/info/\(name).trashinfo"))
      if file { try put("data/Trash/files/\(name)") }
    }
    try info("old", "[Trash Info]\nDeletionDate=20260831T22:32:08\nPath=\(folder)/old+.jpg\nPath=/else\n")
    try info("crlf", "[Trash Info]\r\nPath=\(folder)/crlf.jpg\r\nDeletionDate=2026-08-31T22:32:09\r\n")
    try info("undated", "[Trash Info]\nPath=\(folder)/undated.jpg\nDeletionDate=yesterday\n")
    try info("relative", "[Trash Info]\nPath=../house/pictures/a.jpg\n")
    try info("lost", "[Trash Info]\nPath=\(folder)/lost.jpg\n", file: false)
    try info("empty", "")
    try info("group", "[Other]\nPath=\(folder)/group.jpg\n")
    try info("percent", "[Trash Info]\nPath=\(folder)/a%2.jpg\n")
    try info("zero", "[Trash Info]\nPath=\(folder)/a%00.jpg\n")
    try info("latin", "[Trash Info]\nPath=\(folder)/a%FF.jpg\n")
    try info("climb", "[Trash Info]\nPath=\(folder)/../../a.jpg\n")
    #expect(mkfifo(home + "/info/fifo.trashinfo", 0o600) == 0)
    try put("data/Trash/files/fifo")

    let entries = trash.entries(below: folder)
    #expect(
      entries.map { String($0.originalPath.dropFirst(folder.count + 1)) } == [
        "first.jpg", "crlf.jpg", "old+.jpg", "undated.jpg",
      ])
    // In summer, two hours east.
    let seconds = entries.map { $0.deleted?.timeIntervalSince1970 }
    #expect(seconds == [1_795_242_666, 1_788_208_329, 1_788_208_328, nil])
  }

  @Test func fileSystemsBeginAtMountsAndAtDeviceNumbers() throws {
    let table = """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      36 22 8:17 / /media/My\\040card\\134 rw - vfat /dev/sdb1 rw
      37 22 8:1 /srv /srv\\011x rw master:1 - ext4 /dev/sda1 rw
      broken
      """
    #expect(Volumes.mountPoints(table: Data(table.utf8)) == ["/", "/media/My card\\", "/srv\tx"])
    let volumes = Volumes(mountPoints: { ["/", "/media/card", "/srv"] }, device: { $0.hasPrefix("/disk/sub") ? 2 : 1 })
    #expect(volumes.top(of: "/disk/a/b") == "/")
    #expect(volumes.top(of: "/media/card/DCIM/100") == "/media/card")
    #expect(volumes.top(of: "/media/card") == "/media/card")
    // The same disk, mounted again; a subvolume that is not mounted by itself.
    #expect(volumes.top(of: "/srv/pictures") == "/srv")
    #expect(volumes.top(of: "/disk/sub/a") == "/disk/sub")
    #expect(Volumes.of(Disk()).mountPoints().contains("/"))
    #expect(Volumes.of(Disk()).top(of: "/proc/\(getpid())") == "/proc")
  }
}
