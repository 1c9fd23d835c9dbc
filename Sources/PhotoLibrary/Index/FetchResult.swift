// The result of a fetch: row numbers, from which assets are read on demand.

import Foundation

/// A list of assets as it was at the time of the fetch.
///
///     let all = try await library.fetch()
///     let screen = try all.assets(in: 0..<min(100, all.count))
///
/// It holds eight bytes per asset. The assets themselves are read on demand, in their current state.
public struct FetchResult: Sendable {
  let rows: any AssetRows
  let query: AssetQuery
  /// The assets' row numbers.
  let numbers: [Int64]
  /// The last row of the history that it includes.
  let sequence: Int64

  public var options: FetchOptions { query.options }
  /// The collection that was fetched; `nil` for the whole library.
  public var collection: AssetCollection? { query.collection }
  public var count: Int { numbers.count }
  public var isEmpty: Bool { numbers.isEmpty }

  /// The assets at these indexes: a tenth of a millisecond for a screenful, on any thread.
  ///
  /// - Returns: One element for each index; `nil` for assets that no longer exist.
  /// - Throws: `PhotoLibraryError.index` when the index can't be read.
  public func assets(in range: Range<Int>) throws(PhotoLibraryError) -> [Asset?] {
    try rows.assets(numbers: numbers[range], of: query)
  }

  /// The asset at an index; `nil` when it no longer exists.
  ///
  /// - Throws: `PhotoLibraryError.index` when the index can't be read.
  public func asset(at index: Int) throws(PhotoLibraryError) -> Asset? { try assets(in: index..<index + 1)[0] }

  /// All assets that still exist; for lists that are known to be short.
  ///
  /// - Throws: `PhotoLibraryError.index` when the index can't be read.
  public func allAssets() throws(PhotoLibraryError) -> [Asset] {
    try rows.assets(numbers: numbers[...], of: query).compactMap(\.self)
  }

  /// The index of an asset, or of the picture that stands for its burst; `nil` when neither is in the list.
  ///
  /// - Complexity: O(n), some 0.05 ms for 100,000.
  /// - Throws: `PhotoLibraryError.index` when the index can't be read.
  public func firstIndex(of id: Asset.ID) throws(PhotoLibraryError) -> Int? {
    guard let number = try rows.number(of: id) else { return nil }
    if let index = numbers.firstIndex(of: number) { return index }
    guard options.groupsBursts else { return nil }
    let others = try rows.numbers(ofBurstOf: number)
    guard !others.isEmpty else { return nil }
    let isOther = NumberFilter(Set(others))
    return numbers.firstIndex { isOther($0) }
  }
}

/// The table from which fetch results read their assets.
protocol AssetRows: Sendable {
  /// - Parameter query: What they were fetched by: it tells how many pictures each stands for.
  /// - Returns: As many as there are numbers; `nil` for rows that no longer exist.
  func assets(numbers: ArraySlice<Int64>, of query: AssetQuery) throws(PhotoLibraryError) -> [Asset?]

  /// The row numbers of all pictures of the burst that a picture is in; none for one that is in none.
  func numbers(ofBurstOf number: Int64) throws(PhotoLibraryError) -> [Int64]

  /// The row number of an asset; `nil` when the index has none.
  func number(of id: Asset.ID) throws(PhotoLibraryError) -> Int64?
}
