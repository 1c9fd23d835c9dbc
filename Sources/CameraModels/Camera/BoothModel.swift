// The photo booth: four photos in a row, each after a countdown.

import CameraCore
import Foundation
import Localization
import Observation

/// Takes four photos that belong together, with time for another face before each.
///
/// A countdown that is canceled, a lost camera and `stop` end it; the photos that were taken by then are kept.
@MainActor @Observable
public final class BoothModel {
  /// The number of the photo that is posed for, from 1 on; `nil` while none is.
  public private(set) var position: Int?

  /// Whether photos are being taken.
  public var isRunning: Bool { position != nil }

  /// “Photo 2 of 4”; `nil` while none is taken.
  public var text: String? { position.map { localized("Photo \($0) of \(Self.count)") } }

  /// The number of photos of a sheet.
  public nonisolated static let count = 4
  /// The seconds before each photo.
  public nonisolated static let pause = 3

  /// Counts seconds down; returns whether the end was reached.
  @ObservationIgnored var countDown: ((_ seconds: Int) async -> Bool)?
  /// Ends the counting before its end.
  @ObservationIgnored var cancelCountDown: (() -> Void)?
  /// Takes a photo; returns when its frame is being chosen.
  @ObservationIgnored var take: ((_ group: String) async -> PhotoCapture?)?

  @ObservationIgnored private var isStopping = false

  init() {}

  /// Takes the photos. Does nothing while it does so already.
  ///
  /// - Parameter seconds: Before the first photo; `pause` at least.
  /// - Returns: The photos that were taken, fewer than `count` when it was ended.
  func run(firstAfter seconds: Int = pause) async -> [PhotoCapture] {
    guard !isRunning else { return [] }
    isStopping = false
    defer { position = nil }
    let group = UUID().uuidString
    var shots: [PhotoCapture] = []
    for number in 1...Self.count {
      position = number
      guard await countDown?(number == 1 ? max(seconds, Self.pause) : Self.pause) == true, !isStopping,
        let shot = await take?(group)
      else { return shots }
      shots.append(shot)
      if isStopping { return shots }
    }
    return shots
  }

  /// Cancels the countdown to the next photo, and takes no further one.
  func stop() {
    guard isRunning else { return }
    isStopping = true
    cancelCountDown?()
  }
}
