// Suggestions under the search entry while a search is typed.

import Observation
import PhotoLibrary

/// The completions of the search that is being typed: albums, places, cameras, kinds and dates that the library has.
@MainActor @Observable
public final class SearchSuggestionsModel {
  /// The best first; empty where nothing completes the text, and after `dismiss`.
  public private(set) var completions: [SearchCompletion] = []

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  /// What there is to search for; `nil` when it has changed.
  @ObservationIgnored private var facets: SearchFacets?
  @ObservationIgnored private var generation = 0

  init(library: PhotoLibrary, messages: MessageModel) { (self.library, self.messages) = (library, messages) }

  /// The library has changed: the next text is completed from what it has then.
  func invalidate() { facets = nil }

  /// Completes a text. Returns when the completions are those of the text, or a later text was typed.
  public func type(_ text: String) async {
    generation += 1
    let mine = generation
    guard text.contains(where: { !$0.isWhitespace }) else {
      if !completions.isEmpty { completions = [] }
      return
    }
    do {
      let known = if let facets { facets } else { try await library.fetchSearchFacets() }
      guard mine == generation else { return }
      facets = known
      let found = known.completions(of: text)
      if found != completions { completions = found }
    } catch {
      guard mine == generation else { return }
      completions = []
      messages.post(error.description)
    }
  }

  /// Takes the list away until another text is typed.
  public func dismiss() {
    generation += 1
    if !completions.isEmpty { completions = [] }
  }

  /// Takes a completion: the text that is the search now. The list goes away.
  ///
  /// - Returns: `nil` for an index of a list that is gone.
  public func accept(_ index: Int) -> String? {
    guard completions.indices.contains(index) else { return nil }
    let text = completions[index].text
    dismiss()
    return text
  }
}
