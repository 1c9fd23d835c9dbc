// The description of a person's matte that follows a picture: the matte's own packet, and the directory in the picture's.

import Foundation
import Localization

extension XMPPacket {
  /// The type of an auxiliary picture that is a portrait effects matte, as Apple names it.
  public static let portraitMatteType = "urn:com:apple:photo:2018:aux:portraiteffectsmatte"
  /// The matte's item in a container's directory. There is no standard name; readers pass over those that they don't know.
  static let portraitMatteSemantic = "PortraitEffectsMatte"

  /// The packet of a matte, property for property as Apple's phones write it. Apple's namespace is spelled in camel case,
  /// and a matte is a kind of depth data there. Programs go by the namespace.
  ///
  /// Sources: AOSP, external/image_io, `jpeg_xmp_info.h` (`kXmpAppleMatteId`), and its `JpegInfoBuilder`, which looks for
  /// the namespace in the packets behind the first picture; 21Z121Z1/XDRemux, `portrait_matte_xmp`, for the properties;
  /// ExifTool's `XMP.pm` for the namespace `apdi`.
  public static let portraitMatte: [UInt8] = {
    // The four characters L008, gray with 8 bits, as a number.
    let gray = "1278226488"
    return Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(rdf)"><rdf:Description rdf:about="" \
      xmlns:apdi="\(XMPNamespace.pixelDataInfo)" xmlns:portraitEffectsMatte="\(XMPNamespace.portraitMatte)">\
      <apdi:AuxiliaryImageType>depth</apdi:AuxiliaryImageType>\
      <apdi:AuxiliaryImageSubType>portraiteffectsmatte</apdi:AuxiliaryImageSubType>\
      <apdi:NativeFormat>\(gray)</apdi:NativeFormat><apdi:StoredFormat>\(gray)</apdi:StoredFormat>\
      <portraitEffectsMatte:PortraitEffectsMatteVersion>65537</portraitEffectsMatte:PortraitEffectsMatteVersion>\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """.utf8)
  }()

  /// Whether a packet describes a matte, by Apple's namespace or by the type's name.
  static func describesPortraitMatte(_ packet: Data) -> Bool {
    [XMPNamespace.portraitMatte, portraitMatteType].contains { packet.range(of: Data($0.utf8)) != nil }
  }

  /// Lists a matte in the directory of a packet that has one, behind the gain map and before the movie, so that the
  /// lengths add up. A packet without a directory stays as it is: the index of pictures tells of the matte.
  ///
  /// - Parameter length: Of the matte's JPEG, in bytes.
  /// - Throws: `FormatError.refused` when the packet has a form that can't be changed safely.
  public mutating func addPortraitMatte(length: Int) throws(FormatError) {
    var entry = try directoryEntry("GainMap")
    if entry == nil { entry = try directoryEntry("Primary") }
    guard let last = entry else { return }
    let text = try directoryEntry(Self.portraitMatteSemantic, length: length, at: last.list)
    try replace(last.entry.range.upperBound..<last.entry.range.upperBound, with: text)
  }
}
