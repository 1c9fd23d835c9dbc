// Parsing JSON from untrusted files.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct JSONReaderTests {
  private func value(_ text: String) -> JSONValue? { JSONValue(parsing: Data(text.utf8)) }

  @Test func everyKindOfValueIsRead() {
    let text = #" { "a" : [ true, false, null, 0, -1, 1.5, 1e3, 2.0, "x" ], "b" : {}, "c" : [] } "#
    #expect(
      value(text)
        == .object([
          "a": .array([
            .bool(true), .bool(false), .null, .integer(0), .integer(-1), .number(1.5), .integer(1000), .integer(2),
            .text("x"),
          ]), "b": .object([:]), "c": .array([]),
        ]))
    #expect(value("9223372036854775807") == .integer(.max))
    #expect(value("9223372036854775808") == .number(9_223_372_036_854_775_808))
    #expect(value("-0.0") == .integer(0))
    #expect(value(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00é""#) == .text("\"\\/\u{8}\u{c}\n\r\té😀é"))
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "[1,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{1:2}", "01", "-", "1.", ".5",
    "1e", "+1", "1e400", "tru", "nulll", "NaN", "1 2", "\"", "\"\n\"", #""\x""#, #""\u12""#, #""\ud800""#,
    #""\ud800\u0041""#, #""\udc00""#, #""\u+123""#, "'a'", "// 1",
  ])
  func whatIsNoJSONIsNone(text: String) {
    #expect(value(text) == nil)
  }

  @Test func bytesThatAreNoTextAreNone() {
    #expect(JSONValue(parsing: Data([0x22, 0xff, 0x22])) == nil)
    #expect(JSONValue(parsing: Data([0x22, 0xc3, 0xa9, 0x22])) == .text("é"))
  }

  @Test func whatIsNestedWithoutEndIsNone() {
    func nested(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
    #expect(value(nested(100)) != nil)
    #expect(value(nested(1000)) == nil)
    // Foundation's decoder would be busy with this for minutes.
    let wide = "[" + Array(repeating: nested(100), count: 1000).joined(separator: ",") + "]"
    guard case .array(let values)? = value(wide) else { return #expect(Bool(false), "no array") }
    #expect(values.count == 1000)
  }

  @Test func whatWasReadIsWrittenTheSame() throws {
    let read = try #require(value(#"{"n":[1.25,-1e-7,12345678901234567890,5e-324,1e308],"t":"\u0001/é"}"#))
    #expect(JSONValue(parsing: read.data) == read)
  }
}
