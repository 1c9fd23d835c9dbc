// Sheets of several pictures: where each is, and that nothing but white is around them.

import CameraCore
import PhotoEffects
import Testing

@Suite struct PhotoSheetTests {
  private func picture(_ size: PixelSize, _ shade: UInt8, padding: Int = 0) -> DecodedImage {
    let stride = size.width * 4 + padding
    return DecodedImage(
      size: size, stride: stride,
      block: FrameBlock(count: stride * size.height) { $0.initializeMemory(as: UInt8.self, repeating: shade) })
  }

  private func shades(_ image: DecodedImage) -> [[UInt8]] {
    image.block.withUnsafeBytes { bytes in
      (0..<image.size.height).map { y in (0..<image.size.width).map { bytes[y * image.stride + $0 * 4 + 1] } }
    }
  }

  @Test(arguments: [
    (SheetLayout.grid, PixelSize(width: 1280, height: 720), PixelSize(width: 2650, height: 1530)),
    (.strip, PixelSize(width: 1280, height: 720), PixelSize(width: 1340, height: 3030)),
    (.grid, PixelSize(width: 3840, height: 2160), PixelSize(width: 3975, height: 2295)),
    (.strip, PixelSize(width: 8, height: 6), PixelSize(width: 12, height: 34)),
    (.grid, PixelSize(width: 1, height: 1), PixelSize(width: 8, height: 8)),
  ])
  func theSizeIsThatOfThePicturesAndTheEdges(layout: SheetLayout, picture: PixelSize, size: PixelSize) {
    #expect(PhotoSheet(layout, of: picture, count: 4).size == size)
  }

  @Test(arguments: SheetLayout.allCases) func eachPictureIsInItsPlaceInReadingOrder(layout: SheetLayout) {
    let sheet = PhotoSheet(layout, of: PixelSize(width: 50, height: 30), count: 4)
    let drawn = shades(sheet.drawn((0..<4).map { picture(sheet.cell, UInt8(10 + $0), padding: 12) }))
    var expected = [[UInt8]](
      repeating: [UInt8](repeating: 255, count: sheet.size.width), count: sheet.size.height)
    for index in 0..<4 {
      let (left, top) = layout == .grid ? (2 + index % 2 * 52, 2 + index / 2 * 32) : (2, 2 + index * 32)
      for y in top..<(top + 30) { for x in left..<(left + 50) { expected[y][x] = UInt8(10 + index) } }
    }
    #expect(drawn == expected)
  }

  @Test func picturesOfOtherSizesAreReducedAndInTheMiddle() {
    let sheet = PhotoSheet(.strip, of: PixelSize(width: 40, height: 20), count: 3)
    let sizes = [
      PixelSize(width: 400, height: 100), PixelSize(width: 10, height: 10), PixelSize(width: 7, height: 700),
    ]
    let drawn = shades(sheet.drawn(sizes.map { picture($0, 0) }))
    // The rows and columns that have something in a picture's room.
    func extent(_ index: Int) -> [Int] {
      let origin = sheet.origin(of: index)
      let room = (origin.y..<(origin.y + 20)).map { Array(drawn[$0][origin.x..<(origin.x + 40)]) }
      let rows = room.indices.filter { room[$0].contains(0) }
      let columns = room[0].indices.filter { column in room.contains { $0[column] == 0 } }
      return [columns.first ?? -1, columns.count, rows.first ?? -1, rows.count]
    }
    #expect(extent(0) == [0, 40, 5, 10])
    #expect(extent(1) == [15, 10, 5, 10])
    #expect(extent(2) == [19, 1, 0, 20])
    #expect(drawn.joined().count { $0 == 0 } == 400 + 100 + 20)
  }

  @Test func contactSheetsHaveAllPicturesAsLargeAsTheyFit() {
    var last = Int.max
    for count in 1...200 {
      let sheets = PhotoSheet.contactSheets(count: count, height: 1000)
      #expect(sheets.reduce(0) { $0 + $1.count } == count)
      // All but the last are full and of one kind.
      #expect(Set(sheets.map(\.cell)).count == 1 && Set(sheets.dropLast().map(\.count)).count <= 1)
      for sheet in sheets { #expect(sheet.size.height <= 1000 && sheet.size.width <= 708, "\(count)") }
      #expect(sheets[0].cell.width <= last)
      last = sheets[0].cell.width
      let lowest = sheets[0].origin(of: sheets[0].count - 1)
      #expect(lowest.y + sheets[0].cell.height + sheets[0].edge == sheets[0].size.height)
    }
    #expect(PhotoSheet.contactSheets(count: 1, height: 1000)[0].columns == 2)
    #expect(PhotoSheet.contactSheets(count: 48).count == 1 && PhotoSheet.contactSheets(count: 49).count == 2)
    #expect(PhotoSheet.contactSheets(count: 9, height: 1)[0].cell.width > 0)
  }

  @Test(arguments: [16, 17, 20, 31, 48, 64, 95, 96]) func lowSheetsKeepToTheirHeight(height: Int) {
    for count in 1...80 {
      let sheets = PhotoSheet.contactSheets(count: count, height: height)
      #expect(sheets.reduce(0) { $0 + $1.count } == count)
      for sheet in sheets { #expect(sheet.size.height <= height && sheet.size.width <= height, "\(count)") }
    }
  }

  @Test func captionsAreBelowTheirPictures() throws {
    for count in [1, 2, 7, 48, 60] {
      let sheets = PhotoSheet.contactSheets(count: count, height: 1000, hasCaptions: true)
      #expect(sheets.reduce(0) { $0 + $1.count } == count)
      for sheet in sheets { #expect(sheet.size.height <= 1000 && sheet.captionHeight == 14) }
    }
    // Nobody could read them.
    #expect(PhotoSheet.contactSheets(count: 9, height: 600, hasCaptions: true)[0].captionHeight == 0)
    let sheet = PhotoSheet.contactSheets(count: 3, height: 640, hasCaptions: true)[0]
    let line = sheet.cell.width * sheet.captionHeight
    let captions = (1...3).map { [UInt8](repeating: UInt8($0), count: line) }
    let drawn = shades(sheet.drawn((0..<3).map { _ in picture(sheet.cell, 77) }, captions: captions))
    for index in 0..<3 {
      let (x, y) = sheet.origin(of: index)
      for row in 0..<sheet.cell.height + sheet.captionHeight + sheet.edge {
        let expected: UInt8 =
          row < sheet.cell.height ? 77 : row < sheet.cell.height + sheet.captionHeight ? 254 - UInt8(index) : 255
        #expect(drawn[y + row][x..<x + sheet.cell.width].allSatisfy { $0 == expected })
      }
    }
  }

  @Test func picturesByFourAreOnAsManySheetsAsNeeded() {
    let size = PixelSize(width: 640, height: 480)
    for (count, sheets) in [(1, [1]), (4, [4]), (5, [4, 1]), (11, [4, 4, 3])] {
      #expect(PhotoSheet.fourUps(of: size, count: count).map(\.count) == sheets)
    }
    #expect(PhotoSheet.fourUps(of: size, count: 4) == [PhotoSheet(.grid, of: size, count: 4)])
  }
}
