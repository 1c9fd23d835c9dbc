// The texts of toasts.

import Testing

@testable import PhotoMe

@Suite("Toasts")
struct ToastTests {
  @Test(
    "A single sentence has no period, several have theirs",
    arguments: [
      ("Camera: Webcam.", "Camera: Webcam"), ("Photo deleted", "Photo deleted"),
      ("The photo is too large. Choose another one.", "The photo is too large. Choose another one."),
      ("1 item exported to “a.b”.", "1 item exported to “a.b”"), ("Saving…", "Saving…"), ("", ""), (".", ""),
      ("写真を削除しました。", "写真を削除しました"), ("保存しました。元に戻せます。", "保存しました。元に戻せます。"),
    ])
  func titles(text: String, title: String) { #expect(Toast.title(text) == title) }
}
