// The models' messages as lines on standard error.

import CameraCore
import CameraModels

/// Prints what a window would show for a moment.
@MainActor final class MessageLines {
  let messages = MessageModel()
  /// What the command says by itself.
  private var reported: [String] = []

  /// The command reports something by itself: messages that tell the same aren't printed.
  func reports(_ text: String) {
    let clause = text.displayed.asClause
    if !clause.isEmpty { reported.append(clause) }
  }

  func reports(_ error: any Error) { reports(error.localizedDescription) }

  /// Prints the messages so far.
  func tell() {
    while let message = messages.takeNext() {
      // As the reports are, without the marks around the values of a text that is read from the right.
      let text = message.text.displayed
      if !reported.contains(where: text.contains) { complain(message.text) }
    }
  }
}
