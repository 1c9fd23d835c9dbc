// The list of files that were opened together, as the viewer moves through it.

import CameraCore
import Foundation
import Testing

@testable import CameraModels
@testable import PhotoLibrary

@MainActor
@Suite struct OpenedFilesTests {
  private func asset(_ id: String, isHidden: Bool = false) -> Asset {
    Asset(
      id: id, url: URL(fileURLWithPath: "/pictures/\(id)"), mediaType: .photo, isLive: false,
      created: Date(timeIntervalSince1970: 0), utcOffset: 0, size: PixelSize(width: 64, height: 48), duration: nil,
      photoDisplayTime: nil, movieRange: nil, fileSize: 1, modified: Date(timeIntervalSince1970: 0), cameraName: nil,
      isHidden: isHidden)
  }

  @Test func hiddenPicturesArePassedOverOnceTheUserHasLeft() {
    var mayShow = true
    let list = OpenedFiles([asset("a"), asset("b", isHidden: true), asset("c")]) { mayShow }
    #expect(list.neighbor(of: list.assets[0], by: 1)?.id == "b")
    mayShow = false
    #expect(list.neighbor(of: list.assets[0], by: 1)?.id == "c")
    #expect(list.neighbor(of: list.assets[2], by: -1)?.id == "a")
    #expect(list.neighbor(of: list.assets[2], by: 1) == nil && list.neighbor(of: list.assets[0], by: -1) == nil)
  }

  @Test func aCopyThatIsGoneGivesItsPlaceBackToTheFile() {
    let list = OpenedFiles([asset("/a.jpg"), asset("/b.jpg")]) { true }
    #expect(list.viewedAssetChanged("/a.jpg", to: asset("copy"))?.id == "copy")
    #expect(list.assets.map(\.id) == ["copy", "/b.jpg"])
    // The copy is edited, and then its import is undone.
    #expect(list.viewedAssetChanged("copy", to: asset("copy"))?.id == "copy")
    #expect(list.viewedAssetChanged("copy", to: nil)?.id == "/a.jpg")
    #expect(list.assets.map(\.id) == ["/a.jpg", "/b.jpg"])
    // The library's own picture has no file outside.
    let own = OpenedFiles([asset("own"), asset("/b.jpg")]) { true }
    #expect(own.viewedAssetChanged("own", to: nil) == nil && own.assets.map(\.id) == ["/b.jpg"])
  }

  @Test func filesWithTheSameContentBecomeOnePicture() {
    let list = OpenedFiles([asset("/a.jpg"), asset("/b.jpg"), asset("/c.jpg")]) { true }
    list.viewedAssetChanged("/a.jpg", to: asset("copy"))
    list.viewedAssetChanged("/b.jpg", to: asset("copy"))
    #expect(list.assets.map(\.id) == ["copy", "/c.jpg"])
    #expect(list.neighbor(of: list.assets[0], by: 1)?.id == "/c.jpg")
  }
}
