// Printing: the pictures of a job, one on each page, and their places on the pages.

import CameraCore
import Foundation
import Localization
import PhotoLibrary

/// Pictures to be printed, one on each page.
public struct PrintJob: Sendable {
  public let assets: [Asset]

  /// Names the job in the printer's queue.
  public var title: String {
    guard assets.count == 1, let asset = assets.first else {
      return localized("\(assets.count) Item", plural: "\(assets.count) Items", count: assets.count)
    }
    return asset.url.lastPathComponent
  }

  /// Whether a page is turned to its side, so that the picture on it is larger.
  public func isLandscape(page: Int) -> Bool { assets[page].size.width > assets[page].size.height }
}

/// The place of a picture on a page, in the page's unit: as large as fits, in the middle.
public struct PrintPlacement: Equatable, Sendable {
  public var x, y, width, height: Double
}

extension PrintPlacement {
  /// - Parameters:
  ///   - width: Of the page's printable area, as `height`.
  public init(of size: PixelSize, onWidth width: Double, height: Double) {
    let scale = min(width / Double(max(1, size.width)), height / Double(max(1, size.height)))
    (self.width, self.height) = (Double(size.width) * scale, Double(size.height) * scale)
    (x, y) = ((width - self.width) / 2, (height - self.height) / 2)
  }
}

/// Provides the pictures of print jobs, and reports what went wrong.
@MainActor public final class PrintModel {
  /// The end of a job.
  public enum End: Sendable {
    case printed, canceled
    /// - reason: A clause or sentence.
    case failed(reason: String)
  }

  /// Whether pages are on their way to the printer.
  public var isPrinting: Bool { jobs > 0 }
  /// The jobs whose pages are.
  private var jobs = 0
  /// Grows with each page.
  private(set) var steps = 0

  private var end = OneShot<Void, Never>()
  private let patience: TimeSpan
  private let images: ImageManager
  private let navigation: NavigationModel
  private let messages: MessageModel

  /// More pixels than this on an inch can't be told apart on paper.
  private static let pixelsPerInch = 300.0
  private static let pointsPerInch = 72.0

  /// - Parameters:
  ///   - images: Decodes pictures, and the first frames of videos.
  ///   - patience: The longest time for a picture: its disk may hang, and a printer would wait for it forever.
  public init(
    images: ImageManager, navigation: NavigationModel, messages: MessageModel, patience: TimeSpan = .seconds(30)
  ) {
    (self.images, self.navigation, self.messages) = (images, navigation, messages)
    self.patience = patience
  }

  /// A job with the pictures of the page in front, of a burst its key photo; `nil` when there are none.
  public func job() async -> PrintJob? {
    let assets = await navigation.targets()
    return assets.isEmpty ? nil : PrintJob(assets: assets)
  }

  /// The picture for a page, upright and with its edits, with as many pixels as can be seen.
  ///
  /// - Parameters:
  ///   - width: Of the page's printable area in points, as `height`.
  /// - Throws: Why it can't be printed.
  public func picture(of asset: Asset, onWidth width: Double, height: Double) async throws -> DecodedImage {
    let place = PrintPlacement(of: asset.size, onWidth: width, height: height)
    func pixels(_ length: Double) -> Int {
      max(1, Int((length / Self.pointsPerInch * Self.pixelsPerInch).rounded(.up)))
    }
    let target = PixelSize(width: pixels(place.width), height: pixels(place.height))
    defer { steps += 1 }
    let decoded = OneShot<DecodedImage?, any Error>()
    let decoding = Task { [images] in
      do {
        decoded.decide(.success(try await images.image(for: asset, targetSize: target, isShared: false)))
      } catch { decoded.decide(.failure(error)) }
    }
    let timer = Task { [patience] in
      try await Task.sleep(nanoseconds: UInt64(patience.nanoseconds))
      decoded.decide(
        .failure(PhotoLibraryError.unusableFile(path: asset.url.path, reason: localized("its disk doesn’t respond"))))
      decoding.cancel()
    }
    defer { timer.cancel() }
    guard let image = try await decoded.wait() else {
      throw PhotoLibraryError.unusableFile(path: asset.url.path, reason: localized("PhotoMe can’t decode videos"))
    }
    return image
  }

  /// The person has chosen a printer, or the file to print into: pages are on their way, until `sent`.
  public func began() {
    if jobs == 0 { end = OneShot() }
    jobs += 1
    steps += 1
  }

  /// The pages of a job have been handed over, or never will be.
  public func sent() {
    jobs -= 1
    steps += 1
    if jobs == 0 { end.decide(.success(())) }
  }

  /// What a program that ended would take along: the pages that have not been handed over.
  public var unfinishedWork: ClosingModel.UnfinishedWork {
    ClosingModel.UnfinishedWork(
      finished: { [self] in if isPrinting { await end.wait() } }, steps: { [self] in steps })
  }

  /// Says that another job has to end first.
  public func refuse() { ended(.failed(reason: localized("Another item is being printed."))) }

  /// Reports the end of a job.
  public func ended(_ end: End) {
    guard case .failed(let reason) = end else { return }
    messages.post(localized("Nothing was printed. \(reason)", comment: "{0} is a sentence: the reason"))
  }
}
