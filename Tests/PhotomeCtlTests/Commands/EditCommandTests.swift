// `photomectl edit`, `revert` and `effects` on real live photos: changes, unchanged parts, and output.

import Foundation
import PersonMatte
import TestSupport
import Testing

@Suite struct EditCommandTests {
  struct Listed: Decodable {
    struct Adjustment: Decodable {
      var formatIdentifier: String
      var formatVersion: String
      var data: String
    }
    var id: String
    var path: String
    var width: Int
    var height: Int
    var live: Bool
    var edited: Bool
    var created: String
    var duration: Double?
    var photoDisplayTime: Double?
    var adjustment: Adjustment?

    var recipe: [String: Any] {
      let data = adjustment.flatMap { Data(base64Encoded: $0.data) } ?? Data()
      return (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:]
    }
  }

  private func shot(_ place: Place, live: Bool = true) throws -> Listed {
    let kind = live ? ["--live", "--microphone", "test"] : []
    _ = try place.run(["capture", "--camera", "test", "--resolution", "640x480"] + kind + place.library)
    return try #require(try place.decode([Listed].self, ["library", "list", "--json"] + place.library).first)
  }

  private func edit(_ place: Place, _ id: String, _ options: String...) throws -> Listed {
    try #require(try place.decode([Listed].self, ["edit", id, "--json"] + options + place.library).first)
  }

  private func bytes(_ listed: Listed) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: listed.path)) }

  private func isClean(_ place: Place) throws -> Bool {
    try place.run(["library", "verify", "--json"] + place.library).contains("\"clean\" : true")
  }

  @Test func autoSetsMeasuredValuesOnce() throws {
    let place = try Place()
    let shot = try shot(place)
    let first = try edit(place, shot.id, "--auto")
    let file = try bytes(first)
    #expect(try bytes(edit(place, shot.id, "--auto")) == file, "it is measured on the original")
    let changed = try edit(place, shot.id, "--auto", "--adjust", "warmth=0.75")
    let adjustments = try #require(changed.recipe["adjustments"] as? [String: Double])
    #expect(adjustments["warmth"] == 0.75, "other options come after it")
    #expect(try isClean(place))
  }

  @Test func presetsAreImportedAppliedAndExported() throws {
    let place = try Place()
    let shot = try shot(place, live: false)
    let file = place.folder.appendingPathComponent("Evening.photome-preset")
    try Data(
      #"{"format":"io.github.photome.preset","name":"Evening","recipe":{"adjustments":{"warmth":0.5}},"version":"1.0"}"#
        .utf8
    ).write(to: file)
    #expect(
      try edit(place, shot.id, "--preset", file.path).recipe["adjustments"] as? [String: Double] == ["warmth": 0.5])
    _ = try edit(place, shot.id, "--reset")
    #expect(try place.run(["presets", "import", file.path]) == "Evening\n")
    #expect(try place.run(["presets"]) == "Evening\n")
    #expect(
      try edit(place, shot.id, "--preset", "Evening").recipe["adjustments"] as? [String: Double] == ["warmth": 0.5])
    let copies = place.folder.appendingPathComponent("copies")
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    let path = copies.appendingPathComponent("Evening.photome-preset").path
    #expect(try place.run(["presets", "export", "Evening", copies.path]) == path + "\n")
    _ = try place.run(["presets", "delete", "Evening"])
    #expect(try place.run(["presets"]).isEmpty)
    try Data("{}".utf8).write(to: file)
    #expect(throws: (any Error).self) { try place.run(["presets", "import", file.path]) }
  }

  @Test func tenEditsAndTheOriginalComesBack() throws {
    let place = try Place()
    let shot = try shot(place)
    let original = try bytes(shot)
    let duration = try #require(shot.duration)
    var seen: Set<Data> = [original]
    let edits: [([String], (Listed) -> Bool)] = [
      (["--effect", "comic"], { $0.live && $0.duration == duration && $0.width == 640 }),
      (["--effect", "noir:0.5", "--adjust", "exposure=0.5", "--adjust", "vignette=-0.3"], { $0.live }),
      (["--turn", "90"], { $0.width == 480 && $0.height == 640 }),
      (["--crop", "40,20,320,240"], { $0.width == 320 && $0.height == 240 }),
      (["--crop", "none", "--turn", "0", "--flip", "--straighten", "3.5"], { $0.live && $0.width < 640 }),
      (["--no-flip", "--straighten", "0", "--effect", "none", "--mute"], { $0.live && $0.width == 640 }),
      (["--reset", "--trim", "0.5..1.5"], { abs(($0.duration ?? 0) - 1) < 0.05 }),
      (["--reset", "--key-photo", "0.4"], { abs(($0.photoDisplayTime ?? 0) - 0.4) < 0.05 }),
      (["--reset", "--style", "bounce"], { ($0.duration ?? 0) > 1.8 * duration }),
      (["--style", "long-exposure"], { !$0.live && $0.duration == nil }),
    ]
    for (options, isRight) in edits {
      let edited = try #require(
        try place.decode([Listed].self, ["edit", shot.id, "--json"] + options + place.library).first)
      #expect(isRight(edited), "\(options): \(edited); the shot has \(duration) s")
      // A still isn't named as a live photo.
      let path = edited.live ? shot.path : shot.path.replacing(".MP.jpg", with: ".jpg")
      #expect(edited.id == shot.id && edited.path == path && edited.created == shot.created && edited.edited)
      #expect(edited.adjustment?.formatIdentifier == "io.github.photome.recipe")
      #expect(try seen.insert(bytes(edited)).inserted, "\(options)")
    }
    #expect(try isClean(place))
    let reverted = try #require(
      try place.decode([Listed].self, ["revert", String(shot.id.prefix(8)), "--json"] + place.library).first)
    #expect(!reverted.edited && reverted.live && reverted.adjustment == nil && reverted.path == shot.path)
    #expect(try bytes(reverted) == original)
    #expect(try isClean(place))
  }

  @Test func editsAddUpAndReopen() throws {
    let place = try Place()
    let shot = try shot(place, live: false)
    _ = try edit(place, shot.id, "--effect", "sepia:0.7")
    let second = try edit(place, shot.id, "--adjust", "contrast=0.25")
    let text = String(decoding: try JSONSerialization.data(withJSONObject: second.recipe), as: UTF8.self)
    #expect(text.contains("sepia") && text.contains("contrast"))
    // The same recipe gives the same file, through another index as well.
    let file = try bytes(second)
    try FileManager.default.removeItem(at: place.folder.appendingPathComponent("data/photome"))
    #expect(try bytes(edit(place, shot.id, "--adjust", "contrast=0.25")) == file)
    // A neutral edit is the original.
    let neutral = try edit(place, shot.id, "--reset")
    #expect(!neutral.edited)
  }

  @Test func aLookIsCopied() throws {
    let place = try Place()
    let (first, second) = (try shot(place, live: false), try shot(place, live: false))
    _ = try edit(place, first.id, "--effect", "noir", "--turn", "180")
    _ = try edit(place, second.id, "--flip")
    let copied = try edit(place, second.id, "--like", first.id)
    let text = String(decoding: try JSONSerialization.data(withJSONObject: copied.recipe), as: UTF8.self)
    #expect(text.contains("noir") && !text.contains("180"))
  }

  @Test func whatCantBeDoneIsSaid() throws {
    let place = try Place()
    let shot = try shot(place, live: false)
    let before = try bytes(shot)
    let refusals: [([String], String)] = [
      (["--effect", "nope"], "There is no effect “nope”."),
      (["--effect", "comic:2"], "“intensity” can’t be set to 2."),
      (["--adjust", "exposure=9"], "“exposure” can’t be set to 9."),
      (["--adjust", "size=1"], "There is no adjustment “size”."),
      (["--adjust", "exposure"], "Write it as exposure=0.5."), (["--crop", "1,2,3"], "A crop has four numbers"),
      (["--crop", "600,0,100,100"], "reaches beyond the picture, which is 640x480 pixels"),
      (["--crop", "0.5,0,0.6,1"], "reaches outside the picture"), (["--turn", "45"], "can’t be turned by 45"),
      (["--mute"], "has no video"), (["--trim", "0..1"], "has no video"), (["--style", "loop"], "has no video"),
      (["--style", "wild"], "There is no playback style “wild”."), (["--trim", "soon"], "Write it as 0.5..2."),
      ([], "Give an edit"),
    ]
    for (options, words) in refusals {
      let result = try place.result(["edit", shot.id] + options + place.library)
      #expect(result.status != 0 && result.errors.contains(words), "\(result.errors)")
      #expect(try bytes(shot) == before)
    }
    #expect(try place.run(["library", "list", "--json"] + place.library).contains("\"edited\" : false"))
  }

  @Test func aBrokenMovieIsRefusedAndNothingChanges() throws {
    let place = try Place()
    let shot = try shot(place)
    var file = try bytes(shot)
    // Many whole frames of the movie: within one of them a decoder may find nothing wrong.
    for place in file.count / 2..<file.count * 9 / 10 { file[place] = 0x55 }
    try file.write(to: URL(fileURLWithPath: shot.path))
    let result = try place.result(["edit", shot.id, "--effect", "comic"] + place.library)
    #expect(result.status != 0 && result.errors.contains("can’t be edited"), "\(result.errors)")
    #expect(try bytes(shot) == file)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/Library/.photome/incoming").isEmpty)
  }

  @Test func partsAndBackdropsThatMakeNoSenseAreRefusedInWords() throws {
    let place = try Place()
    let shot = try shot(place, live: false)
    let file = try bytes(shot)
    for (options, words) in [
      (["--on", "person"], "need an effect"), (["--effect", "none", "--backdrop", "sky"], "need an effect"),
      (["--effect", "noir", "--on", "cat"], "everywhere"), (["--effect", "mirror", "--on", "person"], "“Mirror”"),
      (["--effect", "backdrop", "--backdrop", "beach"], "sunset"),
      (["--effect", "noir", "--backdrop", "sky"], "“Noir”"),
      (["--effect", "backdrop", "--backdrop", "sky", "--backdrop-fit", "fit"], "of your own"),
      (["--effect", "backdrop", "--backdrop", "sky", "--backdrop-position", "1"], "--backdrop-position"),
      // Without models there are no backdrops at all.
      (
        ["--effect", "backdrop", "--backdrop", place.folder.path],
        PersonMatteProvider().reasonForAbsence() == nil ? "it isn’t a picture or video" : "can’t separate people"
      ),
    ] {
      let result = try place.result(["edit", shot.id] + options + place.library)
      #expect(result.status != 0 && result.errors.contains(words), "\(options): \(result.errors)")
    }
    #expect(try bytes(shot) == file && isClean(place))
  }

  @Test func anEditOfOthersHasToBeRevertedFirst() throws {
    let place = try Place()
    let shot = try shot(place, live: false)
    _ = try edit(place, shot.id, "--effect", "noir")
    let record = place.folder.path + "/Library/.photome/assets/\(shot.id).json"
    let text = try String(contentsOfFile: record, encoding: .utf8)
    for (old, new, words) in [
      ("io.github.photome.recipe", "org.example.other", "another program"), ("\"1.3\"", "\"9.0\"", "a newer version"),
    ] {
      try Data(text.replacing(old, with: new).utf8).write(to: URL(fileURLWithPath: record))
      let result = try place.result(["edit", shot.id, "--effect", "comic"] + place.library)
      #expect(result.status != 0 && result.errors.contains(words), "\(result.errors)")
    }
    // Starting from the original doesn't need it.
    #expect(try edit(place, shot.id, "--reset", "--effect", "comic").adjustment?.formatVersion == "1.3")
  }

  @Test func shotsAreTakenWithAnEffectThatCanBeTakenOff() throws {
    struct Shot: Decodable {
      var id: String
      var path: String
      var live: Bool
      var edited: Bool
      var effect: String?
      var intensity: Double?
    }
    let place = try Place()
    let capture = ["capture", "--camera", "test", "--resolution", "640x480", "--json"] + place.library
    let plain = try place.decode(Shot.self, capture)
    #expect(!plain.edited && plain.effect == nil)
    let live = try place.decode(Shot.self, capture + ["--effect", "Comic:0.5", "--live", "--microphone", "test"])
    #expect(live.live && live.edited && live.effect == "comic" && live.intensity == 0.5)
    let output = try place.run(capture + ["--effect", "noir", "--count", "3"])
    let shots = try output.split(separator: "\n").map { try JSONDecoder().decode(Shot.self, from: Data($0.utf8)) }
    #expect(shots.count == 3 && shots.allSatisfy { $0.edited && $0.effect == "noir" && $0.intensity == 1 })
    let listed = try place.decode([Listed].self, ["library", "list", "--json"] + place.library)
    #expect(listed.count == 5 && listed.count { $0.edited } == 4)
    let edited = try #require(listed.first { $0.id == live.id })
    #expect(edited.live && edited.path == live.path && edited.duration != nil)
    let text = String(decoding: try JSONSerialization.data(withJSONObject: edited.recipe), as: UTF8.self)
    #expect(text.contains("comic") && text.contains("0.5"))
    let reverted = try #require(try place.decode([Listed].self, ["revert", live.id, "--json"] + place.library).first)
    #expect(!reverted.edited && reverted.live)
    #expect(try isClean(place))
    for (wrong, words) in [("nope", "There is no effect"), ("comic:2", "“intensity” can’t be set to 2")] {
      let result = try place.result(capture + ["--effect", wrong])
      #expect(result.status != 0 && result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test func effectsAreListed() throws {
    struct Effect: Decodable {
      var name: String
      var title: String
      var group: String
      var needsPeople: Bool
      var on: [String]
      var backdrops: [String]
    }
    let place = try Place()
    let effects = try place.decode([Effect].self, ["effects", "--json"])
    #expect(effects.count == 29 && effects.first?.name == "comic" && Set(effects.map(\.name)).count == 29)
    #expect(effects.first?.on == ["everywhere", "person", "skin", "background"] && effects.first?.needsPeople == false)
    let backdrop = try #require(effects.first { $0.name == "backdrop" })
    #expect(backdrop.needsPeople && backdrop.on.isEmpty && backdrop.backdrops.contains("sunset"))
    #expect(try place.run(["effects"]).contains("pop-art"))
  }
}
