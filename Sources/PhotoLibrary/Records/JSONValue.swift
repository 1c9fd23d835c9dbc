// A JSON value of any type, so that unknown keys can be preserved.

import Foundation

/// A JSON value.
package enum JSONValue: Sendable, Hashable, Encodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let bool): try value.encode(bool)
    case .integer(let integer): try value.encode(integer)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .array(let array): try value.encode(array)
    case .object(let object): try value.encode(object)
    }
  }

  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  var number: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  package var object: [String: JSONValue]? { if case .object(let object) = self { object } else { nil } }

  /// Deterministic bytes: sorted keys, one per line, with a final newline.
  package var data: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Only numbers that JSON can't represent could fail, and none was ever parsed from JSON.
    guard var data = try? encoder.encode(self) else { preconditionFailure("JSON that can’t be written") }
    data.append(UInt8(ascii: "\n"))
    return data
  }
}
