// Toasts: one for each message, in the place in front, until it could be read.

import CameraModels
import Testing

@MainActor @Suite struct ToastBoardTests {
  private enum Place { case camera, library, preferences }

  private let messages = MessageModel()

  /// A message as the models post it.
  private func message(
    _ text: String, action: Message.Action? = nil, topic: Message.Topic? = nil
  ) throws -> Message {
    messages.post(text, action: action, topic: topic)
    return try #require(messages.takeNext())
  }

  /// Adds a message while every toast is new, or none is.
  private func add(
    _ message: Message, to board: inout ToastBoard<Place>, at place: Place, isCovered: Bool = false, isNew: Bool = true
  ) -> ToastBoard<Place>.Action {
    board.add(message, at: place, isCovered: isCovered) { _ in isNew }
  }

  @Test func theSameTroubleNeedsOneToastWhereItIsSeen() throws {
    var board = ToastBoard<Place>()
    let first = try message("The disk is full.")
    #expect(add(first, to: &board, at: .camera) == .show(insteadOf: []))
    #expect(add(try message("The disk is full."), to: &board, at: .camera) == .drop)
    // The first one lies on a page that isn't in front anymore.
    let again = try message("The disk is full.")
    #expect(add(again, to: &board, at: .library) == .show(insteadOf: [first.id]))
    #expect(board.entries.map(\.id) == [again.id])
    board.remove(again.id)
    #expect(add(try message("The disk is full."), to: &board, at: .library) == .show(insteadOf: []))
  }

  @Test func aTroubleThatComesAgainIsSaidAgainWhenItsToastIsAboutToGo() throws {
    var board = ToastBoard<Place>()
    let first = try message("The disk is full.")
    _ = add(first, to: &board, at: .camera)
    let again = try message("The disk is full.")
    #expect(add(again, to: &board, at: .camera, isNew: false) == .show(insteadOf: [first.id]))
  }

  @Test func aTroubleWaitsForNoHint() throws {
    var board = ToastBoard<Place>()
    let (hint, setting) = (
      try message("Live is off while a video is being recorded.", topic: .live),
      try message("Flash: on.", topic: .setting)
    )
    _ = add(hint, to: &board, at: .camera)
    #expect(add(setting, to: &board, at: .camera) == .show(insteadOf: []))
    let trouble = try message("The video has no sound from here on.")
    #expect(add(trouble, to: &board, at: .camera) == .show(insteadOf: [hint.id, setting.id]))
    #expect(add(try message("The disk is full."), to: &board, at: .camera) == .show(insteadOf: []))
    #expect(board.entries.map(\.message.topic) == [nil, nil])
  }

  @Test func whatIsWithdrawnIsNotSaid() throws {
    messages.post("Live is off while a video is being recorded.", topic: .live)
    messages.post("The disk is full.")
    messages.withdraw(.live)
    #expect(messages.messages.map(\.text) == ["The disk is full."])
    _ = messages.takeNext()
    let first = messages.withdrawal
    messages.withdraw(.live)
    #expect(first?.topic == .live && messages.withdrawal != first)
    var board = ToastBoard<Place>()
    let hint = try message("Live rests.", topic: .live)
    _ = add(hint, to: &board, at: .camera)
    #expect(board.about(.live) == [hint.id] && board.about(.setting).isEmpty)
  }

  @Test func eachOfferHasItsToast() throws {
    var board = ToastBoard<Place>()
    for entry in ["1", "2"] {
      let offer = try message("Moved to the trash.", action: .undo(entry))
      #expect(add(offer, to: &board, at: .library) == .show(insteadOf: []))
    }
    #expect(board.entries.count == 2)
  }

  @Test func whatRecordingsLackDoesNotQueueUp() throws {
    var board = ToastBoard<Place>()
    let first = try message("The camera went away. 1.mp4", topic: .recording)
    #expect(add(first, to: &board, at: .camera, isCovered: true) == .show(insteadOf: []))
    let read = try message("The camera went away. 2.mp4", topic: .recording)
    #expect(add(read, to: &board, at: .camera, isNew: false) == .show(insteadOf: [first.id]))
    let new = try message("The camera went away. 3.mp4", topic: .recording)
    #expect(add(new, to: &board, at: .camera) == .setText(of: read.id))
    #expect(add(try message("Countdown: 3 seconds.", topic: .setting), to: &board, at: .camera) == .show(insteadOf: []))
    #expect(board.entries.count == 2)
    // It is no setting, whose toast was read in a moment.
    #expect(board.close(.camera) { _ in false }.map(\.text) == [new.text])
  }

  @Test func aSettingIsSaidInTheToastOfTheOneBeforeWhereThatIsInFront() throws {
    var board = ToastBoard<Place>()
    let first = try message("Countdown: 3 seconds.", topic: .setting)
    #expect(add(first, to: &board, at: .camera) == .show(insteadOf: []))
    let second = try message("Countdown: 5 seconds.", topic: .setting)
    #expect(add(second, to: &board, at: .camera) == .setText(of: first.id))
    #expect(board.entries.map(\.message) == [second] && board.entries.map(\.id) == [first.id])
    // Nobody would read it on the page that was left.
    let third = try message("Countdown: 10 seconds.", topic: .setting)
    #expect(add(third, to: &board, at: .preferences) == .show(insteadOf: [first.id]))
    // One that has been read for a while would be gone too soon.
    let fourth = try message("The countdown is off.", topic: .setting)
    #expect(add(fourth, to: &board, at: .preferences, isNew: false) == .show(insteadOf: [third.id]))
    #expect(board.entries.map(\.message) == [fourth])
  }

  @Test func aSettingDoesNotLieOverTheCountdown() throws {
    var board = ToastBoard<Place>()
    let (setting, trouble) = (try message("Flash: on.", topic: .setting), try message("The disk is full."))
    #expect(add(setting, to: &board, at: .camera, isCovered: true) == .drop)
    #expect(add(trouble, to: &board, at: .camera, isCovered: true) == .show(insteadOf: []))
    #expect(add(setting, to: &board, at: .camera) == .show(insteadOf: []))
    #expect(board.hints(at: .camera) == [setting.id])
    #expect(board.hints(at: .preferences).isEmpty, "there it lies over nothing")
  }

  @Test func whatGoesWithItsWindowUnreadIsShownElsewhere() throws {
    var board = ToastBoard<Place>()
    let trouble = try message("The disk is full.")
    let offer = try message("Moved to the trash.", action: .undo("1"))
    let setting = try message("Flash: on.", topic: .setting)
    _ = add(trouble, to: &board, at: .camera)
    _ = add(offer, to: &board, at: .preferences)
    _ = add(setting, to: &board, at: .preferences)
    var other = board
    #expect(board.close(.preferences) { _ in true } == [offer, setting])
    #expect(other.close(.preferences) { _ in false } == [offer], "a setting is read in a moment")
    for board in [board, other] { #expect(board.entries.map(\.message) == [trouble]) }
    #expect(add(offer, to: &board, at: .camera) == .show(insteadOf: []))
    #expect(board.close(.preferences) { _ in true }.isEmpty)
  }
}
