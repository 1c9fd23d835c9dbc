// One measured figure and its goal.

import Foundation

/// The goal of a figure.
enum Goal {
  /// The figure divided by the peer's.
  case ratio(atMost: Double)
  case leastRatio(Double)
  case atMost(Double)
  case atLeast(Double)

  func text(unit: String) -> String {
    switch self {
    case .ratio(atMost: let limit): "ratio ≤ \(Figure.number(limit))"
    case .leastRatio(let limit): "ratio ≥ \(Figure.number(limit))"
    case .atMost(let limit): "≤ \(Figure.number(limit)) \(unit)"
    case .atLeast(let limit): "≥ \(Figure.number(limit)) \(unit)"
    }
  }
}

/// One row of the table.
struct Figure: Encodable {
  var name: String
  /// `nil` when it could not be measured; `note` says why.
  var value: Double?
  var unit: String
  /// The same of the peer or floor, in the same unit.
  var peer: Double?
  /// `value` divided by `peer`.
  var ratio: Double?
  var goal: String?
  /// `nil` when it can't be judged here.
  var met: Bool?
  var peerName: String?
  var peerCommand: String?
  var note: String?

  init(
    _ name: String, value: Double?, unit: String, peer: Double? = nil, peerName: String? = nil,
    peerCommand: String? = nil, goal: Goal? = nil, note: String? = nil
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.peer = peer
    self.peerName = peerName
    self.peerCommand = peerCommand
    self.note = note
    if let value, let peer, peer > 0 { ratio = value / peer }
    self.goal = goal?.text(unit: unit)
    switch goal {
    case .ratio(atMost: let limit): met = ratio.map { $0 <= limit }
    case .leastRatio(let limit): met = ratio.map { $0 >= limit }
    case .atMost(let limit): met = value.map { $0 <= limit }
    case .atLeast(let limit): met = value.map { $0 >= limit }
    case nil: met = nil
    }
  }

  private enum Key: String, CodingKey { case name, value, unit, peer, ratio, goal, met, peerName, peerCommand, note }

  /// Every figure has all the keys; a missing value is `null`.
  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(name, forKey: .name)
    try keys.encode(value, forKey: .value)
    try keys.encode(unit, forKey: .unit)
    try keys.encode(peer, forKey: .peer)
    try keys.encode(ratio, forKey: .ratio)
    try keys.encode(goal, forKey: .goal)
    try keys.encode(met, forKey: .met)
    try keys.encode(peerName, forKey: .peerName)
    try keys.encode(peerCommand, forKey: .peerCommand)
    try keys.encode(note, forKey: .note)
  }

  /// The row of the table.
  var cells: [String] {
    let nothing = "–"
    var peerText = nothing
    if let peerName {
      peerText = peer.map { "\(Self.number($0)) (\(peerName))" } ?? "\(peerName) not available"
    }
    return [
      name, value.map(Self.number) ?? nothing, unit, peerText, ratio.map(Self.number) ?? nothing, goal ?? nothing,
      met.map { $0 ? "yes" : "no" } ?? nothing,
    ]
  }

  /// Three significant digits, without trailing zeros.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "∞" }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
    var text = String(format: "%.\(digits)f", value)
    if text.contains(".") {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return text
  }
}

/// All figures of one run.
struct Report: Encodable {
  var figures: [Figure]

  /// The table for people, the peers' commands and the notes under it.
  var table: String {
    let header = ["figure", "value", "unit", "peer", "ratio", "goal", "met"]
    let rows = figures.map(\.cells)
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        .trimmingCharacters(in: .whitespaces)
    }
    var lines = [line(header), line(widths.map { String(repeating: "-", count: $0) })] + rows.map(line)
    let commands = figures.compactMap { figure in figure.peerCommand.map { "  \(figure.peerName ?? "peer"): \($0)" } }
    if !commands.isEmpty { lines += ["", "Peers:"] + unique(commands) }
    let notes = figures.compactMap { figure in figure.note.map { "  \(figure.name): \($0)" } }
    if !notes.isEmpty { lines += ["", "Notes:"] + notes }
    return lines.joined(separator: "\n")
  }

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  private func unique(_ lines: [String]) -> [String] {
    var seen: Set<String> = []
    return lines.filter { seen.insert($0).inserted }
  }
}
