// The purpose of a start: files, a photo, a picture that was just taken.

import CameraModels
import Foundation

/// A start's purpose, of the first one or of one that the running program gets.
enum StartPurpose {
  case request(StartRequest)
  case files([URL])
  /// A picture of the library, by its ID.
  case shot(String)

  /// Adds the actions that can start the program: those of its icon's menu, and of a notification; and the one by which
  /// another start passes its command line on.
  @MainActor static func addActions(to actions: Actions, start: @escaping (StartPurpose) -> Void) {
    for (name, request) in [("new-photo", "photo"), ("new-live-photo", "live photo")] {
      actions.add(name) { start(.request(StartRequest(text: request))) }
    }
    actions.addCommand("start-request") { text in start(.request(StartRequest(text: text))) }
    actions.addCommand("show-shot") { id in start(.shot(id)) }
  }

  @MainActor func perform(_ models: Models) async {
    switch self {
    case .request(let request): await models.navigation.perform(request)
    case .files(let files): await models.opening.open(files)
    case .shot(let id): await models.notices.show(id)
    }
  }

  /// The command line of a program that is started for these, which came too late for the one that was ending.
  ///
  /// - Parameter options: Those of that program.
  static func arguments(for purposes: [StartPurpose], options: [String]) -> [String] {
    var (request, files) = (StartRequest(), [URL]())
    for purpose in purposes {
      switch purpose {
      case .request(let new): request.add(new)
      case .files(let more): files += more
      // The program is there again, with the picture in its strip.
      case .shot: break
      }
    }
    return LaunchOptions.forNextStart(options) + LaunchOptions.options(for: request)
      + (files.isEmpty ? [] : ["--"] + files.map(\.path))
  }
}
