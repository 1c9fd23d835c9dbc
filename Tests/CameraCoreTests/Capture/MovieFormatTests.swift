// The formats of movies by their names.

import CameraCore
import Testing

@Suite("Movie formats")
struct MovieFormatTests {
  @Test("Each ending has its format, in any case")
  func endings() {
    #expect(MovieFormat(fileExtension: "M4V") == .mp4)
    #expect(MovieFormat(fileExtension: "WebM") == .webm)
    #expect(MovieFormat(fileExtension: "jpg") == nil)
    for format in MovieFormat.allCases { #expect(MovieFormat(fileExtension: format.fileExtension) == format) }
  }

  @Test("Edits of what isn't made of boxes are MP4s")
  func edits() {
    #expect(MovieFormat.allCases.map(\.ofEdits) == [.mp4, .mov, .mp4, .mp4, .mp4])
  }
}
