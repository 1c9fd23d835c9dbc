// Exporting contact sheets and four-ups: order, names, sizes, what is left out, and errors.

import CameraCore
import Foundation
import PhotoEffects
import StillCodecs
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SheetExportTests {
  private func assets(_ library: PhotoLibrary, count: Int) async throws -> [Asset] {
    var assets: [Asset] = []
    for number in 0..<count {
      assets.append(
        try await library.createAsset(
          AssetCreationRequest(photo: try Samples.jpeg(shade: UInt8(20 + number * 20)), metadata: Samples.metadata())))
    }
    return assets
  }

  /// The shade in the middle of each room.
  private func shades(_ url: URL, _ sheet: PhotoSheet) throws -> [Int] {
    let data = try Data(contentsOf: url)
    let image = try ScaledJPEG.decode(data, needed: sheet.size, path: url.path)
    #expect(image.size == sheet.size)
    return (0..<sheet.count).map { index in
      let origin = sheet.origin(of: index)
      let (x, y) = (origin.x + sheet.cell.width / 2, origin.y + sheet.cell.height / 2)
      return image.block.withUnsafeBytes { Int($0[y * image.stride + x * 4 + 1]) }
    }
  }

  @Test func picturesAreInTheirOrderOnEachSheet() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 6)
    let single = try assets.map { asset in
      let image = try ScaledJPEG.decode(Data(contentsOf: asset.url), needed: asset.size, path: asset.url.path)
      return image.block.withUnsafeBytes {
        Int($0[image.size.height / 2 * image.stride + image.size.width / 2 * 4 + 1])
      }
    }
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export(assets, as: .fourUp, into: folder)
    let exported = try #require(report.exported.first)
    #expect(exported.url.lastPathComponent == "Four-Up.jpg" && report.refused.isEmpty)
    #expect(exported.companions.map(\.lastPathComponent) == ["Four-Up-2.jpg"])
    let sheets = PhotoSheet.fourUps(of: assets[0].size, count: 6)
    let found = try shades(exported.url, sheets[0]) + shades(exported.companions[0], sheets[1])
    for (shade, expected) in zip(found, single) { #expect(abs(shade - expected) <= 3) }
    #expect(found.count == 6)

    // A second one is numbered, and all of its sheets with it.
    let again = try #require(try await library.export(assets, as: .fourUp, into: folder).exported.first)
    #expect(again.url.lastPathComponent == "Four-Up (2).jpg")
    #expect(again.companions.map(\.lastPathComponent) == ["Four-Up (2)-2.jpg"])
    let contact = try #require(try await library.export(assets, as: .contactSheet, into: folder).exported.first)
    #expect(contact.url.lastPathComponent == "Contact Sheet.jpg" && contact.companions.isEmpty)
  }

  @Test(arguments: [ExportForm.fourUp, .contactSheet], [16, 40, 95, 100, 1000, 5000])
  func aSheetIsNotLargerThanItsSize(form: ExportForm, side: Int) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 3)
    let options = ExportOptions(longestSide: side, stillFormat: .png)
    let report = try await library.exportSheets(
      of: assets, as: form, options, into: scratch.url.appendingPathComponent("out"), name: "mine.png")
    let url = try #require(report.exported.first?.url)
    #expect(url.lastPathComponent == "mine.png")
    let image = try StillCodecs.decode(Data(contentsOf: url), as: .png).image
    #expect(max(image.size.width, image.size.height) <= side)
  }

  @Test(arguments: ["IMG_1.jpg", "写真.jpg", "صورة.jpg", String(repeating: "long", count: 50) + ".jpg"])
  func aNameIsInTheMiddleOfItsLine(name: String) throws {
    let size = PixelSize(width: 300, height: 40)
    let bytes = try #require(SheetCaption.coverage(name, size))
    #expect(bytes.count == 300 * 40)
    let rows = (0..<40).filter { row in bytes[row * 300..<(row + 1) * 300].contains { $0 > 100 } }
    let columns = (0..<300).filter { column in (0..<40).contains { bytes[$0 * 300 + column] > 100 } }
    let (top, bottom) = (try #require(rows.first), try #require(rows.last))
    let (left, right) = (try #require(columns.first), try #require(columns.last))
    #expect(bottom - top > 8 && top > 0 && bottom < 39)
    #expect(abs(left + right - 299) <= 6)
  }

  @Test func namesAreBelowThePicturesOfAContactSheet() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 3)
    let folder = scratch.url.appendingPathComponent("out")
    let options = ExportOptions(longestSide: 1000, stillFormat: .png, showsNames: true)
    let report = try await library.export(assets, as: .contactSheet, options, into: folder)
    let url = try #require(report.exported.first?.url)
    let image = try StillCodecs.decode(Data(contentsOf: url), as: .png).image
    let sheet = PhotoSheet.contactSheets(count: 3, height: 1000, hasCaptions: true)[0]
    #expect(image.size == sheet.size)
    for (index, asset) in assets.enumerated() {
      let line = PixelSize(width: sheet.cell.width, height: sheet.captionHeight)
      let expected = try #require(SheetCaption.coverage(asset.url.lastPathComponent, line))
      let origin = sheet.origin(of: index)
      let found = image.block.withUnsafeBytes { bytes in
        (0..<line.area).map { at in
          let (x, y) = (origin.x + at % line.width, origin.y + sheet.cell.height + at / line.width)
          return 255 - bytes[y * image.stride + x * 4 + 1]
        }
      }
      #expect(found == expected && expected.contains { $0 > 100 })
    }
  }

  @Test func theLargestPictureOfAFourUpSetsItsSize() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let small = try await library.createAsset(
      AssetCreationRequest(
        photo: try Samples.jpeg(width: 16, height: 16, shade: 9), metadata: Samples.metadata()))
    let assets = [small] + (try await self.assets(library, count: 2))
    let report = try await library.export(assets, as: .fourUp, into: scratch.url.appendingPathComponent("out"))
    let url = try #require(report.exported.first?.url)
    #expect(try shades(url, PhotoSheet.fourUps(of: assets[1].size, count: 3)[0]).count == 3)
  }

  @Test func whatCanNotBeDecodedIsReportedAndLeftOut() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 3)
    try Data("gone".utf8).write(to: assets[1].url)
    let folder = scratch.url.appendingPathComponent("out")
    let report = try await library.export(assets, as: .fourUp, into: folder)
    #expect(report.refused.map(\.assetID) == [assets[1].id] && report.exported.count == 1)
    let sheet = PhotoSheet.fourUps(of: assets[0].size, count: 2)[0]
    #expect(try shades(try #require(report.exported.first?.url), sheet).count == 2)
    for asset in assets { try Data("gone".utf8).write(to: asset.url) }
    let none = try await library.export(assets, as: .contactSheet, into: folder)
    #expect(none.exported.isEmpty && none.refused.count == 3)
    #expect(try await library.export([], as: .contactSheet, into: folder).exported.isEmpty)
  }

  @Test func moreThanAreHeldInMemoryAreRefusedInWords() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 1)
    let many = Array(repeating: assets[0], count: PhotoLibrary.mostSheetPictures + 1)
    let folder = scratch.url.appendingPathComponent("out")
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.export(many, as: .contactSheet, into: folder)
    }
    #expect(error?.description.contains("select fewer") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func cancellationLeavesNothing() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let assets = try await assets(library, count: 4)
    let folder = scratch.url.appendingPathComponent("out")
    let task = Task {
      try await library.export(assets, as: .contactSheet, into: folder) { progress in
        if progress.done == 2 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    let report = try await task.value
    #expect(report.isCancelled && report.exported.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
