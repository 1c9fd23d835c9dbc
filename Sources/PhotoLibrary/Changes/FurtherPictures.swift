// The pictures behind an edited one: its gain map, and the matte of the person in it.

import CameraCore
import Foundation
import Localization
import Logging
import MediaFormats
import PhotoEffects
import StillCodecs

/// The pictures that an edited picture's file has besides it, and what tells of them.
///
/// In a JPEG they follow the picture, the gain map first, then the matte, and then a live photo's movie. The index of
/// pictures names both; Ultra HDR's directory lists both, so that the lengths up to the movie add up; ISO's mark tells of the
/// map. In a HEIC the matte is an auxiliary picture.
struct FurtherPictures {
  /// A picture with the others.
  struct Attached {
    /// Up to the movie, which has to follow directly.
    var picture: Data
    /// Whether there was no room for the description of the gain map.
    var losesGainMap = false
  }

  private static let logger = Logger(label: "photome.library.metadata")
  /// As libjpeg counts: a matte's edges cut out hair.
  private static let matteQuality: Int32 = 90

  /// For a JPEG.
  var gainMap: EditedGainMap?
  /// Of the edited picture as it is stored, or smaller with the same aspect ratio. A matte of nobody isn't written, nor one in
  /// another format than JPEG and HEIC.
  var matte: Matte?

  /// - Parameter picture: Complete, up to its end; a movie is described already, and follows the result.
  /// - Throws: `unusableFile` when the picture is damaged.
  func attached(to picture: Data) throws(PhotoLibraryError) -> Attached {
    let matte = matte.flatMap { $0.presence > 0 ? $0 : nil }
    guard gainMap != nil || matte != nil else { return Attached(picture: picture) }
    switch PhotoAssembly.format(of: picture) {
    case .jpeg:
      do {
        return try attached(toJPEG: picture, matte.flatMap(Self.jpeg))
      } catch let error as FormatError {
        throw PhotoLibraryError(error, path: localized("The edited photo"))
      } catch let error as JPEGStreamError {
        throw .unusableFile(path: localized("The edited photo"), reason: error.description)
      } catch let error as PhotoLibraryError {
        throw error
      } catch {
        throw .unusableFile(path: localized("The edited photo"), reason: "\(error)")
      }
    case .heic: return Attached(picture: matte.flatMap { Self.heic(picture, with: $0) } ?? picture)
    default: return Attached(picture: picture)
    }
  }

  // MARK: JPEG

  private func attached(toJPEG picture: Data, _ matte: Data?) throws -> Attached {
    let segments = try JPEGSegments(parsing: picture)
    var xmp = segments.payload(of: .xmp).map { Data($0.dropFirst(MetadataRewriter.identifier.count)) }
    var result = Attached(picture: picture)
    var pictures: [Data] = []
    var front: [Data] = []
    if let gainMap {
      let described = try gainMap.description(in: xmp)
      result.losesGainMap = described == nil
      if let described {
        xmp = described.xmp
        pictures.append(gainMap.jpeg)
        let hasMark = segments.segments.contains {
          segments.bytes($0.payload).starts(with: JPEGGainMap.isoIdentifier)
        }
        if let mark = described.isoMark, !hasMark {
          front.append(try JPEGSegments.segment(marker: JPEGMarker.app2, payload: mark))
        }
      }
    }
    if let matte {
      let described = xmp.flatMap { Self.described($0, matteLength: matte.count) }
      if xmp == nil || described != nil {
        xmp = described
        pictures.append(matte)
      } else {
        Self.logger.notice("The matte of an edited photo is left out: its metadata have no room.")
      }
    }
    guard !pictures.isEmpty else { return result }
    let sizes = pictures.map(\.count)
    let index = MultiPictureIndex.block(sizes: [0] + sizes, distance: 0)
    front.append(try JPEGSegments.segment(marker: JPEGMarker.app2, payload: index))
    var whole = try PhotoAssembly.assemble(picture, exif: nil, xmp: xmp, others: front)
    guard let place = whole.range(of: index) else { throw XMPPacket.unsafeForm }
    // Offsets count from the byte order mark, behind the identifier.
    let distance = whole.count - place.lowerBound - MultiPictureIndex.identifierLength
    whole.replaceSubrange(place, with: MultiPictureIndex.block(sizes: [whole.count] + sizes, distance: distance))
    result.picture = pictures.reduce(whole, +)
    return result
  }

  /// The bytes of a packet, without padding where that gives it room; `nil` when it is too long for a segment.
  static func fitting(_ packet: XMPPacket) throws(FormatError) -> Data? {
    var packet = packet
    if packet.bytes.count > MetadataRewriter.largestPacket { try packet.removePadding() }
    return packet.bytes.count <= MetadataRewriter.largestPacket ? Data(packet.bytes) : nil
  }

  /// The packet of a picture with a matte behind it.
  ///
  /// - Returns: `nil` when it has no room, or a form that can't be changed.
  private static func described(_ xmp: Data, matteLength: Int) -> Data? {
    // Without a directory nothing has to be added, whatever form the packet has.
    guard xmp.range(of: Data(XMPNamespace.container.utf8)) != nil else { return xmp }
    guard var packet = try? XMPPacket([UInt8](xmp)), (try? packet.addPortraitMatte(length: matteLength)) != nil else {
      return nil
    }
    return (try? fitting(packet)) ?? nil
  }

  /// - Returns: `nil` without memory, or when the matte is too large for a JPEG.
  private static func jpeg(_ matte: Matte) -> Data? {
    let size = matte.size
    let block = FrameBlock(count: 4 * size.area) { target in
      matte.block.withUnsafeBytes { source in
        let pixels = target.bindMemory(to: UInt32.self)
        for index in pixels.indices { pixels[index] = UInt32(source[index]) &* 0x01_0101 }
      }
    }
    let image = DecodedImage(size: size, stride: 4 * size.width, block: block)
    let gray = ScaledJPEG.encode(image, quality: matteQuality, hasFullColors: false, isGray: true)
    return gray.flatMap { try? JPEGPortraitMatte.described($0) }
  }

  // MARK: HEIC

  /// - Returns: `nil` when the matte can't be written: the picture is worth more.
  private static func heic(_ picture: Data, with matte: Matte) -> Data? {
    do {
      let coded = DataSource(try StillCodecs.encode(matte, as: .heic), name: localized("The edited photo"))
      let source = DataSource(picture, name: localized("The edited photo"))
      return try HEIFCopy.pieces(of: source, portraitMatte: coded).joined()
    } catch {
      logger.notice("The matte of an edited photo is left out: \(error).")
      return nil
    }
  }
}
