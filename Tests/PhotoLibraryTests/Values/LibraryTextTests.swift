// The sentences of errors, warnings and reports: each names its file, and counts agree with their nouns.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct LibraryTextTests {
  @Test func everyOperationHasItsOwnSentence() {
    let texts = FileOperation.allCases.map {
      PhotoLibraryError.inputOutput(operation: $0, path: "/a/b.jpg", reason: "it rains").description
    }
    #expect(Set(texts).count == FileOperation.allCases.count)
    for text in texts {
      #expect(text.contains("“/a/b.jpg”") && text.contains(": it rains. ") && text.hasSuffix("."), "\(text)")
    }
  }

  @Test func everyObstacleHasItsOwnAdvice() {
    let obstacles: [FolderObstacle] = [.missing, .notFolder, .symbolicLink, .system("it rains")]
    let texts = obstacles.map { PhotoLibraryError.folderUnavailable(path: "/a", reason: $0).description }
    #expect(Set(texts).count == obstacles.count && texts.allSatisfy { $0.contains("“/a”") }, "\(texts)")
    #expect(texts[3].contains("it rains"))
  }

  @Test func everyFaultOfAFileHasItsOwnSentence() {
    let faults: [IntegrityCheck.Damage] = [.cutShort, .damaged(at: 5), .movieMissing, .movieRemoved, .movieDamaged]
    let texts = faults.map { $0.sentence(about: "a.jpg") }
    #expect(Set(texts).count == faults.count, "\(texts)")
    for text in texts { #expect(text.contains("“a.jpg”") && text.hasSuffix("."), "\(text)") }
  }

  /// What has no path isn’t quoted like a file.
  @Test func dataInMemoryHaveNoQuotes() {
    #expect(PhotoLibraryError.unusableFile(path: "EXIF", reason: "r").description == "EXIF can’t be used: r.")
    #expect(PhotoLibraryError.unusableFile(path: "/EXIF", reason: "r").description == "“/EXIF” can’t be used: r.")
  }

  @Test func countsAgree() {
    let one = LibraryWarning.movedToTrash(count: 1, days: 30).description
    let many = LibraryWarning.movedToTrash(count: 1200, days: 30).description
    #expect(one.hasPrefix("1 item has ") && one.contains("Its "), "\(one)")
    #expect(many.hasPrefix("1,200 items have ") && many.contains("Their "), "\(many)")
    func skipped(_ reason: ImportReport.Skipped.Reason, _ count: Int) -> String {
      ImportReport.Skipped(reason: reason, count: count, example: "/a").description
    }
    for reason in ImportReport.Skipped.Reason.allCases {
      #expect(skipped(reason, 1).hasPrefix("“/a” ") && skipped(reason, 2).hasPrefix("2 "))
    }
  }

  @Test(arguments: [
    (1, "The name of “a”"), (2, "2 files"), (3, "“a”, “b”, and “c”"), (4, "such as “a”, “b”, and “c”."),
  ])
  func namesThatAreNoTextAreToldOrCounted(count: Int, words: String) {
    let names = Array(["a", "b", "c", "d"].prefix(count))
    let text = UnusableNames(folder: URL(fileURLWithPath: "/p", isDirectory: true), names: names).description
    #expect(text.contains(words) && text.contains("“/p”") && !text.contains("“d”"), "\(text)")
  }

  /// The id of a collection is kept; its title is in the person's language.
  @Test func placesAreTheSameInEveryLanguage() {
    let place = Moment.Place(row: -680, column: 370)
    #expect(place.description.contains("° S 18.5") && place.title == place.description)
    #expect(AssetCollection(Moment(day: 1, place: place, count: 1)).id == "moment:1:\(place.description)")
  }
}
