// Dates in file names and in EXIF.

import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite struct LocalTimeTests {
  @Test(arguments: [("-5", 0), (" 12", 0), ("12 ", 120), ("7", 700), ("1239", 123), ("", 0)])
  func oddPartsOfASecondCostNoDate(digits: String, milliseconds: Int) {
    let time = LocalTime(exif: "2020:05:06 07:08:09", subseconds: digits, offset: "+00:00")
    #expect(time?.millisecond == milliseconds)
  }

  /// Amsterdam's time until 1937, and Monrovia's until 1972.
  @Test(arguments: [(1172, 1200, "+00:20"), (-2670, -2700, "-00:45"), (3600, 3600, "+01:00")])
  func offsetsWithSecondsAreRoundedAndTheInstantStays(offset: Int, rounded: Int, text: String) {
    let time = LocalTime(milliseconds: 1_234_567, utcOffset: offset)
    #expect(time.milliseconds == 1_234_567 && time.utcOffset == rounded && time.exifOffset == text)
  }

  @Test func aTimeHasItsForms() {
    let time = LocalTime(milliseconds: 1_795_242_666_123, utcOffset: 3600)
    #expect(time.stamp == "20261121_073106_123")
    #expect(time.monthFolder == "2026-11")
    #expect(time.exifDate == "2026:11:21 07:31:06")
    #expect(time.exifSubseconds == "123")
    #expect(time.exifOffset == "+01:00")
    #expect(LocalTime(milliseconds: 0, utcOffset: -12600).exifOffset == "-03:30")
  }

  @Test func localTimeDecidesAboutTheMonth() {
    // Half past midnight on the first of December, an hour earlier in Greenwich.
    let time = LocalTime(milliseconds: 1_796_081_400_000, utcOffset: 3600)
    #expect(time.monthFolder == "2026-12")
    #expect(LocalTime(milliseconds: 1_796_081_400_000, utcOffset: 0).monthFolder == "2026-11")
  }

  @Test func everyDayComesBack() {
    var generator = SeededNumbers.fresh()
    for _ in 0..<2000 {
      // The years 1900 to 2200.
      let milliseconds = Int64.random(in: -2_208_988_800_000...7_258_118_400_000, using: &generator)
      let offset = Int.random(in: -56...56, using: &generator) * 900
      let time = LocalTime(milliseconds: milliseconds, utcOffset: offset)
      #expect(time.milliseconds == milliseconds)
      #expect(LocalTime(exif: time.exifDate, subseconds: time.exifSubseconds, offset: time.exifOffset) == time)
    }
  }

  @Test(arguments: [
    "", "2026", "0000:00:00 00:00:00", "2026:13:01 00:00:00", "    :  :     :  :  ", "2026:11:21 25:00:00",
  ])
  func whatIsNoDateIsNone(_ text: String) {
    #expect(LocalTime(exif: text, subseconds: nil, offset: nil) == nil)
  }

  @Test func namesTellTheTime() throws {
    let time = try #require(FileFacts.time(name: "VID_20261121_073200_004.mp4"))
    #expect(time.stamp == "20261121_073200_004")
    #expect(FileFacts.time(name: "PXL_20261121_073200004.MP.jpg")?.stamp == "20261121_073200_004")
    #expect(FileFacts.time(name: "IMG_20261121_073200.jpg")?.stamp == "20261121_073200_000")
    #expect(FileFacts.time(name: "holiday.jpg") == nil)
    #expect(FileFacts.time(name: "IMG_99999999_999999.jpg") == nil)
  }

  @Test func temporaryNamesTellTheirSession() {
    let token = LibraryFolder.makeToken()
    let name = LibraryFolder.temporaryName(for: "IMG_20261121_073106_123.MP.jpg", token: token, number: 7)
    #expect(LibraryFolder.token(temporaryName: name) == token)
    #expect(FileFacts.Kind(name: name) == nil)
    #expect(LibraryFolder.token(temporaryName: ".hidden.tmp") == nil)
    #expect(LibraryFolder.token(temporaryName: "IMG.\(token).7.tmp") == nil)
  }
}
