// The modes in GStreamer caps that PhotoMe can't use, in words.

import CGStreamer
import CameraCore
import Localization

/// What a camera offers that can't be used, to be told where it offers nothing else.
struct UnusableModes: Sendable, Equatable {
  /// For example `H.264 up to 1920x1080`; one for each encoding.
  var names: [String] = []
  /// The Debian package that would make one of them usable.
  var package: String?
}

extension UnusableModes {
  /// The modes that `CameraFormat.all(in:)` leaves out.
  init(in caps: UnsafeMutablePointer<GstCaps>) {
    var largest: [(name: String, size: PixelSize?, isSingle: Bool)] = []
    for index in 0..<gst_caps_get_size(caps) {
      guard let structure = gst_caps_get_structure(caps, index).map({ UnsafePointer($0) }) else { continue }
      let isReadable = CameraFormat.isReadable(caps, index)
      let sizes = CameraFormat.sizes(structure)
      for (name, encoding) in Self.encodings(structure) {
        let isUsable = isReadable && (encoding.map { FrameDecoding.elements(for: $0) != nil } ?? false)
        let others = sizes.filter { size in !(isUsable && encoding?.isDefined(at: size) ?? false) }
        guard !isUsable || !others.isEmpty || sizes.isEmpty else { continue }
        let label = isReadable ? name : localized("\(name) in graphics memory")
        let size = others.max { $0.area < $1.area }
        if let known = largest.firstIndex(where: { $0.name == label }) {
          largest[known].size = [largest[known].size, size].compactMap { $0 }.max { $0.area < $1.area }
          largest[known].isSingle = false
        } else {
          largest.append((label, size, others.count < 2))
        }
        if isReadable { package = package ?? encoding.flatMap { FrameDecoding.missingPackage(for: $0) } }
      }
    }
    names = largest.map { mode in
      guard let size = mode.size else { return mode.name }
      return mode.isSingle ? "\(mode.name) \(size)" : localized("\(mode.name) up to \(size.description)")
    }
  }

  /// The encodings of a structure by the names that people know, with ours where there is one.
  private static func encodings(_ structure: UnsafePointer<GstStructure>) -> [(String, FrameEncoding?)] {
    let media = gst_structure_get_name(structure).map { String(cString: $0) } ?? "unknown"
    let layouts = CameraFormat.layouts(structure)
    switch media {
    case "image/jpeg": return [("Motion JPEG", .motionJPEG)]
    case "video/x-h264": return [("H.264", .h264)]
    case "video/x-h265": return [("H.265", nil)]
    case "video/x-raw":
      return layouts.map { ($0, CameraFormat.usableLayouts.contains($0) ? .raw($0) : nil) }
    case "video/x-bayer":
      return layouts.map { ("Bayer \($0)", FrameDecoding.bayerPatterns.contains($0) ? .bayer($0) : nil) }
    default: return [(media, nil)]
    }
  }
}
