// The difference between two states of a list, as indexes.

/// The changes of a fetched list.
///
/// To update a displayed list: remove `removed` and each `moves.from` (indexes into the list before), from the highest
/// to the lowest; insert `inserted` and each `moves.to` (indexes into `after`), from the lowest to the highest; then
/// reload `changed` (indexes into `after`).
public struct FetchResultChangeDetails: Sendable {
  /// An element that changed its position.
  public struct Move: Sendable, Hashable {
    /// Index into the list before.
    public var from: Int
    /// Index into `after`.
    public var to: Int

    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// The list as it is now.
  public var after: FetchResult
  /// Indexes into the list before, ascending.
  public var removed: [Int] = []
  /// Indexes into `after`, ascending.
  public var inserted: [Int] = []
  /// Indexes into `after`, ascending: assets whose properties changed, moved ones included.
  public var changed: [Int] = []
  /// Assets that changed their position among those that stay, ascending by `to`; as few as possible.
  public var moves: [Move] = []

  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && changed.isEmpty && moves.isEmpty }
}

/// The difference between two lists of row numbers.
struct ListDifference: Equatable {
  var removed: [Int] = []
  var inserted: [Int] = []
  var changed: [Int] = []
  var moves: [FetchResultChangeDetails.Move] = []

  /// - Parameter isChanged: Whether the element with this number was changed.
  /// - Complexity: O(n log n).
  init<Number: Hashable>(from before: [Number], to after: [Number], isChanged: (Number) -> Bool) {
    var indexBefore: [Number: Int] = [:]
    indexBefore.reserveCapacity(before.count)
    for (index, number) in before.enumerated() { indexBefore[number] = index }
    var staying = [Bool](repeating: false, count: before.count)
    // Both as indexes, in the order of `after`.
    var common: [(from: Int, to: Int)] = []
    for (index, number) in after.enumerated() {
      if let from = indexBefore[number] {
        staying[from] = true
        common.append((from, index))
        if isChanged(number) { changed.append(index) }
      } else {
        inserted.append(index)
      }
    }
    removed = staying.indices.filter { !staying[$0] }
    let resting = Self.longestRising(common.map(\.from))
    for (index, pair) in common.enumerated() where !resting[index] {
      moves.append(.init(from: pair.from, to: pair.to))
    }
  }

  /// The same where few elements were touched and all others kept their order.
  ///
  /// - Parameter indexesBefore: The indexes of the touched elements in the list before.
  /// - Complexity: O(n + m log m) for m touched elements, with a small constant for n.
  init(from before: [Int64], to after: [Int64], touched: Set<Int64>, indexesBefore: [Int64: Int]) {
    var staying: [(from: Int, to: Int)] = []
    let isTouched = NumberFilter(touched)
    for (index, number) in after.enumerated() where isTouched(number) {
      if let from = indexesBefore[number] { staying.append((from, index)) } else { inserted.append(index) }
    }
    changed = staying.map(\.to)
    let kept = Set(staying.map(\.from))
    removed = indexesBefore.values.filter { !kept.contains($0) }.sorted()
    // A touched element rests if it has as many untouched elements before it as it had.
    let (before, after) = (indexesBefore.values.sorted(), (staying.map(\.to) + inserted).sorted())
    func untouched(_ index: Int, _ touched: [Int]) -> Int {
      index - touched.partitioningIndex { $0 >= index }
    }
    let level = staying.filter { untouched($0.from, before) == untouched($0.to, after) }
    // Among those, the ones that keep their order.
    let resting = Self.longestRising(level.map(\.from))
    let rests = Set(zip(level, resting).filter(\.1).map(\.0.to))
    moves = staying.filter { !rests.contains($0.to) }.map { .init(from: $0.from, to: $0.to) }
  }

  /// Marks the members of a longest increasing subsequence (patience sorting).
  private static func longestRising(_ numbers: [Int]) -> [Bool] {
    var isMember = [Bool](repeating: true, count: numbers.count)
    // Most lists only grow and shrink.
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return isMember }
    isMember = [Bool](repeating: false, count: numbers.count)
    var tops: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      var (low, high) = (0, tops.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[tops[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tops[low - 1] }
      if low == tops.count { tops.append(index) } else { tops[low] = index }
    }
    var index = tops.last ?? -1
    while index >= 0 {
      isMember[index] = true
      index = previous[index]
    }
    return isMember
  }
}

extension [Int] {
  /// The first index of a partitioned list at which the predicate holds.
  fileprivate func partitioningIndex(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A fast membership test for few numbers among many.
struct NumberFilter {
  private let numbers: Set<Int64>
  /// Most numbers are excluded by this alone, in a tenth of the time.
  private let range: ClosedRange<Int64>

  init(_ numbers: Set<Int64>) {
    self.numbers = numbers
    range = (numbers.min() ?? 0)...(numbers.max() ?? 0)
  }

  func callAsFunction(_ number: Int64) -> Bool { range.contains(number) && numbers.contains(number) }
}
