// What a QR code says, and what can be done with it.

import CameraCore
import Foundation
import Localization

/// The contents of a QR code, made safe to show: whoever printed the code chose every character.
///
/// Only links of a few harmless kinds can be opened, and only as a whole; of a web link the host is shown, as it is looked up.
/// All shown texts are of bounded length, with control characters and marks that turn the writing made visible.
public struct RecognizedCode: Hashable, Sendable {
  /// The kinds of content.
  public enum Kind: String, Sendable {
    case web, mail, phone, place, wireless, text
  }

  public let kind: Kind
  /// The first line: what it is, or where a link goes.
  public let title: String
  /// The second line: the contents, shortened.
  public let detail: String
  /// The link to open; `nil` for what can't be opened.
  public let link: String?
  /// What is copied: the contents; of a wireless network its password.
  public let copied: String
  /// What the button for copying says.
  public private(set) var copyTitle = localized("Copy")

  /// The schemes of links that are offered, with their kinds.
  private static let schemes: [String: Kind] = [
    "http": .web, "https": .web, "mailto": .mail, "tel": .phone, "geo": .place,
  ]
  /// In characters.
  private static let (longestTitle, longestDetail) = (60, 160)

  /// - Parameter text: As the code has it; `nil` comes of an empty one.
  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    var detail = text
    if let (kind, title) = Self.link(text) {
      (self.kind, link, copied) = (kind, text, text)
      self.title = Self.shortened(title, of: kind)
    } else if let network = Self.network(text) {
      kind = .wireless
      title = localized("Wi-Fi “\(Self.visible(network.name, atMost: Self.longestTitle))”")
      (link, copied) = (nil, network.password ?? network.name)
      detail = network.password.map { localized("Password: \($0)") } ?? localized("No password")
      if network.password != nil { copyTitle = localized("Copy Password") }
    } else {
      (kind, title, link, copied) = (.text, localized("Text"), nil, text)
    }
    self.detail = Self.visible(detail, atMost: Self.longestDetail)
  }

  /// A link's title of bounded length. The end of a host says whose it is, so that it is never what is left out.
  private static func shortened(_ title: String, of kind: Kind) -> String {
    guard kind == .web || kind == .mail, title.count > longestTitle else { return visible(title, atMost: longestTitle) }
    return "…" + visible(String(title.suffix(longestTitle)), atMost: longestTitle)
  }

  /// A link of a known scheme, of printable ASCII: anything else in a link can be made to look like something else.
  private static func link(_ text: String) -> (Kind, title: String)? {
    guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), let parts = URLComponents(string: text),
      let kind = parts.scheme.flatMap({ schemes[$0.lowercased()] })
    else { return nil }
    switch kind {
    case .web: return parts.encodedHost.flatMap { $0.isEmpty ? nil : (kind, $0) }
    case .mail: return parts.path.isEmpty ? nil : (kind, parts.path)
    case .phone: return parts.path.isEmpty ? nil : (kind, localized("Call \(parts.path)"))
    case .place: return parts.path.isEmpty ? nil : (kind, localized("Location \(parts.path)"))
    case .wireless, .text: return nil
    }
  }

  /// A network as phones and routers write it: `WIFI:T:WPA;S:name;P:password;;`, with `\` before special characters.
  private static func network(_ text: String) -> (name: String, password: String?)? {
    guard text.uppercased().hasPrefix("WIFI:") else { return nil }
    var fields: [String: String] = [:]
    var (field, isEscaped) = ("", false)
    for character in text.dropFirst(5) {
      if isEscaped || (character != "\\" && character != ";") {
        field.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { fields[parts[0].uppercased()] = String(parts[1]) }
        field = ""
      }
    }
    guard let name = fields["S"], !name.isEmpty else { return nil }
    return (name, fields["P"].flatMap { $0.isEmpty ? nil : $0 })
  }

  /// A text of bounded length, in which nothing is invisible or turns the writing: such characters are shown by their number,
  /// as in `⟨202E⟩`.
  static func visible(_ text: String, atMost limit: Int) -> String {
    var result = ""
    // In scalars: one character may have any number of marks.
    for (count, scalar) in text.unicodeScalars.enumerated() {
      if count >= limit { return result + "…" }
      if isTreacherous(scalar) {
        result += "⟨\(String(scalar.value, radix: 16, uppercase: true))⟩"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Controls, marks of direction, other invisible characters, and what no font has.
  private static func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
    default: false
    }
  }
}
