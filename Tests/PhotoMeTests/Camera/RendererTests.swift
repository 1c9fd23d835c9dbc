// The viewfinder under GTK's renderers: where OpenGL isn't installed, GTK takes the other one.

import Testing

@testable import PhotoMe

@Suite("Renderers", .serialized, .timeLimit(.minutes(30)))
struct RendererTests {
  @Test("The viewfinder moves, and photos are taken from it", arguments: ["cairo", "gl"])
  func viewfinder(renderer: String) async throws {
    let session = try await PhotoMeSession(environment: ["GSK_RENDERER": renderer])
    // Three different pictures, each with more than a few colors, in the middle of the viewfinder.
    var pictures: Set<[UInt32]> = []
    while pictures.count < 3 {
      let picture: [UInt32] = try await session.find { screen in
        let colors = screen.colors(x: 300..<660, y: 250..<350)
        return Set(colors).count > 3 ? colors : nil
      }
      pictures.insert(picture)
    }
    try await session.takePhotos(2)
    #expect(session.pictures.count == 2)
    try await session.end()
  }
}
