// A JPEG with everything that other programs write into one.

import CameraCore
import Foundation
import MediaFormats

@testable import PhotoLibrary

/// A Display P3 picture with digiKam's tags and regions, IPTC, previews of its old pixels, and an unknown maker note.
struct TaggedPicture {
  /// As stored, before the orientation is applied.
  var size = PixelSize(width: 320, height: 180)
  var orientation = 1
  var rating: Int?
  var keywords = ["sea", "Bern"]
  var hasMakerNote = true
  /// An unknown maker's note, which nothing may change.
  static let makerNote = Array("Nobody's note".utf8) + [0, 1, 2, 254, 255]
  /// In the IPTC block.
  static let caption = "Grüezi from IPTC"
  static let description = "Described by digiKam"
  /// Occurs in every preview of the old pixels.
  static let oldPixels = "OLD-PIXELS-PREVIEW"

  /// A rectangle in parts of the stored picture: its middle and its size.
  static let region = (x: 0.25, y: 0.3, width: 0.2, height: 0.1)

  func data() throws -> Data {
    let picture = try JPEGSegments(parsing: Samples.jpeg(width: size.width, height: size.height))
    return try picture.removing([.jfif]).assemble(front: [
      JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif()),
      JPEGSegments.segment(
        marker: JPEGMarker.app1, payload: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(packet.utf8)),
      JPEGSegments.segment(marker: 0xed, payload: Self.photoshop),
      JPEGSegments.segment(marker: JPEGMarker.app2, payload: Data("ICC_PROFILE\0".utf8 + [1, 1]) + Self.displayP3),
      JPEGSegments.segment(marker: JPEGMarker.comment, payload: Data("A comment".utf8)),
    ])
  }

  private func exif() throws -> Data {
    try MetadataToolkit.locked { () throws(PhotoLibraryError) in
      let editor = try MetadataEditor()
      try editor.set("Exif.Image.ImageDescription", "Described in EXIF")
      try editor.set("Exif.Image.Artist", "Ada")
      try editor.set("Exif.Image.Make", "Nobody")
      try editor.set("Exif.Image.Orientation", String(orientation))
      for axis in ["X", "Y"] { try editor.set("Exif.Image.\(axis)Resolution", "72/1") }
      try editor.set("Exif.Image.ResolutionUnit", "2")
      try editor.set("Exif.Image.YCbCrPositioning", "1")
      try editor.set("Exif.Photo.ExifVersion", "48 50 51 50")
      try editor.set("Exif.Photo.DateTimeOriginal", "2020:05:06 07:08:09")
      try editor.set("Exif.Photo.ComponentsConfiguration", "1 2 3 0")
      try editor.set("Exif.Photo.FlashpixVersion", "48 49 48 48")
      try editor.set("Exif.Photo.ColorSpace", "65535")
      try editor.set("Exif.Photo.PixelXDimension", String(size.width))
      try editor.set("Exif.Photo.PixelYDimension", String(size.height))
      guard hasMakerNote else { return try editor.exifData() }
      try editor.set("Exif.Photo.MakerNote", Self.makerNote.map(String.init).joined(separator: " "))
      return try editor.exifData()
    }
  }

  private func number(_ value: Double) -> String { String(value) }

  /// In the forms of digiKam's toolkit: regions of the Metadata Working Group, and Microsoft's.
  private var packet: String {
    let region = Self.region
    let (left, top) = (region.x - region.width / 2, region.y - region.height / 2)
    return """
      <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
       <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about=""
          xmlns:digiKam="http://www.digikam.org/ns/1.0/"
          xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
          xmlns:dc="http://purl.org/dc/elements/1.1/"
          xmlns:lr="http://ns.adobe.com/lightroom/1.0/"
          xmlns:xmp="http://ns.adobe.com/xap/1.0/"
          xmlns:xmpGImg="http://ns.adobe.com/xap/1.0/g/img/"
          xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"
          xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#"
          xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"
          xmlns:MP="http://ns.microsoft.com/photo/1.2/"
          xmlns:MPRI="http://ns.microsoft.com/photo/1.2/t/RegionInfo#"
          xmlns:MPReg="http://ns.microsoft.com/photo/1.2/t/Region#"
         digiKam:ColorLabel="2"
         tiff:Orientation="\(orientation)"\(rating.map { "\n   xmp:Rating=\"\($0)\"" } ?? "")>
         <digiKam:TagsList>
          <rdf:Seq>
           <rdf:li>Places/Bern</rdf:li>
          </rdf:Seq>
         </digiKam:TagsList>
         <lr:hierarchicalSubject>
          <rdf:Bag>
           <rdf:li>Places|Bern</rdf:li>
          </rdf:Bag>
         </lr:hierarchicalSubject>
         <dc:description>
          <rdf:Alt>
           <rdf:li xml:lang="x-default">\(Self.description)</rdf:li>
          </rdf:Alt>
         </dc:description>
         <dc:subject>
          <rdf:Bag>
      \(keywords.map { "     <rdf:li>\($0)</rdf:li>" }.joined(separator: "\n"))
          </rdf:Bag>
         </dc:subject>
         <xmp:Thumbnails>
          <rdf:Alt>
           <rdf:li rdf:parseType="Resource"><xmpGImg:image>\(Self.oldPixels)</xmpGImg:image></rdf:li>
          </rdf:Alt>
         </xmp:Thumbnails>
         <mwg-rs:Regions rdf:parseType="Resource">
          <mwg-rs:AppliedToDimensions stDim:w="\(size.width)" stDim:h="\(size.height)" stDim:unit="pixel"/>
          <mwg-rs:RegionList>
           <rdf:Bag>
            <rdf:li>
             <rdf:Description mwg-rs:Name="Ada" mwg-rs:Type="Face">
              <mwg-rs:Area stArea:x="\(number(region.x))" stArea:y="\(number(region.y))" stArea:w="\(number(region.width))"
                stArea:h="\(number(region.height))" stArea:unit="normalized"/>
             </rdf:Description>
            </rdf:li>
           </rdf:Bag>
          </mwg-rs:RegionList>
         </mwg-rs:Regions>
         <MP:RegionInfo rdf:parseType="Resource">
          <MPRI:Regions>
           <rdf:Bag>
            <rdf:li MPReg:PersonDisplayName="Ada"
              MPReg:Rectangle="\(number(left)), \(number(top)), \(number(region.width)), \(number(region.height))"/>
           </rdf:Bag>
          </MPRI:Regions>
         </MP:RegionInfo>
        </rdf:Description>
       </rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="w"?>
      """
  }

  /// A Photoshop block: IPTC with a caption, and a thumbnail of the old pixels.
  private static let photoshop: Data = {
    func half(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
    func resource(_ id: Int, _ bytes: [UInt8]) -> [UInt8] {
      // Its name is empty; everything has an even length.
      Array("8BIM".utf8) + half(id) + [0, 0] + half(0) + half(bytes.count) + bytes + (bytes.count % 2 == 1 ? [0] : [])
    }
    func set(_ record: UInt8, _ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [0x1c, record, number] + half(bytes.count) + bytes
    }
    let iptc =
      set(1, 90, [0x1b, 0x25, 0x47]) + set(2, 0, [0, 4]) + set(2, 25, Array("sea".utf8))
      + set(2, 25, Array("Bern".utf8))
      + set(2, 120, Array(caption.utf8))
    return Data(
      Array("Photoshop 3.0\0".utf8) + resource(0x0404, iptc) + resource(0x040c, Array(oldPixels.utf8))
        + resource(0x03f3, Array("flags".utf8)))
  }()

  /// A small ICC profile of version 2: Display P3's primaries, adapted to D50, with a gamma of 2.2.
  ///
  /// Source: ICC.1:2001-04, sections 6 and 7.
  static let displayP3: Data = {
    func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) } }
    func fixed(_ value: Double) -> [UInt8] { word(UInt32(bitPattern: Int32((value * 65536).rounded()))) }
    func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
      Array("XYZ ".utf8) + word(0) + fixed(x) + fixed(y) + fixed(z)
    }
    let name = Array("Display P3".utf8) + [0]
    let description =
      Array("desc".utf8) + word(0) + word(UInt32(name.count)) + name + [UInt8](repeating: 0, count: 8 + 3 + 67)
    let curve = Array("curv".utf8) + word(0) + word(1) + [2, 51]
    let tags: [(String, [UInt8])] = [
      ("desc", description), ("cprt", Array("text".utf8) + word(0) + Array("None".utf8) + [0]),
      ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.5151, 0.2412, -0.0011)), ("gXYZ", xyz(0.2920, 0.6922, 0.0419)),
      ("bXYZ", xyz(0.1571, 0.0666, 0.7841)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var table = word(UInt32(tags.count))
    var bytes: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (tag, value) in tags {
      table += Array(tag.utf8) + word(UInt32(start + bytes.count)) + word(UInt32(value.count))
      bytes += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }
    var head = word(UInt32(start + bytes.count)) + word(0) + word(0x0210_0000) + Array("mntrRGB XYZ ".utf8)
    head += [0x07, 0xe4, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
    head += fixed(0.9642) + fixed(1) + fixed(0.8249) + [UInt8](repeating: 0, count: 48)
    return Data(head + table + bytes)
  }()
}

/// The parts of a JPEG's metadata that a test asks for.
struct ReadMetadata {
  var packet = ""
  var profile: Data?
  var photoshop: Data?
  var comment: String?
  var makerNote: [UInt8]?
  var description: String?
  var orientation: String?
  var all: Data

  init(_ url: URL) throws {
    all = try Data(contentsOf: url)
    let segments = try JPEGSegments(parsing: all)
    packet = String(decoding: segments.payload(of: .xmp)?.dropFirst(29) ?? Data(), as: UTF8.self)
    profile = segments.payload(of: .colorProfile).map { Data($0.dropFirst(14)) }
    photoshop = segments.segments.first { $0.marker == 0xed }.map { all[$0.payload] }
    comment = segments.payload(of: .comment).map { String(decoding: $0, as: UTF8.self) }
    if let exif = segments.payload(of: .exif).map({ Data($0.dropFirst(6)) }) {
      let editor = try MetadataEditor(exif: exif)
      makerNote = editor.string("Exif.Photo.MakerNote")?.split(separator: " ").compactMap { UInt8($0) }
      description = editor.string("Exif.Image.ImageDescription")
      orientation = editor.string("Exif.Image.Orientation")
    }
  }

  func holds(_ text: String) -> Bool { all.range(of: Data(text.utf8)) != nil }
}
