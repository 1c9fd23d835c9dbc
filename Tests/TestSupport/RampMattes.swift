// People for tests: at the left of every picture.

import CameraCore
import Foundation

/// Finds a person in the left third of each picture, nobody in the right one, and a soft edge between them.
public final class RampMattes: MatteProvider, @unchecked Sendable {
  // Sendable: everything that changes is touched under `lock` only.

  /// A question for a matte.
  public struct Question: Sendable, Equatable {
    public var quality: MatteQuality
    /// The tracker, counted from 0.
    public var tracker: Int
    public var time: Double
    public var kind: MatteKind

    public init(quality: MatteQuality, tracker: Int, time: Double, kind: MatteKind = .person) {
      (self.quality, self.tracker, self.time, self.kind) = (quality, tracker, time, kind)
    }
  }

  public struct Failure: Error {
    public init() {}
  }

  private let lock = NSLock()
  private var asked: [Question] = []
  private var trackers = 0
  private let presence: Double
  private let absence: (any Error)?
  private let failingFrom: Double

  /// - Parameters:
  ///   - absence: The reason why there are none.
  ///   - failingFrom: In seconds: pictures of this time and later have none.
  public init(
    presence: Double = 1, absence: (any Error)? = nil, failingFrom: Double = .infinity,
    kinds: Set<MatteKind> = [.person]
  ) {
    self.kinds = kinds
    (self.presence, self.absence, self.failingFrom) = (presence, absence, failingFrom)
  }

  /// The number of trackers that were told to expect somebody.
  public var expectations: Int { lock.withLock { expected } }
  private var expected = 0

  /// In their order.
  public var questions: [Question] { lock.withLock { asked } }

  public let kinds: Set<MatteKind>
  public func reasonForAbsence() -> (any Error)? { absence }

  public func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker {
    if let absence { throw absence }
    let number = lock.withLock {
      trackers += 1
      return trackers - 1
    }
    return Tracker(self, quality, number, kind)
  }

  fileprivate func answer(_ question: Question, of size: PixelSize) throws -> Matte {
    lock.withLock { asked.append(question) }
    if question.time >= failingFrom { throw Failure() }
    return Self.matte(of: size, presence: presence)
  }

  public static func matte(of size: PixelSize, presence: Double = 1) -> Matte {
    let block = FrameBlock(count: size.area) { bytes in
      for index in bytes.indices {
        let place = (Double(index % size.width) + 0.5) / Double(size.width)
        bytes[index] = UInt8((max(0, min(1, 2 - 3 * place)) * 255).rounded())
      }
    }
    return Matte(size: size, block: block, presence: presence)
  }

  private final class Tracker: MatteTracker {
    private let mattes: RampMattes
    private let quality: MatteQuality
    private let number: Int
    private let kind: MatteKind

    init(_ mattes: RampMattes, _ quality: MatteQuality, _ number: Int, _ kind: MatteKind) {
      (self.mattes, self.quality, self.number, self.kind) = (mattes, quality, number, kind)
    }

    func expectPerson() { mattes.lock.withLock { mattes.expected += 1 } }

    func matte(of picture: LentPixels, time: Double) throws -> Matte {
      try mattes.answer(Question(quality: quality, tracker: number, time: time, kind: kind), of: picture.size)
    }
  }
}
