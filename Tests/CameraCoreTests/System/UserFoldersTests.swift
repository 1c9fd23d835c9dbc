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
