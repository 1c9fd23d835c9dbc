// A memory card with many new pictures of one size.

import Foundation

/// Files that are as large as many of a library's and that it doesn't have, to be imported.
///
/// They are an asset of the library with other ids, dates and quantization tables.
final class LargeImport {
  private let library: URL
  private let count: Int
  /// The size of each, in bytes; 0 until they are made.
  private(set) var fileSize = 0

  /// - Parameter library: A library as `LargeLibrary` makes it.
  init(library: URL, count: Int) {
    self.library = library
    self.count = count
  }

  /// Makes the files, has `body` import their folder, and removes them.
  ///
  /// - Returns: The result of `body` and its time, in milliseconds.
  func run<Result>(_ body: (URL) async throws -> Result) async throws -> (Result, Double) {
    let card = library.appendingPathExtension("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: card) }
    let (original, id, time) = try LargeLibrary.firstPicture(in: library)
    let template = try PictureTemplate(original, id: id, time: time)
    fileSize = original.count
    for number in 0..<count {
      // After all of the library's own, and with other tables than any of them.
      let date = Date(timeIntervalSince1970: 1_900_000_000 + Double(number))
      let copy = template.stamped(
        id: String(format: "cafe%028x", number), time: CalendarTime(date), variant: 1_000_000_000 + number)
      try copy.write(to: card.appendingPathComponent("DSC\(number).jpg"))
    }
    sync()
    let began = ContinuousClock.now
    let result = try await body(card)
    return (result, began.milliseconds)
  }
}
