// The shutter of a camera program: found on the screen, pressed, until the photo is on disk.

import CameraCore
import Foundation
import MediaEngine

/// The shutter button of a program that runs, and the folder in which its photos arrive.
final class ShutterOnScreen {
  private let screen: Screen
  private let folder: URL
  private var known: Set<String> = []
  /// The button's middle.
  private(set) var place = (x: 0, y: 0)

  /// Finds the button by pressing where shutters are: in the middle, from the lower edge upwards, until a photo arrives.
  ///
  /// - Throws: `BenchError` when none does.
  init(of performance: Performance, folder: URL) throws {
    screen = performance.desktop.screen
    self.folder = folder
    guard let window = screen.windows().first else { throw BenchError("\(performance.contestant.name) has no window.") }
    known = photos()
    let middle = window.area.x + window.area.width / 2
    let bottom = min(window.area.y + window.area.height, PrivateDesktop.screenSize.height)
    for y in stride(from: bottom - 20, to: bottom - 300, by: -14) {
      place = (middle, y)
      screen.point(x: middle, y: y)
      pass(seconds: 0.05)
      screen.click()
      if waitForPhoto(seconds: 0.5) != nil { return }
    }
    throw BenchError("\(performance.contestant.name) took no photo: its shutter was not found.")
  }

  func press() { screen.click() }

  /// Takes the pointer away and brings it back: GTK 3 ignores clicks on a button that was disabled under the pointer.
  func approach() {
    screen.point(x: place.x, y: 0)
    pass(seconds: 0.05)
    screen.point(x: place.x, y: place.y)
    pass(seconds: 0.05)
  }

  /// Waits for the next photo to be whole, and returns where it is; `nil` when none comes in time.
  func waitForPhoto(seconds: Double) -> URL? {
    var path: String?
    _ = waitUntil(seconds: seconds, interval: 0.001) {
      path = path ?? photos().subtracting(known).first
      guard let path else { return false }
      return Self.isWhole(folder.appendingPathComponent(path))
    }
    guard let path else { return nil }
    known.insert(path)
    return folder.appendingPathComponent(path)
  }

  /// The number of photos since the last one that was waited for.
  var arrivals: Int { photos().subtracting(known).count }

  /// The JPEGs in the folder that have their final names.
  private func photos() -> Set<String> {
    let inside = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    var photos: Set<String> = []
    while let url = inside?.nextObject() as? URL {
      if url.pathExtension == "jpg" { photos.insert(String(url.path.dropFirst(folder.path.count + 1))) }
    }
    return photos
  }

  /// Whether a file ends as a JPEG does.
  private static func isWhole(_ url: URL) -> Bool {
    guard let file = try? FileHandle(forReadingFrom: url), let size = try? file.seekToEnd(), size > 2 else {
      return false
    }
    defer { try? file.close() }
    try? file.seek(toOffset: size - 2)
    return (try? file.readToEnd()) == Data([0xff, 0xd9])
  }

  /// The frame number in a photo; `nil` when it can't be read.
  static func frameNumber(in photo: URL) -> UInt32? {
    guard let jpeg = try? Data(contentsOf: photo), let decoder = try? JPEGDecoder() else { return nil }
    let picture = jpeg.withUnsafeBytes { try? decoder.decode($0) }
    return picture.flatMap(FrameNumberMark.read)
  }
}
