// The user's folders, by environment variables.

import CameraCore
import Testing

@Suite("The user's folders")
struct UserFoldersTests {
  @Test("They are in $HOME")
  func home() {
    let folders = UserFolders(environment: ["HOME": "/somewhere/else"])
    #expect(folders.home.path == "/somewhere/else")
    #expect(folders.configuration.path == "/somewhere/else/.config")
    #expect(folders.data.path == "/somewhere/else/.local/share")
    #expect(folders.cache.path == "/somewhere/else/.cache")
    #expect(folders.state.path == "/somewhere/else/.local/state")
  }

  @Test("Each can be elsewhere")
  func elsewhere() {
    let folders = UserFolders(environment: [
      "HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/e",
      "XDG_STATE_HOME": "/f",
    ])
    #expect(folders.configuration.path == "/c")
    #expect(folders.data.path == "/d")
    #expect(folders.cache.path == "/e")
    #expect(folders.state.path == "/f")
  }

  @Test("In Flatpak the Trash and the thumbnails are the desktop’s, where the sandbox shows them")
  func sandbox() {
    let environment = [
      "HOME": "/h", "XDG_DATA_HOME": "/h/.var/app/id/data", "XDG_CACHE_HOME": "/h/.var/app/id/cache",
    ]
    func folders(_ more: [String: String] = [:], _ sandbox: Sandbox? = .flatpak, isShared: Bool) -> UserFolders {
      UserFolders(environment: environment.merging(more) { $1 }, sandbox: sandbox, isShared: { _ in isShared })
    }
    #expect(folders(isShared: true).trash.path == "/h/.local/share/Trash")
    #expect(folders(isShared: true).thumbnails.path == "/h/.cache/thumbnails")
    #expect(folders(isShared: true).data.path == "/h/.var/app/id/data", "the program’s own stay where they are")
    #expect(folders(isShared: false).trash.path == "/h/.var/app/id/data/Trash")
    #expect(folders(isShared: false).thumbnails.path == "/h/.var/app/id/cache/thumbnails")
    let moved = folders(["HOST_XDG_DATA_HOME": "/d", "HOST_XDG_CACHE_HOME": "relative"], isShared: true)
    #expect(moved.trash.path == "/d/Trash")
    #expect(moved.thumbnails.path == "/h/.cache/thumbnails")
    #expect(
      folders([:], nil, isShared: true).trash.path == "/h/.var/app/id/data/Trash", "outside of a sandbox they are meant"
    )
  }

  @Test("Relative paths count as unset", arguments: ["", "relative", "./c"])
  func relative(path: String) {
    let folders = UserFolders(environment: [
      "HOME": "/h", "XDG_CONFIG_HOME": path, "XDG_DATA_HOME": path, "XDG_CACHE_HOME": path,
      "XDG_STATE_HOME": path,
    ])
    #expect(folders == UserFolders(environment: ["HOME": "/h"]))
    #expect(UserFolders(environment: ["HOME": path]).home.path.hasPrefix("/"))
  }
}
