// Pictures for other programs: copies for one that is chosen, an email with attachments, and the desktop's background.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// The intents that hand the pictures of the page in front to the desktop; see `NavigationModel.targets`.
@MainActor @Observable
public final class SharingModel {
  /// The desktop; set by the shell when there is a window for its dialogs.
  @ObservationIgnored public var desktop: (any DesktopSharing)?

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let messages: MessageModel
  /// The folder for copies that are backgrounds.
  @ObservationIgnored private let backgrounds: URL

  /// The folder for copies that are sent.
  @ObservationIgnored private let copies: URL

  /// - Parameters:
  ///   - folder: The program's folder for data.
  ///   - cache: Its folder for what can be made again.
  public init(
    library: PhotoLibrary, navigation: NavigationModel, messages: MessageModel,
    folder: URL = UserFolders().data.appendingPathComponent("photome", isDirectory: true),
    cache: URL = UserFolders().cache.appendingPathComponent("photome", isDirectory: true)
  ) {
    self.library = library
    self.navigation = navigation
    self.messages = messages
    backgrounds = folder.appendingPathComponent("background", isDirectory: true)
    copies = cache.appendingPathComponent("sent", isDirectory: true)
  }

  // MARK: Sending

  /// In seconds: programs may open a copy again for as long.
  private nonisolated static let longestKept = 24 * 3600.0

  /// Removes the copies of the day before. To be called at each start, because nothing may be sent anymore.
  public func removeOldCopies() async {
    let (copies, now) = (copies, Date())
    await Blocking.run {
      let folders = (try? FileManager.default.contentsOfDirectory(at: copies, includingPropertiesForKeys: nil)) ?? []
      for folder in folders {
        let made = (try? FileManager.default.attributesOfItem(atPath: folder.path)[.modificationDate]) as? Date
        // One that stays is removed the next time.
        if now.timeIntervalSince(made ?? now) > Self.longestKept { try? FileManager.default.removeItem(at: folder) }
      }
    }
  }

  /// A new folder for copies to send, which only the user can read.
  private func folderForCopies() async -> URL {
    await removeOldCopies()
    let (copies, folder) = (copies, copies.appendingPathComponent(UUID().uuidString, isDirectory: true))
    await Blocking.run {
      do {
        let mode = [FileAttributeKey.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        // An earlier version made one that all can read.
        try FileManager.default.setAttributes(mode, ofItemAtPath: copies.path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: mode)
      } catch {
        // Whoever writes into it says what is wrong.
      }
    }
    return folder
  }

  /// Makes copies, lets the person choose a program for them, and opens them with it. The program may open them again for a
  /// day; without one they are removed at once.
  ///
  /// - Parameter makeCopies: Makes copies in a folder; returns none when it was canceled or failed, and says so itself.
  public func send(_ makeCopies: @MainActor (_ folder: URL) async -> [URL]) async {
    let folder = await folderForCopies()
    let files = await makeCopies(folder)
    var outcome = PortalOutcome.dismissed
    if !files.isEmpty, let desktop { outcome = await desktop.send(files) }
    if outcome != .done {
      // One that stays is removed a day later.
      await Blocking.run { try? FileManager.default.removeItem(at: folder) }
    }
    switch outcome {
    case .done, .dismissed: break
    case .closed: messages.post(localized("The desktop couldn’t open the file."))
    case .unavailable:
      messages.post(
        localized(
          """
          This desktop lets apps send one file at a time. Select a single item, or export the items and send them from \
          their folder.
          """))
    case .failed(let reason): messages.post(localized("The items couldn’t be sent: \(reason.asClause)."))
    }
  }

  // MARK: Email

  /// The most files of an email. Each is a descriptor of the request, of which the message bus takes no more: it would cut
  /// the program off.
  public static let mostAttachments = 16

  /// Opens a new email with the targets attached as they are, a live photo with its movie; of a burst, its key photo.
  public func sendByEmail() async {
    let assets = await navigation.targets()
    let files = assets.flatMap(\.files)
    guard !files.isEmpty, let desktop else { return }
    guard files.count <= Self.mostAttachments else {
      messages.post(
        localized(
          "Up to \(Self.mostAttachments) items can be attached to an email. Select fewer, or export them first."))
      return
    }
    switch await desktop.composeEmail(attaching: files) {
    case .done, .dismissed: break
    case .closed:
      messages.post(
        localized(
          """
          The email couldn’t be started. Check that an email app is installed and set up. You can also copy items \
          and paste them into a new email.
          """))
    case .unavailable:
      messages.post(
        localized(
          """
          This desktop can’t start emails with attachments. Copy the items and paste them into a new email, or install \
          xdg-desktop-portal-gtk, then log out and log in again.
          """))
    case .failed(let reason): messages.post(localized("The email couldn’t be started: \(reason.asClause)."))
    }
  }

  // MARK: Background

  /// Makes the photo that is the only target the desktop's background, after the portal's preview. The portal gets JPEG and PNG
  /// files as they are, other formats as a JPEG. Without a portal, the desktop's settings name a copy, which stays.
  public func setAsBackground() async {
    guard navigation.isTargetPhoto, let asset = await navigation.targets().first, asset.mediaType == .photo,
      let desktop
    else { return }
    do throws(PhotoLibraryError) {
      let isUsual = [.jpeg, .png].contains(PhotoFormat(fileExtension: asset.url.pathExtension))
      var file = isUsual ? asset.url : try await copy(of: asset)
      var outcome = await desktop.setBackground(file)
      if case .unavailable = outcome {
        // A file of the library may be edited, moved or deleted.
        if isUsual { file = try await copy(of: asset) }
        if desktop.setBackgroundInSettings(file) { outcome = .done }
      }
      let isSet = if case .done = outcome { true } else { false }
      if file != asset.url { await discardBackgrounds(isSet: isSet, file) }
      report(outcome, of: asset)
    } catch { messages.post(error.description) }
  }

  private func report(_ outcome: PortalOutcome, of asset: Asset) {
    switch outcome {
    case .done: messages.post(localized("“\(asset.url.lastPathComponent)” set as the background"))
    case .dismissed: break
    case .unavailable:
      messages.post(
        localized(
          """
          This desktop doesn’t let apps set the background. Open the photo with another app, or export it and choose it \
          in the desktop’s settings.
          """))
    case .closed: messages.post(localized("The background couldn’t be changed. Try again."))
    case .failed(let reason): messages.post(localized("The background couldn’t be changed: \(reason.asClause)."))
    }
  }

  /// A JPEG of the picture in the folder for backgrounds.
  private func copy(of asset: Asset) async throws(PhotoLibraryError) -> URL {
    // A name of its own each time: desktops keep what they have read by its name.
    let target = backgrounds.appendingPathComponent("background-\(UUID().uuidString).jpg")
    let options = ExportOptions(dropsLocation: true, stillFormat: .jpeg)
    return try await library.export(asset, as: .still, options, to: target).url
  }

  /// Removes a picture that didn't become the background, or those of earlier ones.
  private func discardBackgrounds(isSet: Bool, _ new: URL) async {
    let folder = backgrounds
    await Blocking.run { Self.empty(folder, of: { ($0 == new.lastPathComponent) != isSet }) }
  }

  private nonisolated static func empty(_ folder: URL, of isDiscarded: (String) -> Bool) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // One that stays is removed the next time.
    for name in names where isDiscarded(name) {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
