// XMP packets of edited pictures and movies: regions under crop and turn, and the packets of movies.

import CameraCore
import Foundation
import MediaFormats

extension FuzzedParser {
  static let ofRegions = [
    FuzzedParser(name: "regions", seeds: Seeds.regions, words: Words.regions) { try checkRegions(in: $0) },
    FuzzedParser(name: "movie-packets", seeds: Seeds.moviePackets, words: Words.boxes + ["XMP_", "uuid", "udta"]) {
      let file = FuzzedBytes($0)
      let packets = try MoviePackets(file, range: 0..<file.count)
      precondition(packets.all.allSatisfy { $0.upperBound <= file.count }, "a packet beyond the file")
      for var packet in try packets.parsed(file) { try packet.removeTrackProperties() }
    },
  ]

  /// Turned, flipped, cropped, and what no edit makes.
  private static let placements: [PicturePlacement?] =
    [1, 3, 6, 7].map { PicturePlacement(uprightFrom: $0) } + [
      PicturePlacement(origin: SIMD2(-0.5, -0.2), right: SIMD2(2, 0), down: SIMD2(0, 1.25)),
      PicturePlacement(origin: SIMD2(0.1, -0.1), right: SIMD2(0.9, 0.3), down: SIMD2(-0.3, 0.9)),
      PicturePlacement(origin: SIMD2(0, 0), right: SIMD2(1e300, 1e-300), down: SIMD2(-1e300, 0)), nil,
    ]

  /// Regions that were moved are regions of the new picture, and a packet without them has none.
  private static func checkRegions(in bytes: Data) throws {
    let packet = try XMPPacket(anyEncoding: [UInt8](bytes))
    for placement in placements {
      var moved = packet
      guard (try? moved.moveRegions(placement, to: PixelSize(width: 400, height: 300))) != nil else { continue }
      guard (try? XMPPacket(moved.bytes)) != nil else { preconditionFailure("no packet any more") }
      precondition(placement != nil || moved.regions.isEmpty, "a region of nowhere")
      var taken = packet
      guard (try? taken.takeRegions(from: moved)) != nil else { continue }
      precondition(taken.regions.count <= moved.regions.count, "a region of another packet")
    }
  }
}

extension Seeds {
  private static let areas = """
    <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description r:about="" \
    xmlns:g="http://www.metadataworkinggroup.com/schemas/regions/" xmlns:a="http://ns.adobe.com/xmp/sType/Area#" \
    xmlns:d="http://ns.adobe.com/xap/1.0/sType/Dimensions#" xmlns:m="http://ns.microsoft.com/photo/1.2/" \
    xmlns:i="http://ns.microsoft.com/photo/1.2/t/RegionInfo#" xmlns:t="http://ns.microsoft.com/photo/1.2/t/Region#">\
    <g:Regions r:parseType="Resource"><g:AppliedToDimensions d:w="4" d:h="3" d:unit="pixel"/><g:RegionList><r:Bag>\
    <r:li><r:Description g:Name="A"><g:Area a:x="0.2" a:y="0.3" a:w="0.1" a:h="0.2" a:unit="normalized"/>\
    </r:Description></r:li><r:li r:parseType="Resource"><g:Area r:parseType="Resource"><a:x>0.5</a:x><a:y>0.5</a:y>\
    <a:w>0.1</a:w><a:h>0.2</a:h></g:Area></r:li></r:Bag></g:RegionList></g:Regions>\
    <m:RegionInfo r:parseType="Resource"><i:Regions><r:Bag><r:li t:Rectangle="0.1, 0.2, 0.3, 0.4"/></r:Bag></i:Regions>\
    </m:RegionInfo></r:Description></r:RDF>
    """

  static func regions() -> [Data] {
    [Data(areas.utf8), areas.data(using: .utf16LittleEndian), areas.data(using: .utf16BigEndian)].compactMap(\.self)
  }

  /// Movies with packets at the top level and in the user data.
  static func moviePackets() -> [Data] {
    typealias W = ByteWriter
    let packet = Array(areas.utf8)
    let file = W.box("ftyp", Array("isom".utf8), W.zeros(4), Array("mp42".utf8))
    return [
      Data(file + W.box("moov", W.box("udta", W.box("XMP_", packet))) + W.box("uuid", MoviePackets.userType, packet))
    ]
  }
}

extension Words {
  static let regions = [
    "http://www.metadataworkinggroup.com/schemas/regions/", "http://ns.adobe.com/xmp/sType/Area#", "rdf:li", "a:x=\"",
    "t:Rectangle", "-1e300", "1e308", "nan", "inf", "0.5", "<r:li>", "</r:li>", "<r:Bag>", "</r:Bag>", "xmlns:", "&#x",
  ]
}
