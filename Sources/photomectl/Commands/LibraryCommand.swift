// `photomectl library`: the library's commands.

import ArgumentParser
import CameraCore
import Foundation
import Localization
import PhotoLibrary

struct LibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: localized("Lists and changes the photo library."),
    discussion: localized(
      """
      A picture is named by its id, by the first digits of it (at least \(AssetFinder.shortestPrefix)), or by its path.
      """),
    subcommands: [
      List.self, Info.self, Resources.self, Search.self, Suggest.self, Places.self, Favorite.self, KeyPhoto.self,
      Album.self, DateCommand.self, PlaceCommand.self,
      Import.self, Delete.self, Restore.self, Changes.self, Verify.self, Rebuild.self,
    ])
}
