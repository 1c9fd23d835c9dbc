// Texts with placeholders, their plural forms, and numbers and locales by name.

import Foundation
import Testing

@testable import Localization

@Suite struct LocalizationValueTests {
  @Test func valuesBecomeNumberedPlaceholders() {
    let (name, count) = ("a {1} b", 1200)
    let text: LocalizationValue = "“\(name)”: \(count) of \(2.5) (\(0.25, decimals: 1...1))"
    #expect(text.key == "“{0}”: {1} of {2} ({3})")
    #expect(text.values == ["a {1} b", "1,200", "2.5", "0.2"])
    // What is filled in is not filled again.
    #expect(text.filled(text.key) == "“a {1} b”: 1,200 of 2.5 (0.2)")
  }

  @Test(arguments: [
    ("{1} von {0}", "zwei von eins"), ("{0}{0}", "einseins"), ("nichts", "nichts"),
    ("{2} {} {x} {-1}", "{2} {} {x} {-1}"),
    ("{ {0} }", "{ eins }"), ("{{0}}", "{eins}"), ("{0", "{0"), ("}{1}{", "}zwei{"), ("", ""),
  ]) func aTranslationHasThemInItsOwnOrder(translation: String, result: String) {
    let text: LocalizationValue = "\("eins") of \("zwei")"
    #expect(text.filled(translation) == result)
  }

  @Test func valuesKeepTheirDirectionInArabic() {
    let text: LocalizationValue = "“\("a/b.jpg")” and \(3)"
    #expect(text.filled("{1} و«{0}»", isolates: true) == "\u{2068}3\u{2069} و«\u{2068}a/b.jpg\u{2069}»")
    #expect(text.filled(text.key) == "“a/b.jpg” and 3")
  }

  @Test(
    arguments: [
      ("", nil), ("Project-Id-Version: PhotoMe\nLanguage: ar\nMIME-Version: 1.0\n", "ar"), ("Language: pt_BR", "pt_BR"),
      ("X-Language: x\n", nil),
    ] as [(String, String?)]) func theCatalogNamesItsLanguage(header: String, language: String?)
  {
    #expect(MessageCatalog.language(ofHeader: header) == language)
    #expect(MessageCatalog.language == nil && !MessageCatalog.isRightToLeft)
  }

  @Test func withoutACatalogTextsAreEnglish() {
    #expect(localized("Photo \(3) of \(4)") == "Photo 3 of 4")
    #expect(localized("Open", context: "menu", comment: "a remark") == "Open")
    let texts = [0, 1, 2, 1000].map { localized("\($0) picture", plural: "\($0) pictures", count: $0) }
    #expect(texts == ["0 pictures", "1 picture", "2 pictures", "1,000 pictures"])
    #expect(localized("A picture", plural: "\(5) pictures", count: 1) == "A picture")
  }

  @Test(arguments: [
    ("C", "en_US"), ("POSIX", "en_US"), ("C.UTF-8", "en_US"), ("", "en_US"), ("de_DE.UTF-8", "de_DE"),
    ("ja_JP", "ja_JP"),
    ("sr_RS.UTF-8@latin", "sr_Latn_RS"), ("ca_ES.UTF-8@valencia", "ca_ES"), ("eo", "eo"), ("de_DE@euro", "de_DE"),
  ]) func localesAreNamedAsFoundationNamesThem(name: String, identifier: String) {
    #expect(Locale.identifier(of: name) == identifier)
  }

  @Test(arguments: [(0.0, 0), (1, 1), (1.04, 1), (1.1, 100), (0.96, 1), (-2, 2), (5, 5), (.infinity, 100), (.nan, 100)])
  func fractionsHaveThePluralOfManyThings(number: Double, count: Int) {
    #expect(number.countOfPlural() == count)
  }

  @Test func listsAndNumbersAreThoseOfTheLocale() {
    #expect(["a", "b", "c"].localizedList == "a, b, and c" && ["a", "b"].localizedChoices == "a or b")
    #expect([-5, 0, 999, 1000, Int.max].map(\.localized) == ["-5", "0", "999", "1,000", "9,223,372,036,854,775,807"])
    #expect(1.0.localized() == "1" && 1.255.localized(decimals: 1...1) == "1.3")
    let day = Date(timeIntervalSince1970: 0)
    let style = Date.FormatStyle(date: .long, time: .omitted, timeZone: .gmt)
    #expect(day.localized(style) == "January 1, 1970")
  }
}
