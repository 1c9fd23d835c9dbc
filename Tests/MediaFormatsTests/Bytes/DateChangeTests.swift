// Dates as texts, which are changed in their own form or not at all.

import Testing

@testable import MediaFormats

@Suite struct DateChangeTests {
  /// 2020-05-06 07:08:09.25+02:00 becomes 2026-11-21 23:31:06.5-05:30, in UTC 2026-11-22 05:01:06.5.
  private static let change = DateChange(
    former: [CaptureDate(milliseconds: 1_588_741_689_250, utcOffset: 7200)],
    new: CaptureDate(milliseconds: 1_795_323_666_500, utcOffset: -19_800))

  @Test(
    arguments: [
      ("2020-05-06T07:08:09+02:00", "2026-11-21T23:31:06-05:30"), ("2020-05-06T05:08:09Z", "2026-11-22T05:01:06Z"),
      ("2020-05-06T05:08:09.250000Z", "2026-11-22T05:01:06.500000Z"),
      ("2020-05-06T07:08+0200", "2026-11-21T23:31-0530"),
      ("2020:05:06 07:08:09", "2026:11:21 23:31:06"), ("20200506T070809+0200", "20261121T233106-0530"),
      ("20200506", "20261121"), ("2020-05-06", "2026-11-21"), ("2020", "2026"),
      ("Wed, 06 May 2020 07:08:09 +0200", "Sat, 21 Nov 2026 23:31:06 -0530"),
      ("6 May 2020 05:08:09 GMT", "22 Nov 2026 05:01:06 GMT"), ("Wed May  6 07:08:09 2020", "Sat Nov 21 23:31:06 2026"),
    ])
  func aTextOfTheFormerDateSaysTheNewOne(old: String, new: String) {
    #expect(Self.change.text(instead: old) == new)
  }

  @Test(
    arguments: [
      "", "2020-05-06T07:08:09Z", "2020-05-06T07:08:10", "2020-05-07", "2019", "20200506T070810", "yesterday",
      "2020-05-06T07:08:09+02:00 or so", "2020-13-06", "6 Mai 2020 07:08:09 GMT", "2020-05", "07:08:09",
    ])
  func everythingElseStays(text: String) { #expect(Self.change.text(instead: text) == nil) }

  @Test func datesBefore1970AreRight() {
    let change = DateChange(
      former: [CaptureDate(milliseconds: -2_513_435_511_000, utcOffset: 0)],
      new: CaptureDate(milliseconds: -500, utcOffset: 0))
    #expect(change.text(instead: "1890-05-09T07:28:09Z") == "1969-12-31T23:59:59Z")
    #expect(change.text(instead: "Fri, 09 May 1890 07:28:09 GMT") == "Wed, 31 Dec 1969 23:59:59 GMT")
  }
}
