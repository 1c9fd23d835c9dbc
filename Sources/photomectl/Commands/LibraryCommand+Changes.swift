// `photomectl library changes`.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct Changes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Lists what was added, changed and removed since an earlier call."),
      discussion: localized(
        """
        Prints a token, which stands for the present state of the library. With --since and that token, a later call lists \
        the ids of all pictures, albums and folders of albums that have changed since then, and the next token. When the \
        token is of another library or too old, it fails: then everything has to be listed again.
        """))

    @Option(help: ArgumentHelp(localized("The token that an earlier call printed."), valueName: "token"))
    var since: String?
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    /// Changes as `--json` prints them.
    private struct Report: Encodable {
      /// The ids of things of one kind, in order.
      struct Details: Encodable {
        var added: [String]
        var changed: [String]
        var removed: [String]

        init(_ details: PersistentChanges.Details) {
          added = details.inserted.sorted()
          changed = details.updated.sorted()
          removed = details.deleted.sorted()
        }

        func lines(_ kind: String) -> [String] {
          [("added  ", added), ("changed", changed), ("removed", removed)].flatMap { word, ids in
            ids.map { "\(word)  \(kind)  \($0)" }
          }
        }
      }

      var token: String
      /// Only with `--since`.
      var pictures: Details?
      /// Albums and folders of albums; only with `--since`.
      var albums: Details?
    }

    func validate() throws {
      if let since, PersistentChangeToken(since) == nil {
        throw ValidationError(localized("“\(since)” is not a token that “photomectl library changes” has printed."))
      }
    }

    func run() async throws {
      try await place.use { library in
        var report: Report
        if let token = since.flatMap({ PersistentChangeToken($0) }) {
          let changes = try await library.changes(since: token)
          report = Report(token: changes.token.description)
          report.pictures = Report.Details(changes.assets)
          report.albums = Report.Details(changes.collections)
        } else {
          report = Report(token: try await library.currentChangeToken().description)
        }
        if output.json { return try printJSON(report) }
        for line in report.pictures?.lines("picture") ?? [] { say(line) }
        for line in report.albums?.lines("album  ") ?? [] { say(line) }
        say("token    \(report.token)")
      }
    }
  }
}
