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

  // MARK: The file

  /// A picture with the map behind it, and with what tells of it: the index of pictures, Ultra HDR's description, ISO's
  /// mark.
  ///
  /// - Parameter picture: A JPEG up to its end; a movie is described already, and follows the result.
  /// - Returns: `nil` when the picture has no room for the description.
  /// - Throws: `unusableFile` when the picture is damaged.
  func attached(to picture: Data) throws(PhotoLibraryError) -> Data? {
    do {
      let segments = try JPEGSegments(parsing: picture)
      let identifier = MetadataRewriter.identifier
      var xmp = segments.payload(of: .xmp).map { Data($0.dropFirst(identifier.count)) }
      if map.isUltraHDR {
        var packet = try XMPPacket([UInt8](xmp ?? Data(XMPPacket.empty)))
        try packet.setGainMap(length: jpeg.count)
        if packet.bytes.count > MetadataRewriter.largestPacket { try packet.removePadding() }
        guard packet.bytes.count <= MetadataRewriter.largestPacket else { return nil }
        xmp = Data(packet.bytes)
      }
      var others: [Data] = []
      let hasMark = segments.segments.contains {
        segments.bytes($0.payload).starts(with: JPEGGainMap.isoIdentifier)
      }
      if let mark = map.isoMark, !hasMark {
        others.append(try JPEGSegments.segment(marker: JPEGMarker.app2, payload: mark))
      }
      let index = MultiPictureIndex.block(sizes: [0, 0], distance: 0)
      others.append(try JPEGSegments.segment(marker: JPEGMarker.app2, payload: index))
      var result = try PhotoAssembly.assemble(picture, exif: nil, xmp: xmp, others: others)
      guard let place = result.range(of: index) else { return nil }
      // Offsets count from the byte order mark, behind the identifier.
      let distance = result.count - place.lowerBound - MultiPictureIndex.identifierLength
      result.replaceSubrange(
        place, with: MultiPictureIndex.block(sizes: [result.count, jpeg.count], distance: distance))
      return result + jpeg
    } catch let error as FormatError {
      throw PhotoLibraryError(error, path: localized("The edited photo"))
    } catch let error as JPEGStreamError {
      throw .unusableFile(path: localized("The edited photo"), reason: error.description)
    } catch let error as PhotoLibraryError {
      throw error
    } catch {
      throw .unusableFile(path: localized("The edited photo"), reason: "\(error)")
    }
  }
}
