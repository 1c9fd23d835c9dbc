// The outcome of a fetch: which assets, in which order, and nothing else of them until it is asked for.

import Foundation

/// A list of assets as it was at one moment.
///
///     let all = try await library.fetch()
///     let screen = try all.assets(in: 0..<min(100, all.count))
///
/// It holds eight bytes an asset. The assets themselves are read when they are asked for, as they are then.
public struct FetchResult: Sendable {
  let rows: any AssetRows
  let query: AssetQuery
  /// The assets' row numbers.
  let numbers: [Int64]
  /// The last row of the history that it knows of.
  let sequence: Int64

  public var options: FetchOptions { query.options }
  /// What was fetched from; `nil` for the whole library.
  public var collection: AssetCollection? { query.collection }
  public var count: Int { numbers.count }
  public var isEmpty: Bool { numbers.isEmpty }

  /// The assets at these places: a tenth of a millisecond for a screenful, on any thread.
  ///
  /// - Returns: As many as the range has; `nil` for those that are gone since.
  public func assets(in range: Range<Int>) throws(PhotoLibraryError) -> [Asset?] {
    try rows.assets(numbers: numbers[range])
  }

  /// `nil` when it is gone since.
  public func asset(at index: Int) throws(PhotoLibraryError) -> Asset? { try assets(in: index..<index + 1)[0] }

  /// All assets that are still there; for lists that are known to be short.
  public func allAssets() throws(PhotoLibraryError) -> [Asset] {
    try rows.assets(numbers: numbers[...]).compactMap(\.self)
  }

  /// Where an asset is; `nil` when it isn't in the list.
  ///
  /// - Complexity: O(n), some 0.05 ms for 100,000.
  public func firstIndex(of id: Asset.ID) throws(PhotoLibraryError) -> Int? {
    try rows.number(of: id).flatMap { numbers.firstIndex(of: $0) }
  }
}

/// The rows of the index that a fetch result reads its assets from.
protocol AssetRows: Sendable {
  /// - Returns: As many as there are numbers; `nil` for rows that no longer exist.
  func assets(numbers: ArraySlice<Int64>) throws(PhotoLibraryError) -> [Asset?]

  /// The row number of an asset; `nil` when the index has none.
  func number(of id: Asset.ID) throws(PhotoLibraryError) -> Int64?
}
