// Assets that are in no library and have no file.

import CameraCore
import Foundation
import PhotoLibrary

enum SampleAssets {
  /// A live photo, or a video of 65 seconds.
  static func asset(isLive: Bool) -> Asset {
    Asset(
      id: Asset.makeID(), url: URL(fileURLWithPath: "/nonexistent/\(isLive ? "IMG.MP.jpg" : "VID.mp4")"),
      mediaType: isLive ? .photo : .video, isLive: isLive, created: Date(timeIntervalSince1970: 0), utcOffset: 0,
      size: PixelSize(width: 640, height: 480), duration: isLive ? 3 : 65, photoDisplayTime: isLive ? 1.5 : nil,
      movieRange: 0..<100, fileSize: 100, modified: Date(timeIntervalSince1970: 0), cameraName: nil)
  }
}
