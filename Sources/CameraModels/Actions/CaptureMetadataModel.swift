// The dialogs in which date, time zone and place of pictures are changed.

import Foundation
import Localization
import Observation
import PhotoLibrary

/// What is typed and chosen for a new date or place of the pictures of the page in front.
///
///     openDate() ──► dialog == .date: setText, setZone ──► apply() ──► the history
///     openPlace() ─► dialog == .place: setText, choose ─┘└──► cancel()
@MainActor @Observable
public final class CaptureMetadataModel {
  public enum Dialog: Hashable, Sendable {
    case date
    case place
  }

  /// The dialog that is to be shown.
  public private(set) var dialog: Dialog?
  /// A date, `2026-11-21 07:31:06`, or a place.
  public private(set) var text = ""
  /// Seconds east of Greenwich; `nil` leaves each picture's own.
  public private(set) var zone: Int?
  /// The places that the text may mean.
  public private(set) var found: [NamedPlace] = []
  public private(set) var chosen = 0
  /// The number of pictures that are done; `nil` while none are being changed.
  public private(set) var done: Int?
  private var assets: [Asset] = []

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let history: ChangeHistory
  @ObservationIgnored private let grid: LibraryModel
  @ObservationIgnored private let navigation: NavigationModel
  @ObservationIgnored private let editor: EditModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var searches = 0

  /// - Parameter history: Takes the changes back.
  public init(
    library: PhotoLibrary, history: ChangeHistory, grid: LibraryModel, navigation: NavigationModel, editor: EditModel,
    messages: MessageModel
  ) {
    (self.library, self.history, self.grid, self.navigation) = (library, history, grid, navigation)
    (self.editor, self.messages) = (editor, messages)
  }

  // MARK: Opening and closing

  /// Opens the dialog of the date, with that of the earliest picture.
  public func openDate() async {
    guard await begin(), let first = DateAdjustment.first(of: assets) else { return }
    text = WrittenDate(first.created, utcOffset: first.utcOffset).text
    zone = Set(assets.map(\.utcOffset)).count == 1 ? first.utcOffset : nil
    dialog = .date
  }

  /// Opens the dialog of the place, with that of the pictures, if they have the same.
  public func openPlace() async {
    guard await begin() else { return }
    let places = Set(assets.map(\.location))
    text = ""
    if places.count == 1, let place = places.first ?? nil {
      text = [place.latitude, place.longitude].map { "\(($0 * 1_000_000).rounded() / 1_000_000)" }
        .joined(separator: ", ")
    }
    (found, chosen) = (NamedPlace.find(text), 0)
    dialog = .place
  }

  private func begin() async -> Bool {
    guard dialog == nil, done == nil else { return false }
    assets = await navigation.memberTargets().filter { !$0.isOutside }
    return !assets.isEmpty && dialog == nil
  }

  public func cancel() { dialog = nil }

  // MARK: Choosing

  public func setText(_ text: String) {
    guard text != self.text else { return }
    self.text = text
    guard dialog == .place else { return }
    searches += 1
    let search = searches
    Task {
      // The list of cities is read at the first call.
      let found = await Task.detached { NamedPlace.find(text) }.value
      guard search == searches else { return }
      (self.found, chosen) = (found, 0)
    }
  }

  /// The moment stays; the text shows the local time there.
  public func setZone(_ zone: Int?) {
    if let date = WrittenDate(text) {
      text = WrittenDate(date.date(utcOffset: offset(self.zone)), utcOffset: offset(zone)).text
    }
    self.zone = zone
  }

  public func choose(_ index: Int) { if found.indices.contains(index) { chosen = index } }

  /// The offsets from UTC that there are, with those of the pictures.
  public var zones: [Int?] {
    let usual = [
      -12, -11, -10, -9.5, -9, -8, -7, -6, -5, -4, -3.5, -3, -2, -1, 0, 1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 5.75, 6, 6.5, 7,
      8,
      8.75, 9, 9.5, 10, 10.5, 11, 12, 12.75, 13, 14,
    ].map { Int($0 * 3600) }
    let all = Set(usual).union(assets.map(\.utcOffset)).sorted()
    return (Set(assets.map(\.utcOffset)).count > 1 ? [nil] : []) + all
  }

  /// “UTC+01:00”, or that each picture keeps its own.
  public static func title(ofZone zone: Int?) -> String {
    guard let zone else { return localized("Each Item’s Own", context: "time zone") }
    let minutes = abs(zone) / 60
    return "UTC" + (zone < 0 ? "−" : "+") + String(format: "%02d:%02d", minutes / 60, minutes % 60)
  }

  // MARK: What is shown

  public var title: String {
    switch dialog {
    case .date: localized("Adjust Date and Time")
    case .place: localized("Adjust Place")
    case nil: ""
    }
  }

  /// What applying does, or why it isn't possible.
  public var note: String {
    switch dialog {
    case .date: dateNote
    case .place: placeNote
    case nil: ""
    }
  }

  /// The offset from UTC in which the date is shown.
  private func offset(_ zone: Int?) -> Int { zone ?? DateAdjustment.first(of: assets)?.utcOffset ?? 0 }

  private var adjustment: DateAdjustment? {
    guard let first = DateAdjustment.first(of: assets) else { return nil }
    let former = WrittenDate(first.created, utcOffset: offset(zone))
    guard let date = WrittenDate(text, former: former) else { return nil }
    // What isn't shown, the part of a second, stays.
    return DateAdjustment(
      time: date.text == former.text ? .kept : .first(date), zone: zone.flatMap { TimeZone(secondsFromGMT: $0) })
  }

  private var dateNote: String {
    guard let adjustment else { return localized("Enter a date like 2026-11-21 07:31:06.") }
    let difference = Int(adjustment.difference(for: assets).rounded())
    let length = Self.length(abs(difference))
    if assets.count > 1 {
      let count = assets.count
      if difference == 0 {
        return localized("The first of the \(count) items has this date. The others will be moved by the same amount.")
      }
      return difference > 0
        ? localized("The first of the \(count) items gets this date; all will be \(length) later.")
        : localized("The first of the \(count) items gets this date; all will be \(length) earlier.")
    }
    if difference == 0 {
      return canApply
        ? localized("The moment stays the same; the clocks there show another time.")
        : localized("Changing the time zone keeps the moment, and shows the local time there.")
    }
    return difference > 0
      ? localized("\(length) later", comment: "{0} is a length of time")
      : localized("\(length) earlier", comment: "{0} is a length of time")
  }

  private static func length(_ seconds: Int) -> String {
    Duration.seconds(seconds).formatted(
      .units(allowed: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 3).locale(.forText))
  }

  private var placeNote: String {
    if text.allSatisfy(\.isWhitespace) {
      return localized("Enter the name of a city, or coordinates like 46.948, 7.447.")
    }
    guard found.indices.contains(chosen) else { return localized("No place is known by this name.") }
    return PictureInfo.coordinates(found[chosen].location)
  }

  /// Whether a place can be removed.
  public var canRemove: Bool { dialog == .place && assets.contains { $0.location != nil } }

  public var canApply: Bool {
    switch dialog {
    case .date:
      guard let adjustment else { return false }
      return adjustment.requests(for: assets).contains { request in
        request.creationDate != nil
          || request.timeZone.map { zone in assets.contains { $0.utcOffset != zone.secondsFromGMT() } } == true
      }
    case .place:
      guard found.indices.contains(chosen) else { return false }
      let place = found[chosen].location
      return !assets.allSatisfy { $0.location.map { place.isSame(as: $0) } == true }
    case nil: return false
    }
  }

  // MARK: Changing

  /// Closes the dialog and makes the change, which the history can take back. A message reports it, and names a picture that
  /// can't hold it.
  public func apply() async {
    guard canApply else { return }
    switch dialog {
    case .date:
      guard let adjustment else { return }
      await perform(.date, adjustment.requests(for: assets))
    case .place:
      let place = found[chosen].location
      await perform(.place, assets.map { AssetChangeRequest(for: $0.id, location: .set(place)) })
    case nil: return
    }
  }

  /// Closes the dialog and removes the place.
  public func removePlace() async {
    guard canRemove else { return }
    let placed = assets.filter { $0.location != nil }
    await perform(.removePlace, placed.map { AssetChangeRequest(for: $0.id, location: .removed) })
  }

  private func perform(_ kind: ChangeName.Kind, _ requests: [AssetChangeRequest]) async {
    dialog = nil
    done = 0
    defer { done = nil }
    // The edit that is being saved is of the former file.
    for request in requests where editor.queue.progress[request.id] != nil { await editor.queue.finished(request.id) }
    let outcome = await library.changeCaptureMetadata(requests) { count in
      Task { @MainActor [weak self] in if self?.done != nil { self?.done = count } }
    }
    let changed = Set(outcome.changed)
    let names = PictureActionsModel.names(of: assets.filter { changed.contains($0.id) })
    var entry: ChangeEntry.ID?
    if !outcome.change.isEmpty {
      entry = history.add(ChangeName(kind, count: changed.count), .records(outcome.change))
      grid.stopSelecting()
    }
    if let first = outcome.refused.first {
      let others = outcome.refused.count - 1
      let rest = localized(
        "\(others) other item is unchanged as well.", plural: "\(others) other items are unchanged as well.",
        count: others)
      messages.post(others == 0 ? first.description : first.description + " " + rest)
    } else if let entry {
      let notice: ActionNotice = kind == .date ? .dated : kind == .place ? .placed : .unplaced
      messages.post(notice.text(about: names), action: .undo(entry))
    }
  }
}
