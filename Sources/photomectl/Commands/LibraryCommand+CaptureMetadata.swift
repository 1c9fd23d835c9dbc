// `photomectl library date` and `place`: when and where pictures were taken.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct DateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "date", abstract: localized("Changes when pictures and videos were taken, in the files themselves."),
      discussion: localized(
        """
        Of several, the first gets the date, and the others are moved by the same amount. A time zone alone keeps the \
        instant and shows another local time.
        """))

    @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
    @Option(help: ArgumentHelp(localized("The local date and time, as “2026-11-21 07:31”.")))
    var to: String?
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(localized("The difference, as “1h20m”, “-2d” or “+0:30”.")))
    var by: String?
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(localized("The time zone, as “+01:00” or “Europe/Zurich”.")))
    var zone: String?
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard to == nil || by == nil else { throw ValidationError(localized("Give --to or --by, not both.")) }
      guard to != nil || by != nil || zone != nil else {
        throw ValidationError(localized("Give --to, --by or --zone."))
      }
      _ = try zone.map(Self.zone)
      _ = try by.map(Self.seconds)
      if let to, WrittenDate(to) == nil { throw Self.notADate(to) }
    }

    private static func zone(_ text: String) throws -> TimeZone {
      guard let zone = TimeZone(written: text) else {
        throw ValidationError(localized("“\(text)” isn’t a time zone. Give one as “+01:00” or “Europe/Zurich”."))
      }
      return zone
    }

    private static func seconds(_ text: String) throws -> Int {
      guard let seconds = WrittenDuration.seconds(text) else {
        throw ValidationError(localized("“\(text)” isn’t a difference of time. Give one as “1h20m” or “-2d”."))
      }
      return seconds
    }

    private static func notADate(_ text: String) -> ValidationError {
      ValidationError(localized("“\(text)” isn’t a date. Give one as “2026-11-21 07:31”."))
    }

    func run() async throws {
      try await place.use { library in
        let assets = try await AssetFinder(library: library).assets(ids)
        var adjustment = DateAdjustment(zone: try zone.map(Self.zone))
        if let by { adjustment.time = .moved(by: try Self.seconds(by)) }
        if let to {
          let former = DateAdjustment.first(of: assets).map { WrittenDate($0.created, utcOffset: $0.utcOffset) }
          guard let date = WrittenDate(to, former: former) else { throw Self.notADate(to) }
          adjustment.time = .first(date)
        }
        try await LibraryCommand.change(adjustment.requests(for: assets), in: library, output)
      }
    }
  }

  struct PlaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "place",
      abstract: localized("Changes where pictures and videos were taken, in the files themselves."),
      discussion: localized(
        """
        Removing the place removes coordinates, and the fields that name a place. Captions and keywords stay; to share \
        pictures without any trace of the place, export them with --strip-location.
        """))

    @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(localized("Coordinates, as “46.948,7.447”, or the name of a city, as “Bern”.")))
    var at: String?
    @Flag(help: ArgumentHelp(localized("Remove the place."))) var remove = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (at != nil) != remove else { throw ValidationError(localized("Give --at, or --remove.")) }
      if let at, GeoLocation.hasSignAndHemisphere(in: at) {
        throw ValidationError(
          localized(
            """
            “\(at)” has a sign and the letter of a hemisphere. Give only one of them, as “-46.5,7.25” or “46.5S, 7.25E”.
            """))
      }
    }

    func run() async throws {
      try await place.use { library in
        let assets = try await AssetFinder(library: library).assets(ids)
        let change: AssetChangeRequest.PlaceChange = try at.map { .set(try Self.location($0)) } ?? .removed
        let requests = assets.map { AssetChangeRequest(for: $0.id, location: change) }
        try await LibraryCommand.change(requests, in: library, output)
      }
    }

    private static func location(_ text: String) throws -> GeoLocation {
      let found = NamedPlace.find(text)
      guard let first = found.first else {
        throw CommandError(
          localized("No place “\(text)” is known. Give its coordinates, as “46.948,7.447”, or a larger city."))
      }
      let others = found.dropFirst().filter { $0.location != first.location && isSameName($0, first) }
      guard others.isEmpty else {
        let names = ([first] + others).map { "\($0.title) (\($0.location.latitude),\($0.location.longitude))" }
        throw CommandError(
          localized("There are several: \(names.joined(separator: "; ")). Give the country as well, or coordinates."))
      }
      return first.location
    }

    /// Whether two cities have the same name, in whatever countries.
    private static func isSameName(_ one: NamedPlace, _ other: NamedPlace) -> Bool {
      one.title.prefix { $0 != "," } == other.title.prefix { $0 != "," }
    }
  }

  /// Makes the changes, and shows the pictures that were changed.
  private static func change(
    _ requests: [AssetChangeRequest], in library: PhotoLibrary, _ output: OutputOptions
  ) async throws {
    let bar = ProgressBar()
    let outcome = await library.changeCaptureMetadata(requests) { done in
      bar.show(localized("Changing"), Double(done) / Double(max(1, requests.count)))
    }
    bar.end()
    try await AssetReport.show(outcome.changed, in: library, output)
    guard let first = outcome.refused.first else { return }
    for error in outcome.refused.dropFirst() { complain(error.description) }
    throw first
  }
}
