// The parts of a command line, and the files that the desktop may put into it.

import CameraCore
import CameraModels
import Foundation
import Testing

@testable import PhotoMe

@Suite("The command line")
struct LaunchOptionsTests {
  @Test(
    "Files are told from options and their values",
    arguments: [
      ("", "", ""), ("a.jpg", "", "a.jpg"), ("--live a.jpg b", "--live", "a.jpg b"),
      ("--camera test a.jpg --library /x", "--camera test --library /x", "a.jpg"),
      ("--camera=test a.jpg", "--camera=test", "a.jpg"), ("-- --live", "", "--live"),
      ("--countdown 3 -- -a b", "--countdown 3", "-a b"), ("--library -- a", "--library --", "a"),
      ("--gapplication-service", "--gapplication-service", ""),
    ])
  func parts(line: String, options: String, files: String) {
    let parts = LaunchOptions.parts(of: line.split(separator: " ").map(String.init))
    #expect(parts.options == options.split(separator: " ").map(String.init))
    #expect(parts.files == files.split(separator: " ").map(String.init))
  }

  @Test("A program that starts again for what came too late doesn’t do once more what it was started for")
  func late() {
    let options = [
      "--gapplication-service", "--camera", "test", "--live", "--countdown", "3", "--library=/x", "--take-photo",
      "--countdown=5",
    ]
    let kept = ["--camera", "test", "--library=/x"]
    #expect(StartPurpose.arguments(for: [], options: options) == kept)
    #expect(LaunchOptions.forNextStart(["--camera", "--countdown", "x"]) == ["--camera", "--countdown", "x"])
    let files = StartPurpose.files([URL(fileURLWithPath: "/a.jpg")])
    #expect(StartPurpose.arguments(for: [files, .shot("1")], options: options) == kept + ["--", "/a.jpg"])
    let request = StartRequest(text: "live countdown=5")
    #expect(
      StartPurpose.arguments(for: [.request(StartRequest(text: "photo")), .request(request)], options: [])
        == ["--live", "--countdown=5", "--take-photo"])
  }

  @Test("The desktop is told of every format that can be opened")
  func formats() throws {
    let data = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../data").standardized
    func text(_ name: String) throws -> String {
      try String(contentsOf: data.appendingPathComponent("io.github.photome.PhotoMe.\(name)"), encoding: .utf8)
    }
    let (entry, metainfo) = (try text("desktop"), try text("metainfo.xml"))
    for kind in PhotoFormat.allCases.map(\.mimeType) + ["image/heif", "video/mp4", "video/quicktime"] {
      #expect(entry.contains(try Regex("(?m)^MimeType=(.*;)?\(kind);")), "\(kind)")
      #expect(metainfo.contains("<mediatype>\(kind)</mediatype>"), "\(kind)")
    }
  }
}
