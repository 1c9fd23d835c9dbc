// Regions that move with the pixels, and packets that become those of live photos.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct RegionTests {
  private let size = PixelSize(width: 400, height: 300)

  private func packet(_ content: String, _ attributes: String = "") throws -> XMPPacket {
    let namespaces = [
      ("mwg-rs", "http://www.metadataworkinggroup.com/schemas/regions/"),
      ("stArea", "http://ns.adobe.com/xmp/sType/Area#"), ("stDim", "http://ns.adobe.com/xap/1.0/sType/Dimensions#"),
      ("MP", "http://ns.microsoft.com/photo/1.2/"), ("MPRI", "http://ns.microsoft.com/photo/1.2/t/RegionInfo#"),
      ("MPReg", "http://ns.microsoft.com/photo/1.2/t/Region#"),
      ("ext", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"), ("xmp", "http://ns.adobe.com/xap/1.0/"),
    ].map { " xmlns:\($0.0)=\"\($0.1)\"" }.joined()
    return try XMPPacket(
      Array(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about=""\(namespaces)\(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
        """.utf8))
  }

  private func text(_ packet: XMPPacket) -> String { String(decoding: packet.bytes, as: UTF8.self) }

  /// In the three forms of RDF.
  private static func regions(_ form: Int, x: Double = 0.2, y: Double = 0.3) -> String {
    let area = #"stArea:x="\#(x)" stArea:y="\#(y)" stArea:w="0.1" stArea:h="0.2""#
    let fields = [("x", x), ("y", y), ("w", 0.1), ("h", 0.2)]
      .map { "<stArea:\($0.0)>\($0.1)</stArea:\($0.0)>" }.joined()
    let list =
      switch form {
      case 0:
        #"<rdf:li><rdf:Description mwg-rs:Name="A"><mwg-rs:Area \#(area) stArea:unit="normalized"/>"#
          + "</rdf:Description></rdf:li>"
      case 1:
        #"<rdf:li rdf:parseType="Resource"><mwg-rs:Area rdf:parseType="Resource">\#(fields)</mwg-rs:Area>"#
          + "<mwg-rs:Name>A</mwg-rs:Name></rdf:li>"
      default:
        #"<rdf:li rdf:parseType="Resource"><mwg-rs:Area><rdf:Description \#(area)/></mwg-rs:Area></rdf:li>"#
      }
    return """
      <mwg-rs:Regions rdf:parseType="Resource">\
      <mwg-rs:AppliedToDimensions stDim:w="400" stDim:h="300" stDim:unit="pixel"/>\
      <mwg-rs:RegionList><rdf:Bag>\(list)</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>
      """
  }

  private func area(_ packet: XMPPacket) throws -> [Double] {
    try ["x", "y", "w", "h"].map { field in
      let text = text(packet)
      let match = try #require(
        text.firstMatch(of: try Regex<(Substring, Substring)>("stArea:\(field)(?:=[\"']|>)([-0-9.e]+)")))
      return try #require(Double(match.output.1))
    }
  }

  /// The left upper quarter of the picture becomes the whole.
  private let crop = PicturePlacement(origin: SIMD2(0, 0), right: SIMD2(2, 0), down: SIMD2(0, 2))

  @Test(arguments: 0...2) func areasMoveInEveryForm(form: Int) throws {
    var new = try packet(Self.regions(form))
    try new.moveRegions(crop, to: PixelSize(width: 200, height: 150))
    #expect(try area(new) == [0.4, 0.6, 0.2, 0.4])
    #expect(text(new).contains(#"stDim:w="200" stDim:h="150""#))
    // Turned by a quarter: up is right.
    var turned = try packet(Self.regions(form))
    try turned.moveRegions(PicturePlacement(uprightFrom: 6), to: PixelSize(width: 300, height: 400))
    #expect(try area(turned) == [0.7, 0.2, 0.2, 0.1])
    // Nothing has moved: not a byte is different.
    let old = try packet(Self.regions(form))
    var same = old
    try same.moveRegions(.same, to: size)
    #expect(same.bytes == old.bytes)
  }

  @Test(arguments: 0...2) func whatIsCutOffIsLeftOut(form: Int) throws {
    // Its middle is inside, its edge isn't.
    var clipped = try packet(Self.regions(form, x: 0.48, y: 0.1))
    try clipped.moveRegions(crop, to: size)
    #expect(try area(clipped) == [0.93, 0.2, 0.14, 0.4])
    var gone = try packet("<xmp:Nickname>n</xmp:Nickname>" + Self.regions(form, x: 0.6))
    try gone.moveRegions(crop, to: size)
    #expect(!text(gone).contains("<mwg-rs") && text(gone).contains("Nickname"))
    var unknown = try packet("<xmp:Nickname>n</xmp:Nickname>" + Self.regions(form))
    try unknown.moveRegions(nil, to: size)
    #expect(!text(unknown).contains("<mwg-rs") && text(unknown).contains("Nickname"))
  }

  @Test func microsoftsRegionsMoveToo() throws {
    let list = #"<rdf:li MPReg:PersonDisplayName="A" MPReg:Rectangle="0.1, 0.2, 0.2, 0.1"/>"#
    let nameless = #"<rdf:li MPReg:PersonDisplayName="B"/>"#
    let broken = #"<rdf:li MPReg:Rectangle="0.1, 0.2"/>"#
    let far = #"<rdf:li rdf:parseType="Resource"><MPReg:Rectangle>0.8,0.8,0.1,0.1</MPReg:Rectangle></rdf:li>"#
    var new = try packet(
      """
      <MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions>\
      <rdf:Bag>\(list)\(nameless)\(broken)\(far)</rdf:Bag></MPRI:Regions>\
      </MP:RegionInfo><ext:ImageRegion><rdf:Bag/></ext:ImageRegion>
      """)
    try new.moveRegions(crop, to: size)
    #expect(text(new).contains(#"Rectangle="0.2, 0.4, 0.4, 0.2""#))
    #expect(text(new).contains(nameless) && !text(new).contains("0.8") && !text(new).contains("0.1, 0.2"))
    #expect(!text(new).contains("<ext:"))
  }

  @Test func regionsMoveBetweenPackets() throws {
    let source = try packet(Self.regions(0))
    var target = try XMPPacket(XMPPacket.empty)
    try target.takeRegions(from: source)
    #expect(target.regions == source.regions && target.regions.count == 1)
    try target.moveRegions(crop, to: size)
    #expect(try area(target) == [0.4, 0.6, 0.2, 0.4])
    try target.takeRegions(from: source)
    #expect(target.regions == source.regions)
    try target.removeRegions()
    #expect(target.regions.isEmpty && !target.hasProperties)
  }

  @Test func placementsCombineAndGoBack() throws {
    for orientation in 1...8 {
      let upright = PicturePlacement(uprightFrom: orientation)
      let back = try #require(upright.inverse)
      for point in [SIMD2(0.0, 0), SIMD2(1, 0.25), SIMD2(0.5, 0.75)] {
        #expect(back(upright(point)) == point)
        #expect(upright.then(crop)(point) == crop(upright(point)))
      }
      #expect(PicturePlacement(upright.numbers) == upright)
    }
    #expect(PicturePlacement(origin: SIMD2(0, 0), right: SIMD2(1, 1), down: SIMD2(2, 2)).inverse == nil)
    #expect(PicturePlacement([1, 2, 3]) == nil && PicturePlacement([1, 2, 3, 4, 5, .infinity]) == nil)
  }

  // MARK: The movie's description among others

  @Test func aPacketOfSeveralDescriptionsBecomesThatOfALivePhoto() throws {
    let text = """
      <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
       <r:Description r:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="3"/>
       <r:Description r:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="a &amp; b">
        <dc:subject><r:Bag><r:li>sea</r:li></r:Bag></dc:subject>
       </r:Description>
       <r:Description xmlns:m="http://www.metadataworkinggroup.com/schemas/regions/">
        <m:Regions><r:Description><m:RegionList><r:Bag>
         <r:li><r:Description m:Name="A"><m:Type>Face</m:Type></r:Description></r:li>
        </r:Bag></m:RegionList></r:Description></m:Regions>
       </r:Description>
      </r:RDF></x:xmpmeta>
      <?xpacket end="w"?>
      """
    var packet = try XMPPacket(Array(text.utf8))
    try packet.setMovie(length: 1234, presentationTime: 5_000)
    let new = self.text(packet)
    // Android takes a description without the mark for the end of the search.
    #expect(new.matches(of: /<r:Description/).count == 1)
    #expect(packet.standardMetadata == StandardMetadata(rating: 3, subjects: ["sea"]))
    #expect(new.contains(">a &amp; b</dc:format>") && new.contains("<m:Name") && new.contains("Face"))
    let movie = try #require(MotionPhotoDescription(xmp: Data(packet.bytes)))
    #expect(movie.isMotionPhoto && movie.movieLength == 1234 && movie.presentationTime == 5_000)
    #expect(movie.items.map(\.semantic) == ["Primary", "MotionPhoto"])
    // Again with another movie; and without.
    try packet.setMovie(length: 99, presentationTime: nil)
    #expect(MotionPhotoDescription(xmp: Data(packet.bytes))?.movieLength == 99)
    #expect(self.text(packet).matches(of: /MotionPhoto="1"/).count == 1)
    try packet.removeMovie()
    #expect(packet.standardMetadata == StandardMetadata(rating: 3, subjects: ["sea"]))
  }

  @Test func packetsInUnknownFormsAreRefused() throws {
    let taken = try packet("", #" xmlns:GCamera="urn:something""#)
    let two = try packet("<xmp:a><rdf:Description/><rdf:Description/></xmp:a>")
    for old in [taken, two] {
      var new = old
      #expect(throws: FormatError.self) { try new.setMovie(length: 1, presentationTime: nil) }
    }
  }

  /// Packets with bytes changed, cut out and put in: every answer but a crash or a broken packet will do.
  @Test func brokenPacketsBreakNothing() throws {
    var numbers = SeededNumbers.fresh()
    let source = try packet(Self.regions(0) + Self.regions(1), #" xmp:Rating="3""#).bytes
    var moved = 0
    for _ in 0..<600 {
      var bytes = source
      let at = Int.random(in: 0..<bytes.count, using: &numbers)
      switch Int.random(in: 0..<3, using: &numbers) {
      case 0: bytes[at] = Array("<>/\"'=&; .9".utf8).randomElement(using: &numbers) ?? 0
      case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &numbers)))
      default: bytes.insert(contentsOf: bytes[0..<min(20, bytes.count)], at: at)
      }
      guard var packet = try? XMPPacket(bytes) else { continue }
      do throws(FormatError) {
        try packet.moveRegions(crop, to: size)
        try packet.setMovie(length: 5, presentationTime: 1)
        moved += 1
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
    #expect(moved > 20)
  }

  @Test("Sizes that no region has leave it out", arguments: ["-1e300", "-0.1", "nan", "-inf", "1e400"])
  func absurdSizes(size: String) throws {
    let area = "<mwg-rs:Area stArea:x='0.2' stArea:y='0.3' stArea:w='\(size)' stArea:h='0.1'/>"
    var new = try packet(list("<rdf:li rdf:parseType='Resource'>\(area)</rdf:li>"))
    try new.moveRegions(crop, to: PixelSize(width: 200, height: 150))
    #expect(!text(new).contains(size))
  }

  @Test("Regions within a region that is cut off go with it, however long their numbers are")
  func nestedRegions() throws {
    let number = "0." + String(repeating: "5", count: 900)
    let inner = "<mwg-rs:Area stArea:x='\(number)' stArea:y='\(number)' stArea:w='0.2' stArea:h='0.2'/>"
    let nested = "<rdf:Bag><rdf:li rdf:parseType='Resource'>\(inner)</rdf:li></rdf:Bag>"
    let outer = "<mwg-rs:Area stArea:x='0.9' stArea:y='0.01' stArea:w='0.1' stArea:h='0.1'/>"
    let kept = "<mwg-rs:Area stArea:x='0.1' stArea:y='0.1' stArea:w='0.1' stArea:h='0.1'/>"
    var new = try packet(
      list(
        "<rdf:li rdf:parseType='Resource'>\(outer)<mwg-rs:More>\(nested)</mwg-rs:More></rdf:li>"
          + "<rdf:li rdf:parseType='Resource'>\(kept)</rdf:li>"))
    try new.moveRegions(crop, to: PixelSize(width: 200, height: 150))
    #expect(try area(new) == [0.2, 0.2, 0.2, 0.2])
    #expect(!text(new).contains("555"))
  }

  private func list(_ items: String) -> String {
    "<mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:RegionList><rdf:Bag>\(items)</rdf:Bag></mwg-rs:RegionList>"
      + "</mwg-rs:Regions>"
  }
}
