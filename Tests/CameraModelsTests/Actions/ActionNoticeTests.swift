// The messages about pictures that were deleted, hidden, or put into albums.

import Testing

@testable import CameraModels

struct ActionNoticeTests {
  @Test func oneIsNamedAndSeveralAreCounted() {
    let notices: [(ActionNotice, String)] = [
      (.hidden, "moved to the Hidden album"), (.trashed, "moved to the Trash"), (.restored, "restored"),
      (.deletedPermanently, "permanently deleted"), (.added(album: "Sea"), "added to “Sea”"),
      (.removed(album: "Sea"), "removed from “Sea”"), (.reverted, "reverted to the original"),
    ]
    for (notice, words) in notices {
      #expect(notice.text(about: ["a.jpg"]) == "“a.jpg” \(words)")
      #expect(notice.text(about: ["a.jpg", "b.jpg"]) == "2 items \(words)")
    }
    #expect(ActionNotice.deletionQuestion(about: ["a.jpg"]) == "Permanently Delete “a.jpg”?")
    #expect(ActionNotice.deletionQuestion(about: ["a.jpg", "b.jpg", "c.jpg"]) == "Permanently Delete 3 Items?")
  }

  @Test func aNameMayLookLikeAPlaceholder() {
    #expect(ActionNotice.added(album: "{0}").text(about: ["{1}.jpg"]) == "“{1}.jpg” added to “{0}”")
  }
}
