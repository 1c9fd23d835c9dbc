// Dates, differences, time zones and places as people type them.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct DateTextTests {
  @Test(
    arguments: [
      ("2026-11-21 07:31", "2026-11-21 07:31:00"), ("2026.1.2 7:31:06", "2026-01-02 07:31:06"),
      ("2026/11/21T07:31:06.5", "2026-11-21 07:31:06"), (" 2026-11-21 ", "2026-11-21 12:34:56"),
      ("2024-02-29", "2024-02-29 12:34:56"),
    ])
  func datesAreRead(text: String, expected: String) throws {
    let former = try #require(WrittenDate("2000-01-01 12:34:56"))
    #expect(WrittenDate(text, former: former)?.text == expected)
  }

  @Test(
    arguments: [
      "", "tomorrow", "2026-13-01", "2026-02-30", "2026-11-21 25:00", "21.11.2026", "2026-11-21 07", "٢٠٢٦-11-21",
    ])
  func otherTextsAreNoDates(text: String) { #expect(WrittenDate(text) == nil) }

  @Test(
    arguments: [
      ("1:20", 4800), ("-0:00:30", -30), ("2d", 172_800), ("1h20m", 4800), ("-3 d 4 h", -273_600), ("+5s", 5),
    ])
  func differencesAreRead(text: String, seconds: Int) { #expect(WrittenDuration.seconds(text) == seconds) }

  @Test(arguments: ["", "h", "1:99", "5", "1h 2", "--1h", "9999999999d"]) func otherTextsAreNoDifferences(text: String)
  {
    #expect(WrittenDuration.seconds(text) == nil)
  }

  @Test(arguments: [("+01:00", 3600), ("-5", -18_000), ("UTC", 0), ("UTC+5:45", 20_700), ("+0530", 19_800)])
  func zonesAreRead(text: String, seconds: Int) { #expect(TimeZone(written: text)?.secondsFromGMT() == seconds) }

  @Test func zonesOfTheSystemHaveTheOffsetOfTheDay() throws {
    let zone = try #require(TimeZone(written: "Europe/Zurich"))
    #expect(zone.secondsFromGMT(for: Date(timeIntervalSince1970: 1_795_242_666)) == 3600)
    for text in ["", "Zurich", "+15", "+01:60", "1", "Mars/Base"] { #expect(TimeZone(written: text) == nil, "\(text)") }
  }

  @Test(
    arguments: [
      ("46.948, 7.4474", 46.948, 7.4474), ("46.948° N 7.4474° E", 46.948, 7.4474), ("-33.8 151.2", -33.8, 151.2),
      ("33°30'S, 70°45'36\"W", -33.5, -70.76), ("+46.948000+007.447400/", 46.948, 7.4474),
    ])
  func coordinatesAreRead(text: String, latitude: Double, longitude: Double) throws {
    let place = try #require(GeoLocation(text: text))
    #expect(abs(place.latitude - latitude) < 1e-9 && abs(place.longitude - longitude) < 1e-9)
  }

  @Test(arguments: ["", "Bern", "46.948", "91, 0", "0, 181", "46 E, 7 N", "1,2,3", "-46.5S, 7.25E", "46.5 N, +7.25E"])
  func otherTextsAreNoCoordinates(text: String) { #expect(GeoLocation(text: text) == nil) }

  @Test func adjustmentsMoveAllByWhatTheFirstGets() throws {
    func asset(_ seconds: Double, _ offset: Int) -> Asset {
      Asset(
        id: "\(Int(seconds))", url: URL(fileURLWithPath: "/\(seconds)"), mediaType: .photo, isLive: false,
        created: Date(timeIntervalSince1970: seconds), utcOffset: offset, size: .init(width: 1, height: 1),
        duration: nil,
        photoDisplayTime: nil, movieRange: nil, fileSize: 0, modified: Date(), cameraName: nil)
    }
    let assets = [asset(90_000, 0), asset(86_400, 3600)]
    let date = try #require(WrittenDate("1970-01-01 02:00"))
    // In its own zone, 02:00 is 01:00 UTC.
    #expect(DateAdjustment(time: .first(date)).difference(for: assets) == 3600 - 86_400)
    #expect(DateAdjustment(time: .first(date), zone: .gmt).difference(for: assets) == 7200 - 86_400)
    let requests = DateAdjustment(time: .moved(by: -60)).requests(for: assets)
    #expect(requests.map(\.creationDate) == assets.map { $0.created.addingTimeInterval(-60) })
    #expect(
      DateAdjustment(zone: .gmt).requests(for: assets).allSatisfy { $0.creationDate == nil && $0.timeZone == .gmt })
    // When clocks go forward, the offset of the new date counts.
    let zurich = try #require(TimeZone(identifier: "Europe/Zurich"))
    let summer = try #require(WrittenDate("2026-07-01 12:00"))
    let adjustment = DateAdjustment(time: .first(summer), zone: zurich)
    let moved = assets[1].created.addingTimeInterval(adjustment.difference(for: assets))
    #expect(WrittenDate(moved, utcOffset: 7200).text == "2026-07-01 12:00:00")
  }
}
