// The pictures of a month.

import Foundation
import PhotoLibrary
import Testing

@Suite(.timeLimit(.minutes(30))) struct MonthFetchTests {
  @Test func aMonthBeginsAtMidnightWhereThePictureWasTaken() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    // Half an hour before and after the first of December, an hour east of Greenwich, where it is still November.
    var taken: [Asset] = []
    for (shade, seconds) in [(10, 1_796_077_800.0), (20, 1_796_081_400)] {
      taken.append(
        try await library.createAsset(
          AssetCreationRequest(
            photo: Samples.jpeg(shade: UInt8(shade)),
            metadata: Samples.metadata(date: Date(timeIntervalSince1970: seconds)))))
    }
    let months = try await library.fetchMoments().map { Month(day: $0.day) }
    #expect(months.map(\.month) == [12, 11])
    for (month, asset) in zip(months, taken.reversed()) {
      #expect(try await library.fetch(in: AssetCollection(month)).allAssets() == [asset])
    }
    #expect(try await library.fetch(in: AssetCollection(Month(day: 0))).allAssets().isEmpty)
    await library.close()
  }
}
