// The difference between two states of one list, as indexes.

/// What a notice means for a list that is shown.
///
/// To bring the list along: take out `removed` and each `moves.from` (all indexes into the list before), from the highest to
/// the lowest; put in `inserted` and each `moves.to` (all indexes into `after`), from the lowest to the highest; then renew
/// `changed` (indexes into `after`).
public struct FetchResultChangeDetails: Sendable {
  public struct Move: Sendable, Hashable {
    /// Into the list before.
    public var from: Int
    /// Into `after`.
    public var to: Int

    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// The list as it is now.
  public var after: FetchResult
  /// Into the list before, rising.
  public var removed: [Int] = []
  /// Into `after`, rising.
  public var inserted: [Int] = []
  /// Into `after`, rising: assets with other facts than before, moved ones included.
  public var changed: [Int] = []
  /// Assets that changed their place among those that stay, rising by `to`; as few as possible.
  public var moves: [Move] = []

  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && changed.isEmpty && moves.isEmpty }
}

/// The same for bare numbers.
struct ListDifference: Equatable {
  var removed: [Int] = []
  var inserted: [Int] = []
  var changed: [Int] = []
  var moves: [FetchResultChangeDetails.Move] = []

  /// - Parameters:
  ///   - isChanged: Whether something with this number is not what it was.
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

  /// The same where few are touched and all others have kept their order.
  ///
  /// - Parameter placesBefore: Where the touched ones were.
  /// - Complexity: O(n + m log m) for m that are touched, and quick for each n.
  init(from before: [Int64], to after: [Int64], touched: Set<Int64>, placesBefore: [Int64: Int]) {
    var staying: [(from: Int, to: Int)] = []
    let isTouched = NumberFilter(touched)
    for (place, number) in after.enumerated() where isTouched(number) {
      if let from = placesBefore[number] { staying.append((from, place)) } else { inserted.append(place) }
    }
    changed = staying.map(\.to)
    let kept = Set(staying.map(\.from))
    removed = placesBefore.values.filter { !kept.contains($0) }.sorted()
    // A touched one rests when as many untouched ones stand before it as did.
    let (before, after) = (placesBefore.values.sorted(), (staying.map(\.to) + inserted).sorted())
    func untouched(_ place: Int, _ touched: [Int]) -> Int {
      place - touched.partitioningIndex { $0 >= place }
    }
    let level = staying.filter { untouched($0.from, before) == untouched($0.to, after) }
    // Of those, the order among each other.
    let resting = Self.longestRising(level.map(\.from))
    let rests = Set(zip(level, resting).filter(\.1).map(\.0.to))
    moves = staying.filter { !rests.contains($0.to) }.map { .init(from: $0.from, to: $0.to) }
  }

  /// Which members make a longest rising subsequence (patience sorting).
  private static func longestRising(_ numbers: [Int]) -> [Bool] {
    var isMember = [Bool](repeating: true, count: numbers.count)
    // By far the most lists only grow and shrink.
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
  /// The first index of a sorted list from which on something holds.
  fileprivate func partitioningIndex(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Finds few numbers among many.
struct NumberFilter {
  private let numbers: Set<Int64>
  /// Most numbers are told apart by this alone, in a tenth of the time.
  private let range: ClosedRange<Int64>

  init(_ numbers: Set<Int64>) {
    self.numbers = numbers
    range = (numbers.min() ?? 0)...(numbers.max() ?? 0)
  }

  func callAsFunction(_ number: Int64) -> Bool { range.contains(number) && numbers.contains(number) }
}
