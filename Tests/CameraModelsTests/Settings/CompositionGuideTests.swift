// The lines of the composition guides.

import CameraModels
import Foundation
import Testing

@Suite struct CompositionGuideTests {
  @Test(arguments: CompositionGuide.allCases, [(1920.0, 1080.0), (480, 640), (500, 500)])
  func areSymmetricAndWithinThePicture(guide: CompositionGuide, size: (Double, Double)) {
    let lines = guide.lines(width: size.0, height: size.1)
    #expect(lines.isEmpty == (guide == .off))
    for line in lines {
      #expect((0...size.0).contains(line.startX) && (0...size.1).contains(line.endY))
      #expect(line.startX == line.endX || line.startY == line.endY)
      // The picture may be mirrored: the line has a twin.
      let hasTwin = lines.contains {
        abs($0.startX - (size.0 - line.endX)) < 1e-9 && abs($0.startY - line.startY) < 1e-9
      }
      #expect(hasTwin)
    }
  }

  @Test func theSquareIsAsHighAsAWidePicture() {
    let lines = CompositionGuide.square.lines(width: 1600, height: 900)
    #expect(lines.map(\.startX) == [350, 1250])
    let high = CompositionGuide.square.lines(width: 900, height: 1600)
    #expect(high.map(\.startY) == [350, 1250])
  }

  @Test func areKeptAndUnknownOnesAreOff() throws {
    var settings = AppSettings()
    settings.capture.guides = .thirds
    settings.capture.flash = .auto
    #expect(try JSONDecoder().decode(AppSettings.self, from: JSONEncoder().encode(settings)) == settings)
    let json = Data(#"{"capture": {"guides": "spiral", "flash": "nuclear"}}"#.utf8)
    let read = try JSONDecoder().decode(AppSettings.self, from: json).capture
    #expect(read.guides == .off && read.flash == .off)
  }
}
