// Edits of movies in fragments.

import EngineInterface
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct FragmentedMovieTests {
  /// The sound of all fragments stays, and the result is an ordinary movie.
  @Test(arguments: HandMadeMovie.FragmentForm.allCases)
  func aMovieInFragmentsKeepsItsSound(form: HandMadeMovie.FragmentForm) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fragments-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = HandMadeMovie.inFragments(form)
    let url = folder.appendingPathComponent("stream.mp4")
    try Data(bytes).write(to: url)
    let source = MovieSource(url: url, byteRange: 0..<UInt64(bytes.count))
    let movie = try await EngineEditRenderer().movie(of: source, edit: MovieEdit(processor: nil), into: folder) { _ in }
    #expect(movie.hasSound && movie.times.count == 12 && movie.duration == 0.4)
    let index = try MP4Index(MovieStretch(whole: movie.url))
    #expect(index.fragmentsEnd == nil && index.picture?.sizes.count == 12 && index.sound?.sizes.count == 24)
    let result = try Data(contentsOf: movie.url)
    for sound in 0..<24 where result.range(of: Data(HandMadeMovie.sound(sound))) == nil {
      Issue.record("There is no sample \(sound).")
    }
  }
}
