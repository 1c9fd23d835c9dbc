// QR codes: what is offered of hostile ones, and when.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct CodeModelTests {
  @Test(arguments: [
    ("https://photome.example/qr?a=b", "web", "photome.example"),
    ("HTTP://User:secret@evil.example:8080/bank.example", "web", "evil.example"),
    ("mailto:ann@photome.example?subject=x", "mail", "ann@photome.example"),
    ("tel:+41441234567", "phone", "Call +41441234567"),
    ("geo:47.37,8.54", "place", "Location 47.37,8.54"),
  ]) func someLinksCanBeOpened(text: String, kind: String, title: String) throws {
    let code = try #require(RecognizedCode(text))
    #expect(code.kind.rawValue == kind && code.title == title && code.link == text && code.copied == text)
  }

  @Test func theEndOfALongHostIsShown() throws {
    let decoy = String(repeating: "bank.example.", count: 9)
    let web = try #require(RecognizedCode("https://\(decoy)evil.example/bank.example"))
    #expect(web.title.hasPrefix("…") && web.title.hasSuffix(".evil.example") && web.title.count == 61)
    let mail = try #require(RecognizedCode("mailto:\(decoy)@evil.example"))
    #expect(mail.title.hasPrefix("…") && mail.title.hasSuffix("@evil.example") && mail.title.count == 61)
    let phone = try #require(RecognizedCode("tel:" + String(repeating: "1", count: 99)))
    #expect(phone.title.hasPrefix("Call 1") && phone.title.hasSuffix("…"))
  }

  @Test(arguments: [
    "javascript:alert(1)", "file:///etc/passwd", "ftp://photome.example", "data:text/html,x", "sms:+4179", "https://",
    "https:///path", "https://photome.example/a b", "https://pay\u{202E}lap.example", "https://pаypal.example",
    "https://photome.example/\n", "just words", "photome.example", "mailto:",
  ]) func everythingElseIsText(text: String) throws {
    let code = try #require(RecognizedCode(text))
    #expect(code.kind == .text && code.link == nil && code.copied == text && code.copyTitle == "Copy")
  }

  @Test func aNetworkHasItsNameAndItsPassword() throws {
    let code = try #require(RecognizedCode(#"WIFI:T:WPA;S:caf\;é \\1;P:a\:b;H:false;;"#))
    #expect(code.kind == .wireless && code.title == #"Wi-Fi “caf;é \1”"# && code.copied == "a:b" && code.link == nil)
    #expect(code.copyTitle == "Copy Password")
    #expect(RecognizedCode("WIFI:T:nopass;P:x;;")?.kind == .text, "without a name")
  }

  @Test func whatIsShownIsBoundedAndVisible() throws {
    let long = try #require(RecognizedCode(String(repeating: "e\u{301}\u{301}", count: 2000)))
    #expect(long.detail.unicodeScalars.count <= 161 && long.detail.hasSuffix("…"))
    let turned = try #require(RecognizedCode("a\u{202E}b\u{200B}c\nd\u{1B}[31m"))
    #expect(turned.detail == "a⟨202E⟩b⟨200B⟩c⟨A⟩d⟨1B⟩[31m")
    #expect(RecognizedCode("") == nil)
  }

  /// Codes that a test shows.
  private final class ScriptedScanner: CodeScanning {
    let sinks = Mutex<[AsyncStream<String?>.Continuation]>([])
    let ends = AsyncStream.makeStream(of: Void.self)

    func codes() -> AsyncStream<String?> {
      let (stream, sink) = AsyncStream.makeStream(of: String?.self)
      sink.onTermination = { [ends] _ in ends.continuation.yield() }
      sinks.withLock { $0.append(sink) }
      return stream
    }

    func show(_ text: String?) { sinks.withLock { $0.forEach { $0.yield(text) } } }
  }

  @Test func aCodeIsOfferedUntilItHasLeftForAWhile() async throws {
    let (scanner, clock) = (ScriptedScanner(), ManualClock())
    let settings = SettingsModel(store: TransientSettingsStore(), messages: MessageModel())
    let model = CodeModel(scanner: scanner, settings: settings, clock: clock)
    scanner.show("tel:1")
    await ModelBench.until { model.code?.kind == .phone }
    scanner.show(nil)
    await clock.wait(forSleepers: 1)
    #expect(model.code != nil)
    scanner.show("words")
    await ModelBench.until { model.code?.kind == .text }
    await clock.wait(forSleepers: 0)
    scanner.show(nil)
    await clock.wait(forSleepers: 1)
    clock.advance(by: CodeModel.linger)
    await ModelBench.until { model.code == nil }
    // Switched off, nobody listens.
    scanner.show("words")
    await ModelBench.until { model.code != nil }
    settings.update { $0.capture.looksForCodes = false }
    await ModelBench.until { model.code == nil }
    for await _ in scanner.ends.stream { break }
  }
}
