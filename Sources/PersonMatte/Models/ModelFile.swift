// The files of the models that PhotoMe knows.

import CNettle
import CameraCore
import Foundation

/// A model of MediaPipe (Apache License 2.0), by its name in Google's wheel `mediapipe` 0.10.21. `data/dev/models` fetches
/// them.
public enum ModelFile: String, CaseIterable, Sendable {
  /// Tells people from the background in wide pictures: 256×144 pixels, fast.
  case selfieLandscape = "selfie_segmentation_landscape.tflite"
  /// The same in pictures of any shape: 256×256 pixels.
  case selfie = "selfie_segmentation.tflite"
  /// Finds faces within two meters of the camera.
  case faces = "face_detection_short_range.tflite"

  /// SHA-256.
  var digest: String {
    switch self {
    case .selfieLandscape: "a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd"
    case .selfie: "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c"
    case .faces: "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8"
    }
  }

  /// The folder of the models beside the program's other files; `nil` when those are nowhere.
  public static var installedFolder: URL? {
    DataFolder.find().map { URL(fileURLWithPath: $0.path, isDirectory: true).appendingPathComponent("models") }
  }

  /// Reads the model.
  ///
  /// - Throws: `ModelError`: no file, another file than the known one, or one that can't be read.
  func load(from folder: URL?) throws(ModelError) -> NetworkModel {
    guard let url = folder?.appendingPathComponent(rawValue), FileManager.default.fileExists(atPath: url.path) else {
      throw .notInstalled(name: rawValue)
    }
    let data: Data
    do { data = try Data(contentsOf: url) } catch {
      throw .unreadable(path: url.path, reason: error.localizedDescription)
    }
    guard Self.digest(of: data) == digest else { throw .wrongDigest(path: url.path) }
    return try NetworkModel([UInt8](data))
  }

  /// The SHA-256 of bytes, in lowercase hexadecimal digits.
  static func digest(of data: Data) -> String {
    var state = sha256_ctx()
    nettle_sha256_init(&state)
    data.withUnsafeBytes { bytes in
      nettle_sha256_update(&state, bytes.count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
    }
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
    nettle_sha256_digest(&state, digest.count, &digest)
    return digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
