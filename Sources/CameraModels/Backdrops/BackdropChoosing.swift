// The choice of a backdrop, in the viewfinder and in the editor.

import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

/// A model whose effect may have a backdrop.
@MainActor public protocol BackdropChoosing: AnyObject {
  /// The own ones; `nil` where there are none to choose from.
  var backdrops: BackdropsModel? { get }
  /// `nil` for an effect without one.
  var chosenBackdrop: Backdrop? { get }
  /// Changes with the picture: what was begun for another one is dropped.
  var backdropSession: Int { get }

  /// Sets what is put behind the person. Effects without a backdrop stay as they are.
  func setBackdrop(_ new: Backdrop)
  /// Moves the own backdrop, until `backdropWasMoved`.
  func moveBackdrop(to position: OwnBackdrop.Position)
  func endMovingBackdrop()
  /// Tells a person why something wasn't done.
  func tellOfBackdrop(_ text: String)
}

extension BackdropChoosing {
  private var chosenOwn: OwnBackdrop? { if case .own(let own) = chosenBackdrop { own } else { nil } }

  /// Chooses one of the own ones, where it was last.
  public func chooseOwnBackdrop(_ id: KeptBackdrop.ID) {
    if let own = backdrops?.place(of: id) { setBackdrop(.own(own)) }
  }

  /// Sets the size of the own backdrop.
  public func setBackdropFit(_ fit: OwnBackdrop.Fit) {
    guard var own = chosenOwn, own.fit != fit else { return }
    own.fit = fit
    backdrops?.remember(own)
    setBackdrop(.own(own))
  }

  /// The own backdrop was let go.
  public func backdropWasMoved() {
    if let own = chosenOwn { backdrops?.remember(own) }
    endMovingBackdrop()
  }

  /// Makes a file a backdrop, and chooses it, unless another picture or backdrop was chosen meanwhile.
  public func addBackdrop(_ file: URL) async {
    guard let backdrops else { return }
    let (session, before) = (backdropSession, chosenBackdrop)
    var text: String?
    do {
      let (own, note) = try await backdrops.add(file)
      guard session == backdropSession else { return }
      if chosenBackdrop == before { setBackdrop(.own(own)) }
      text = note
    } catch is CancellationError {
      return
    } catch {
      text = localized("“\(file.lastPathComponent)” can’t be a backdrop. \(error.localizedDescription)")
    }
    if let text, session == backdropSession { tellOfBackdrop(text) }
  }

  /// Moves the own backdrop to the trash, and puts the first one in its place.
  public func removeBackdrop() async {
    guard let backdrops, let own = chosenOwn else { return }
    do throws(PhotoLibraryError) { try await backdrops.remove(own.id) } catch {
      return tellOfBackdrop(error.description)
    }
    if chosenOwn?.id == own.id { setBackdrop(.standard) }
  }
}
