// The account of frames in memory.

import CameraCore
import Testing

@Suite struct FrameBudgetTests {
  private func block(_ count: Int, _ budget: FrameBudget) -> FrameBlock {
    let block = FrameBlock(count: count) { _ in }
    block.charge(to: budget)
    return block
  }

  @Test func aFrameCountsOnceHoweverManyHoldItAndNoLongerThanItLives() {
    let budget = FrameBudget(limit: 100)
    do {
      let shared = block(60, budget)
      let holders = [shared, shared, shared]
      #expect(budget.byteCount == 60 && holders.count == 3)
      #expect(!budget.isExceeded(adding: 40) && budget.isExceeded(adding: 41))
      withExtendedLifetime((shared, holders)) {}
    }
    #expect(budget.byteCount == 0)
  }

  @Test func aLimitIsExceededOnlyBeyondIt() {
    let budget = FrameBudget(limit: 100)
    let first = block(100, budget)
    #expect(!budget.isExceeded())
    let second = block(1, budget)
    #expect(budget.isExceeded())
    withExtendedLifetime((first, second)) {}
  }

  @Test func withoutALimitNothingIsExceeded() {
    #expect(!FrameBudget(limit: .max).isExceeded(adding: 1 << 40))
  }
}
