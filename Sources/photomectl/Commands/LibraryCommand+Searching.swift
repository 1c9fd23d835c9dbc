// `photomectl library search`, `suggest` and `places`.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Lists the pictures that match all of these words, dates, kinds and sizes."),
      discussion: localized(
        """
        A word occurs in the file name, the camera, an album or the place. Dates: yesterday, last week, october, 12 May 2025, \
        summer 2024, 2025-03. Kinds: photo, live, video, favorite, edited, burst, selfie, screenshot, panorama, animation, \
        large. Sizes: ">5 MB", 4000x3000. album:, place:, camera:, name:, kind:, date: or size: in front asks for nothing \
        else, a minus sign (after --) for what doesn’t match, and quotation marks for words in a row.
        """))

    @Argument(help: ArgumentHelp(localized("The words; case and accents don’t count."))) var words: [String]
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      var options = FetchOptions()
      options.text = words.joined(separator: " ")
      try await place.use { [options] library in
        try await AssetReport.show(try await library.fetch(options).allAssets(), in: library, output)
      }
    }
  }

  struct Suggest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Lists what completes a search: albums, places, cameras, kinds and dates of the library."))

    @Argument(help: ArgumentHelp(localized("The beginning of the search."))) var text: String
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    /// A completion as `--json` prints it.
    private struct Report: Encodable {
      var subject: String
      var title: String
      var count: Int
      var search: String
    }

    func run() async throws {
      try await place.use { library in
        let reports = try await library.fetchSearchFacets().completions(of: text).map {
          Report(
            subject: $0.subject.rawValue, title: $0.title, count: $0.count,
            search: $0.text.trimmingCharacters(in: .whitespaces))
        }
        if output.json { return try printJSON(reports) }
        for report in reports { say(oneLine("\(report.search)  \(report.count)  \(report.title)")) }
      }
    }
  }

  struct Places: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Lists the countries and cities where the pictures were taken."))

    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    /// A place as `--json` prints it.
    private struct Report: Encodable {
      var title: String
      var count: Int
      /// ISO 3166-1; `nil` for a spot without a name.
      var country: String?
      var cities: [Report]?

      init(_ place: PhotoPlace) {
        (title, count, country) = (place.title, place.count, place.country)
        if case .country = place.area { cities = place.cities.map { Report($0) } }
      }
    }

    func run() async throws {
      try await place.use { library in
        let places = try await library.fetchPlaces()
        if output.json { return try printJSON(places.map { Report($0) }) }
        for place in places {
          say(oneLine("\(place.title)  \(place.count)"))
          for city in place.cities { say("  " + oneLine("\(city.title)  \(city.count)")) }
        }
      }
    }
  }
}
