// The rules by which files of one name are one asset.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct FilePairsTests {
  private static func photo(
    _ path: String, at seconds: Double = 0, id: String? = nil, isLive: Bool = false, isEdited: Bool = false
  ) -> FilePairs.File {
    FilePairs.File(
      path: path, mediaType: .photo, isLive: isLive, isEdited: isEdited, created: Int64(seconds * 1000), pairID: id)
  }

  private static func video(
    _ path: String, at seconds: Double = 0, id: String? = nil, lasting duration: Double? = 3
  ) -> FilePairs.File {
    FilePairs.File(
      path: path, mediaType: .video, isLive: false, isEdited: false, created: Int64(seconds * 1000), duration: duration,
      pairID: id)
  }

  /// The links as `lead > part`, in order.
  private static func links(_ files: [FilePairs.File]) -> [String] {
    FilePairs.links(among: files).map { "\(files[$0.lead].path) > \(files[$0.part].path) \($0.role)" }.sorted()
  }

  private static let cases: [(files: [FilePairs.File], links: [String])] = [
    // By identifier, whatever the times and lengths.
    ([photo("a.heic", id: "X"), video("a.mov", at: 999_999, id: "X", lasting: 60)], ["a.heic > a.mov video"]),
    ([photo("a.heic", id: "X"), video("a.mov", id: "Y")], []),
    // By time where one of them, or both, have lost it.
    ([photo("a.jpg", id: "X"), video("a.mov", at: -1.6)], ["a.jpg > a.mov video"]),
    ([photo("a.jpg"), video("a.mp4", at: -1.6)], ["a.jpg > a.mp4 video"]),
    ([photo("a.jpg"), video("a.mov", at: -6)], []),
    // The clocks of two time zones.
    ([photo("a.jpg"), video("a.mov", at: -7200 - 1.6)], ["a.jpg > a.mov video"]),
    ([photo("a.jpg"), video("a.mov", at: 5.75 * 3600 + 1)], ["a.jpg > a.mov video"]),
    ([photo("a.jpg"), video("a.mov", at: 40 * 3600)], []),
    // A film of the same name, one of unknown length, and another format.
    ([photo("a.jpg"), video("a.mov", lasting: 11)], []),
    ([photo("a.jpg"), video("a.mov", lasting: nil)], []),
    ([photo("a.jpg"), video("a.webm")], []),
    // Animations and frames of a movie, and what says that it is no such thing.
    ([photo("a.avif"), video("a.mp4")], []),
    ([photo("a.webp"), video("a.mp4")], []),
    ([photo("a.gif"), video("a.mp4")], []),
    ([photo("a.png"), video("a.mov")], []),
    ([photo("a.avif", id: "X"), video("a.mov", at: 99, id: "X")], ["a.avif > a.mov video"]),
    ([photo("a.heif"), video("a.mov")], ["a.heif > a.mov video"]),
    ([photo("a.dng"), video("a.mov")], ["a.dng > a.mov video"]),
    // A photo with a movie of its own, unless that is the edit's.
    ([photo("a.jpg", isLive: true), video("a.mov")], []),
    ([photo("a.jpg", id: "X", isLive: true), video("a.mov", id: "X")], []),
    ([photo("a.jpg", id: "X", isLive: true, isEdited: true), video("a.mov", id: "X")], ["a.jpg > a.mov video"]),
    // Each photo has one video, and the identifier comes first.
    ([photo("a.jpg", id: "X"), video("a.mov", id: "X"), video("a.mp4")], ["a.jpg > a.mov video"]),
    ([photo("a.jpg"), photo("a.png", id: "X"), video("a.mov", id: "X")], ["a.png > a.mov video"]),
    ([photo("a.jpg"), photo("a.png"), video("a.mov")], ["a.jpg > a.mov video"]),
    // Raw files, also with a video.
    ([photo("a.cr2"), photo("a.jpg", at: 1)], ["a.jpg > a.cr2 raw"]),
    ([photo("a.cr2"), photo("a.jpg", at: 3)], []),
    ([photo("a.nef"), photo("b.dng")], []),
    (
      [photo("a.dng", id: "X"), photo("a.heic", id: "X"), video("a.mov", id: "X")],
      ["a.heic > a.dng raw", "a.heic > a.mov video"]
    ),
    ([photo("a.dng", id: "X"), video("a.mov", id: "X")], ["a.dng > a.mov video"]),
    ([photo("a.jpg")], []), ([], []),
  ]

  @Test(arguments: cases.indices) func filesOfOneShotAreLinked(number: Int) {
    let (files, links) = Self.cases[number]
    #expect(Self.links(files) == links)
    // Whatever their order.
    #expect(Self.links(files.reversed()) == links)
  }

  @Test(arguments: [
    ("2026-11/IMG_1.HEIC", "img_1"), ("IMG_1.mov", "img_1"), ("a/IMG_1.MP.jpg", "img_1"), ("IMG_1_MP.jpg", "img_1"),
    ("a.b.jpg", "a.b"), ("noextension", "noextension"), (".MP.jpg", ".mp"), ("É.JPG", "é"), ("MP.jpg", "mp"),
  ]) func theStemIsWhatTheFilesShare(path: String, stem: String) {
    #expect(FilePairs.stem(of: path) == stem)
  }

  @Test func aPartIsNamedAsItsPicture() {
    #expect(FilePairs.name(beside: "2026-11/IMG_1_2.MP.heic", ".MOV") == "IMG_1_2.MOV")
    #expect(FilePairs.name(beside: String(repeating: "é", count: 125) + ".jpg", ".MOV").utf8.count <= 255)
    #expect(FileName.ending(of: "a.b/c.d.MOV") == ".MOV" && FileName.ending(of: "a.b/c") == "")
  }

  /// On FAT and exFAT, the time of a file without a date of its own is that of its last change.
  @Test func whatWasOnePairStaysOneWithoutADate() {
    let former = [FilePairs.Link(lead: 0, part: 1, role: .video)]
    func isKept(_ change: (inout [FilePairs.File]) -> Void) -> Bool {
      var files = [Self.photo("a.jpg", at: 9_999_999), Self.video("a.mov")]
      files[0].isDated = false
      change(&files)
      return FilePairs.links(among: files, formerly: former) == former
    }
    #expect(isKept { _ in })
    #expect(isKept { ($0[0].isDated, $0[1].isDated) = (true, false) })
    // Both say that they are of other times, or of other shots; or it is another film.
    #expect(!isKept { $0[0].isDated = true })
    #expect(!isKept { ($0[0].pairID, $0[1].pairID) = ("X", "Y") })
    #expect(!isKept { $0[1].duration = 60 })
    #expect(!isKept { $0[0].isLive = true })
    // Another one that says that it belongs to the photo.
    let files = [
      Self.photo("a.jpg", at: 9_999_999, id: "X"), Self.video("a.mov"), Self.video("a.mp4", id: "X"),
    ]
    #expect(FilePairs.links(among: files, formerly: former).map(\.part) == [2])
  }

  @Test func extremeTimesAreNoMatch() {
    let files = [Self.photo("a.jpg"), Self.video("a.mov")]
    for (one, other) in [(Int64.min, Int64.max), (.max, .min), (.min, 0)] {
      var files = files
      (files[0].created, files[1].created) = (one, other)
      #expect(FilePairs.links(among: files).isEmpty)
    }
  }
}
