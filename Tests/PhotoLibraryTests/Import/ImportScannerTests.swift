// Scanning real folders for an import: order, duplicates, pairs, and unusable files.

import CameraCore
import Dispatch
import Foundation
import MediaFormats
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ImportScannerTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private var folder: URL { scratch.pictures }

  private func names(_ scan: ImportScan) -> [String] {
    scan.candidates.map { String($0.file.path.dropFirst(folder.path.count + 1)) }
  }

  private func reasons(_ scan: ImportScan) -> [String: UnusableImport.Reason] {
    Dictionary(
      uniqueKeysWithValues: scan.unusable.map { (String($0.path.dropFirst(folder.path.count + 1)), $0.reason) })
  }

  private func scan(_ urls: URL..., using scanner: ImportScanner = ImportScanner()) throws -> ImportScan {
    try #require(try scanner.scanOnThisThread(urls.isEmpty ? [folder] : urls))
  }

  /// The SHA-256 of a file as another program counts it.
  private func sum(_ path: String) throws -> String {
    String(try #require(try Command.report(of: "sha256sum", path)).drop { $0 == "\\" }.prefix(64))
  }

  @Test func foldersAreWalkedInOrder() throws {
    for name in [
      "b/2.jpg", "b/1 ü.JPEG", "a.jpg", "b/c/two\nlines.jpg", "z.jpg", ".hidden.jpg", ".photome/originals/o.jpg",
    ] {
      try scratch.put(Samples.jpeg(shade: UInt8(name.utf8.count)), name)
    }
    try scratch.put(Samples.mp4(), "b/VID_20261121_073200_000.mp4")
    try scratch.put(Data("words".utf8), "b/notes.txt")
    // Links to the folder itself, to one beside it, and to a file.
    let outside = scratch.url.appendingPathComponent("outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    try Samples.jpeg(shade: 99).write(to: outside.appendingPathComponent("o.jpg"))
    for (name, target) in [
      ("b/loop", folder), ("elsewhere", outside), ("l.jpg", outside.appendingPathComponent("o.jpg")),
    ] {
      try FileManager.default.createSymbolicLink(at: folder.appendingPathComponent(name), withDestinationURL: target)
    }
    let found = try scan()
    #expect(
      names(found) == [
        "a.jpg", "b/1 ü.JPEG", "b/2.jpg", "b/VID_20261121_073200_000.mp4", "b/c/two\nlines.jpg", "z.jpg",
      ])
    #expect(reasons(found) == ["l.jpg": .link])
    #expect(found.candidates[3].file.facts.mediaType == .video)
    #expect(found.candidates[3].file.facts.created.stamp == "20261121_073200_000")
    for candidate in found.candidates { #expect(try candidate.file.digest == sum(candidate.file.path)) }

    // In the order in which they were named, each once, and links that were named.
    let named = try scan(
      folder.appendingPathComponent("z.jpg"), folder.appendingPathComponent("b"),
      folder.appendingPathComponent("z.jpg"),
      folder.appendingPathComponent("l.jpg"), folder)
    #expect(
      named.candidates.map { $0.file.path.split(separator: "/").last } == [
        "z.jpg", "1 ü.JPEG", "2.jpg", "VID_20261121_073200_000.mp4", "two\nlines.jpg", "o.jpg", "a.jpg",
      ])
    let records = try scan(folder.appendingPathComponent(".photome"))
    #expect(records.candidates.isEmpty && records.unusable.map(\.reason) == [.libraryRecords])
  }

  @Test func whatCanNotBeUsedIsListedWithItsReason() throws {
    let jpeg = try Samples.jpeg()
    try scratch.put(Data(), "empty.jpg")
    try scratch.put(jpeg.prefix(100), "short.jpg")
    try scratch.put(Samples.mp4().prefix(100), "short.mp4")
    try scratch.put(Data("words".utf8), "words.jpg")
    try scratch.put(Data([0x89, 0x50, 0x4e, 0x47]), "picture.PNG")
    try scratch.put(Samples.mp4(brand: "heic"), "picture.heic")
    try scratch.put(Samples.mp4(brand: "crx "), "picture.CR3")
    try scratch.put(Samples.mp4(), "movie.jpg")
    try scratch.put(Samples.mp4(brand: "qt  "), "movie")
    try scratch.put(jpeg, "picture.mov")
    try scratch.put(Data("words".utf8), "notes.txt")
    try scratch.put(Data(), "empty.txt")
    try scratch.put(jpeg.prefix(jpeg.count / 2), "half.jpg")
    #expect(mkfifo(folder.path + "/fifo.jpg", 0o600) == 0)
    try scratch.put(jpeg, "latin")
    let latin = [CChar](folder.path.utf8CString.dropLast()) + [47, -1, 46, 106, 112, 103, 0]
    #expect(rename(folder.path + "/latin", latin) == 0)
    let found = try scan()
    // A picture that lost its end can still be looked at.
    #expect(names(found) == ["half.jpg"])
    #expect(
      reasons(found) == [
        "empty.jpg": .empty, "short.jpg": .cutShort, "short.mp4": .cutShort, "words.jpg": .noPicture,
        "picture.PNG": .noPicture, "picture.heic": .cutShort, "picture.CR3": .cutShort,
        "movie.jpg": .misnamed("mp4"),
        "movie": .misnamed("mov"), "picture.mov": .misnamed("jpg"), "fifo.jpg": .special, "\u{fffd}.jpg": .nameIsNoText,
      ])
    for item in found.unusable { #expect(item.description.contains(item.path)) }
    // Every path that a person names is reported.
    let named = try scan(
      folder.appendingPathComponent("notes.txt"), folder.appendingPathComponent("empty.txt"),
      folder.appendingPathComponent("gone.jpg"))
    #expect(named.candidates.isEmpty && reasons(named).count == 3)
    #expect(reasons(named)["notes.txt"] == .noPicture && reasons(named)["empty.txt"] == .empty)
    guard case .unreadable(let reason)? = reasons(named)["gone.jpg"] else {
      Issue.record("A file that isn't there was not noticed.")
      return
    }
    #expect(reason.contains("No such file"))
  }

  @Test func filesAndFoldersThatCanNotBeReadAreListed() throws {
    try scratch.put(Samples.jpeg(shade: 1), "a.jpg")
    try scratch.put(Samples.jpeg(shade: 2), "locked.jpg")
    try scratch.put(Samples.jpeg(shade: 3), "folder/b.jpg")
    let disk = Disk { step, path in
      step == .read && (path.hasSuffix("/locked.jpg") || path.hasSuffix("/folder")) ? EACCES : nil
    }
    let found = try scan(using: ImportScanner(disk: disk))
    #expect(names(found) == ["a.jpg"])
    #expect(Set(reasons(found).keys) == ["locked.jpg", "folder"])
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything")) func permissionsAreSaid() throws {
    let locked = try scratch.put(Samples.jpeg(), "locked.jpg")
    #expect(chmod(locked.path, 0) == 0)
    guard case .unreadable(let reason)? = try scan().unusable.first?.reason else {
      Issue.record("A file that can't be read was not noticed.")
      return
    }
    #expect(reason.contains("Permission denied"))
  }

  @Test func duplicatesAreFoundByContent() throws {
    let jpeg = try Samples.jpeg()
    // Of the same length, but different.
    var other = jpeg
    other[jpeg.count - 10] ^= 1
    let inLibrary = scratch.path + "/library.jpg"
    let changedSince = scratch.path + "/changed.jpg"
    try jpeg.write(to: URL(fileURLWithPath: inLibrary))
    try scratch.put(jpeg, "1.jpg")
    try scratch.put(other, "2.jpg")
    try scratch.put(other, "3.jpg")
    let third = try Samples.jpeg(shade: 1)
    try scratch.put(third, "4.jpg")
    let digest = try sum(folder.path + "/4.jpg")
    let asked = Mutex<[UInt64]>([])
    let scanner = ImportScanner(knownFiles: { size throws(PhotoLibraryError) in
      asked.withLock { $0.append(size) }
      var files: [ImportScanner.KnownFile] = []
      if size == UInt64(third.count) { files.append(.init(path: changedSince, digest: digest)) }
      if size == UInt64(jpeg.count) {
        files += [.init(path: scratch.path + "/gone.jpg"), .init(path: inLibrary)]
      }
      return files
    })
    let found = try scan(using: scanner)
    #expect(found.candidates.map(\.file.duplicateOf) == [inLibrary, nil, folder.path + "/2.jpg", changedSince])
    #expect(found.candidates.map(\.isDuplicate) == [true, false, true, true])
    #expect(Set(asked.withLock { $0 }) == [UInt64(jpeg.count), UInt64(third.count)])

    // Without a size in common nothing is read whole.
    var frugal = ImportScanner()
    frugal.wantsAllDigests = false
    let plain = try scan(using: frugal)
    #expect(plain.candidates.map { $0.file.digest == nil } == [false, false, false, third.count != jpeg.count])
    #expect(plain.candidates.map(\.file.duplicateOf) == [nil, nil, folder.path + "/2.jpg", nil])

    let broken = ImportScanner(knownFiles: { _ throws(PhotoLibraryError) in throw .index(path: "i", reason: "r") })
    #expect(throws: PhotoLibraryError.index(path: "i", reason: "r")) { try scan(using: broken) }
  }

  @Test func progressIsToldAndScansCanBeEnded() async throws {
    for shade in 1...5 { try scratch.put(Samples.jpeg(shade: UInt8(shade)), "\(shade).jpg") }
    try scratch.put(Data("words".utf8), "words.txt")
    var steps: [ImportProgress] = []
    _ = try ImportScanner().scanOnThisThread([folder], progress: { steps.append($0) })
    let last = try #require(steps.last)
    #expect(last.found == 6 && last.lookedAt == 6 && last.lookedAtBytes == last.foundBytes && last.foundBytes > 0)
    #expect(
      zip(steps, steps.dropFirst()).allSatisfy { $0.lookedAt <= $1.lookedAt && $0.lookedAtBytes <= $1.lookedAtBytes })

    // At every point at which it asks.
    var limit = 0
    while true {
      var asked = 0
      let found = try ImportScanner().scanOnThisThread(
        [folder],
        isCancelled: {
          asked += 1
          return asked > limit
        })
      if found != nil { break }
      limit += 1
    }
    #expect(limit > 10)

    let (folder, gate) = (folder, DispatchSemaphore(value: 0))
    let (started, start) = AsyncStream<Void>.makeStream()
    let scanner = ImportScanner(knownFiles: { _ throws(PhotoLibraryError) in
      start.yield()
      gate.wait()
      return []
    })
    let task = Task { try await scanner.scan([folder]) }
    for await _ in started { break }
    task.cancel()
    gate.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  // MARK: Pairs

  @Test func applePairsAreOneCandidate() throws {
    let movie = AppleSamples.movie(AppleSamples.mark)
    try scratch.put(AppleSamples.photo(AppleSamples.mark), "IMG_1.JPG")
    try scratch.put(movie, "IMG_1.MOV")
    // A movie that was renamed, to the name of a photo with another mark; other cases of names; and files without marks.
    try scratch.put(AppleSamples.photo(AppleSamples.mark, shade: 2), "IMG_2.JPG")
    try scratch.put(AppleSamples.movie(AppleSamples.mark.lowercased(), isISO: true), "IMG_3.mov")
    try scratch.put(AppleSamples.photo(AppleSamples.mark, shade: 3), "img_3.jpg")
    try scratch.put(AppleSamples.photo("another", shade: 4), "IMG_4.JPG")
    try scratch.put(movie + [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65], "IMG_4.MOV")
    try scratch.put(Samples.jpeg(shade: 5), "IMG_5.JPG")
    try scratch.put(Samples.mp4(mediaBytes: 6000), "IMG_5.MOV")
    let found = try scan()
    #expect(names(found) == ["IMG_1.JPG", "IMG_2.JPG", "IMG_4.JPG", "IMG_5.JPG", "img_3.jpg"])
    #expect(found.unusable.isEmpty)
    #expect(
      found.candidates.map { $0.parts.map { $0.path.split(separator: "/").last } } == [
        ["IMG_1.MOV"], ["IMG_4.MOV"], [], ["IMG_5.MOV"], ["IMG_3.mov"],
      ])

    // A pair is there already only when both of it are.
    let photo = try ImportScanner.KnownFile(path: "/library/1.jpg", digest: sum(folder.path + "/IMG_1.JPG"))
    let both = try [photo, ImportScanner.KnownFile(path: "/library/1.jpg", digest: sum(folder.path + "/IMG_1.MOV"))]
    for (known, isDuplicate) in [([photo], false), (both, true)] {
      let found = try scan(using: ImportScanner(knownFiles: { _ throws(PhotoLibraryError) in known }))
      #expect(found.candidates.first?.isDuplicate == isDuplicate)
      #expect(found.candidates.first?.parts.count == 1)
    }
  }

  @Test(.enabled(if: Command.areInstalled("exiftool"), "exiftool is not installed"))
  func theSamplesAreApplePairsForOtherPrograms()
    throws
  {
    try scratch.put(AppleSamples.photo(AppleSamples.mark), "IMG_1.JPG")
    try scratch.put(AppleSamples.movie(AppleSamples.mark), "IMG_1.MOV")
    let tags = try #require(
      try Command.report(
        of: "exiftool", "-s3", "-MediaGroupUUID", "-ContentIdentifier", folder.path + "/IMG_1.JPG",
        folder.path + "/IMG_1.MOV"))
    #expect(tags.matches(of: /7B6A0C4E-2D0F-4C5B-9D7B-0123456789AB/).count == 2)
  }

  /// Marks with bytes changed: no crash, no endless walk.
  @Test func brokenMarksBreakNothing() throws {
    var generator = SeededNumbers.fresh()
    let (photo, movie) = (try AppleSamples.photo(AppleSamples.mark), AppleSamples.movie(AppleSamples.mark))
    var found = 0
    for round in 0..<300 {
      var bytes = round.isMultiple(of: 2) ? photo : movie
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<min(bytes.count, 1200), using: &generator)] = .random(
          in: .min ... .max, using: &generator)
      }
      let file = try ReadableFile(scratch.put(bytes, "a").path, disk: Disk())
      let mark =
        try round.isMultiple(of: 2)
        ? JPEGHead(file)?.exif.flatMap { AppleContentIdentifier.photo(exif: $0) } : AppleContentIdentifier.movie(file)
      if mark == AppleSamples.mark { found += 1 }
    }
    // The test means something only when some of them got through.
    #expect(found > 50)
  }
}
