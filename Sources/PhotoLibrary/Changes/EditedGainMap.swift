// The gain map of a picture's edit.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import PhotoEffects

/// The gain map of an original JPEG, made to fit its edit: turned, straightened and cropped like the picture. Its samples
/// stay, as they say how much brighter than the picture's a part is.
struct EditedGainMap {
  /// A whole JPEG.
  var jpeg: Data
  private var map: JPEGGainMap

  /// As libjpeg counts: the map is small, and its steps show in skies.
  private static let quality: Int32 = 95
  /// A map is no larger than its picture.
  private static let largestByteCount = 64 << 20

  /// - Parameters:
  ///   - original: The unedited JPEG.
  ///   - limit: The offset at which its movie begins, or it ends.
  ///   - geometry: That of the edit; `nil` when the edit keeps the picture bit for bit.
  ///   - orientation: Of the original as stored.
  ///   - use: What the edit leaves true of it.
  /// - Returns: `nil` without one, and for one that can't be kept.
  /// - Throws: When the file can't be read.
  init?(
    of original: ReadableFile, upTo limit: UInt64, _ geometry: Geometry?, orientation: Int,
    _ use: ContentEditingOutput.GainMapUse
  ) throws(PhotoLibraryError) {
    guard use != .dropped else { return nil }
    guard let map = try original.parse({ file throws(FormatError) in try JPEGGainMap(file, upTo: limit) }),
      map.range.count <= Self.largestByteCount
    else { return nil }
    self.map = map
    let source = try original.data(at: map.range.lowerBound, count: map.range.count)
    guard let geometry else {
      jpeg = source
      return
    }
    guard let segments = try? JPEGSegments(parsing: source),
      let image = try? ScaledJPEG.decode(source, needed: segments.size, isWhole: true, path: original.path)
    else { return nil }
    let isGray = segments.hasOneComponent
    guard isGray || use == .kept,
      let moved = Self.moved(image.upright(orientation: orientation), by: geometry),
      let coded = ScaledJPEG.encode(moved, quality: Self.quality, hasFullColors: true, isGray: isGray),
      let parts = try? JPEGSegments(parsing: coded)
    else { return nil }
    let described = segments.segments.filter { segment in
      segment.kind == .xmp || segment.kind == .colorProfile
        || segments.bytes(segment.payload).starts(with: JPEGGainMap.isoIdentifier)
    }
    jpeg = parts.assemble(front: described.map { segments.bytes($0.range) })
  }

  /// - Returns: `nil` when it can't be rendered.
  private static func moved(_ image: DecodedImage, by geometry: Geometry) -> DecodedImage? {
    var recipe = AdjustmentRecipe()
    recipe.geometry = geometry
    guard !geometry.isNeutral, let processor = try? FrameProcessor(recipe) else {
      return geometry.isNeutral ? image : nil
    }
    let size = processor.outputSize(for: image.size)
    var isRendered = false
    let block = FrameBlock(count: 4 * size.area) { target in
      image.block.withUnsafeBytes { source in
        isRendered =
          (try? processor.render(
            PixelView(reading: source, size: image.size, stride: image.stride),
            into: PixelView(writing: target, size: size, stride: 4 * size.width),
            context: processor.context(.still, time: 0, fullSize: image.size), scratch: EffectScratch())) != nil
      }
    }
    return isRendered ? DecodedImage(size: size, stride: 4 * size.width, block: block) : nil
  }

  /// What tells of the map in its picture: Ultra HDR's description, ISO's mark.
  ///
  /// - Parameter xmp: The picture's packet.
  /// - Returns: The packet that tells of it, and the payload of the segment with the mark; `nil` when the packet has no room.
  /// - Throws: `FormatError.refused` when the packet can't be changed.
  func description(in xmp: Data?) throws(FormatError) -> (xmp: Data?, isoMark: Data?)? {
    guard map.isUltraHDR else { return (xmp, map.isoMark) }
    var packet = try XMPPacket([UInt8](xmp ?? Data(XMPPacket.empty)))
    try packet.setGainMap(length: jpeg.count)
    guard let bytes = try FurtherPictures.fitting(packet) else { return nil }
    return (bytes, map.isoMark)
  }
}
