// The thumbnails that all programs of a desktop share, by the rules of the Thumbnail Managing Standard.

import CExiv2
import CameraCore
import Foundation

/// The freedesktop.org thumbnail cache: one small PNG a file and size, named by the MD5 of the file's URI.
///
/// Source: https://specifications.freedesktop.org/thumbnail-spec/latest/ (version 0.9.0)
///
/// It is a cache: what can't be written there is lost to nobody, so writing has no errors.
struct DesktopThumbnails: Sendable {
  /// The sizes that the standard knows.
  enum SizeClass: String, CaseIterable, Comparable {
    case normal
    case large
    case extraLarge = "x-large"
    case extraExtraLarge = "xx-large"

    /// The square that its pictures fit into, in pixels a side.
    var side: Int {
      switch self {
      case .normal: 128
      case .large: 256
      case .extraLarge: 512
      case .extraExtraLarge: 1024
      }
    }

    static func < (left: Self, right: Self) -> Bool { left.side < right.side }

    /// How large its thumbnail of a picture is; a smaller picture keeps its size.
    func size(of picture: PixelSize) -> PixelSize {
      ImageContentMode.aspectFit.neededSize(of: picture, for: PixelSize(width: side, height: side))
    }

    func covers(_ needed: PixelSize, of picture: PixelSize) -> Bool {
      let size = size(of: picture)
      return size.width >= needed.width && size.height >= needed.height
    }

    /// The smallest whose thumbnail of a picture has the pixels that are needed; `nil` when none has.
    static func covering(_ needed: PixelSize, of picture: PixelSize) -> SizeClass? {
      allCases.first { $0.covers(needed, of: picture) }
    }
  }

  /// What a file's thumbnails are found and judged by: they are of the file's state with this time and size.
  struct Subject: Sendable {
    let uri: String
    /// In whole seconds since 1970, as the standard counts.
    let modified: Int64
    let byteCount: UInt64
    let fileName: String

    /// - Parameter path: Absolute.
    /// - Returns: `nil` for a path that no URI can be made of.
    init?(path: String, status: Disk.Status) {
      guard let uri = DesktopThumbnails.uri(path: path) else { return nil }
      self.uri = uri
      // Towards the past, also before 1970.
      modified = Int64((Double(status.modified) / 1_000_000_000).rounded(.down))
      byteCount = status.size
      fileName = DesktopThumbnails.digest(uri) + ".png"
    }
  }

  /// `…/thumbnails`, without a slash at the end.
  let folder: String
  private let disk = Disk()

  private static let software = "PhotoMe"
  private static let failureFolder = "fail/photome-" + ProgramVersion.text

  init(folder: URL) { self.folder = folder.standardizedFileURL.path }

  /// What a file's thumbnails go by.
  ///
  /// - Returns: `nil` for a file in the cache itself: of a thumbnail no thumbnail is made.
  func subject(path: String, status: Disk.Status) -> Subject? {
    path.hasPrefix(folder + "/") ? nil : Subject(path: path, status: status)
  }

  // MARK: Reading

  /// The best thumbnail that there is and that is of the file's present state: the smallest that has the pixels that are
  /// needed, or else the largest.
  ///
  /// - Parameter picture: The picture's size, upright as thumbnails are.
  func read(_ subject: Subject, of picture: PixelSize, needed: PixelSize) -> DecodedImage? {
    let wanted = SizeClass.covering(needed, of: picture)
    var candidates: [SizeClass] = []
    if let wanted {
      candidates = [wanted]
      // One more: further up, decoding the picture itself costs less.
      if let next = SizeClass.allCases.first(where: { $0 > wanted }) { candidates.append(next) }
    }
    candidates += SizeClass.allCases.reversed().filter { size in wanted.map { size < $0 } ?? true }
    for size in candidates {
      if let image = read(subject, size), Self.isShaped(image.size, as: picture) { return image }
    }
    return nil
  }

  /// Whether there is a thumbnail of the file's present state, of a size class, whole and in the picture's shape.
  func has(_ subject: Subject, of picture: PixelSize, _ size: SizeClass) -> Bool {
    read(subject, size).map { Self.isShaped($0.size, as: picture) } ?? false
  }

  private func read(_ subject: Subject, _ size: SizeClass) -> DecodedImage? {
    guard let reader = open(path(subject, size.rawValue), of: subject) else { return nil }
    return reader.decode()
  }

  /// A PNG that says to be of this state of this file.
  private func open(_ path: String, of subject: Subject) -> ThumbnailPNG.Reader? {
    // What can't be read is no thumbnail; a new one takes its place.
    guard let file = try? ReadableFile(path, disk: disk), file.size <= UInt64(ThumbnailPNG.largestFile),
      let data = try? file.data(at: 0, count: Int(file.size)), let reader = ThumbnailPNG.Reader(data)
    else { return nil }
    var texts = reader.texts()
    if texts["Thumb::URI"] == nil {
      // Some programs write the texts behind the pixels.
      _ = reader.decode()
      texts = reader.texts()
      return Self.isOf(subject, texts) ? ThumbnailPNG.Reader(data) : nil
    }
    return Self.isOf(subject, texts) ? reader : nil
  }

  private static func isOf(_ subject: Subject, _ texts: [String: String]) -> Bool {
    guard texts["Thumb::URI"] == subject.uri, let text = texts["Thumb::MTime"], let time = wholeSeconds(text),
      time == subject.modified
    else { return false }
    // Optional, and finer than a second: a file that was written twice in one has most often another size.
    return texts["Thumb::Size"].flatMap(UInt64.init).map { $0 == subject.byteCount } ?? true
  }

  /// KDE's programs write whole seconds; some others a fraction behind them.
  private static func wholeSeconds(_ text: String) -> Int64? {
    text.split(separator: ".", omittingEmptySubsequences: false).first.flatMap { Int64($0) }
  }

  /// A thumbnail of another shape is of something else, has borders, or is cut.
  private static func isShaped(_ size: PixelSize, as picture: PixelSize) -> Bool {
    let aspect = Double(picture.width) / Double(picture.height)
    let own = Double(size.width) / Double(size.height)
    // A pixel more or less is much for a small picture.
    return abs(own / aspect - 1) <= 0.03 + 1 / Double(max(1, min(size.width, size.height)))
  }

  // MARK: Writing

  /// Keeps a thumbnail for all programs.
  ///
  /// - Parameters:
  ///   - image: Upright, with all pixels of the size class or more.
  ///   - picture: The whole picture's size, upright.
  func write(_ image: DecodedImage, of subject: Subject, picture: PixelSize, _ size: SizeClass, mimeType: String) {
    let target = size.size(of: picture)
    guard image.covers(target) else { return }
    let data = ThumbnailPNG.encode(
      image.averaged(to: target),
      texts: [
        "Thumb::URI": subject.uri, "Thumb::MTime": String(subject.modified), "Thumb::Size": String(subject.byteCount),
        "Thumb::Mimetype": mimeType, "Thumb::Image::Width": String(picture.width),
        "Thumb::Image::Height": String(picture.height), "Software": Self.software,
      ])
    if let data { write(data, to: path(subject, size.rawValue)) }
  }

  // MARK: Failures

  /// Notes that no picture can be made of a file, so that it isn't tried at every look.
  ///
  /// - Parameter reason: As in `PhotoLibraryError.unusableFile`.
  func noteFailure(_ subject: Subject, reason: String) {
    // The standard asks for an empty PNG, and PNG for at least one pixel.
    let empty = DecodedImage(
      size: PixelSize(width: 1, height: 1), stride: 4,
      block: FrameBlock(count: 4) { $0.initializeMemory(as: UInt8.self, repeating: 0) })
    let data = ThumbnailPNG.encode(
      empty,
      texts: [
        "Thumb::URI": subject.uri, "Thumb::MTime": String(subject.modified), "Thumb::Size": String(subject.byteCount),
        "Description": reason, "Software": Self.software,
      ])
    if let data { write(data, to: path(subject, Self.failureFolder)) }
  }

  /// Why no picture can be made of a file in its present state; `nil` when nothing was noted.
  func failure(_ subject: Subject) -> String? {
    let reader = open(path(subject, Self.failureFolder), of: subject)
    return reader.map { $0.texts()["Description"] ?? "it could not be decoded" }
  }

  // MARK: Files

  private func path(_ subject: Subject, _ place: String) -> String { "\(folder)/\(place)/\(subject.fileName)" }

  /// Temporary file in the same folder → final name: whoever reads meanwhile finds the old thumbnail or the new one.
  ///
  /// Nothing is flushed: after a power cut a damaged thumbnail is made again.
  private func write(_ data: Data, to path: String) {
    guard makeFolder(Disk.parent(of: path)) else { return }
    let temporary = "\(path).\(LibraryFolder.makeToken()).tmp"
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let isWritten = data.withUnsafeBytes { bytes in
      var done = 0
      while let base = bytes.baseAddress, done < bytes.count {
        let count = Glibc.write(descriptor, base + done, bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
    close(descriptor)
    if !isWritten || rename(temporary, path) != 0 { unlink(temporary) }
  }

  /// Only the owner may look into it. Folders that are there stay as they are.
  private func makeFolder(_ path: String) -> Bool {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT, path != "/" else { return false }
    return makeFolder(Disk.parent(of: path)) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
  }

  // MARK: Names

  /// The file's URI as GLib writes it, which is what all programs agree on.
  ///
  /// - Parameter path: Absolute.
  static func uri(path: String) -> String? {
    guard let text = g_filename_to_uri(path, nil, nil) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// MD5, in 32 lower-case hexadecimal digits.
  static func digest(_ uri: String) -> String {
    guard let text = g_compute_checksum_for_string(G_CHECKSUM_MD5, uri, -1) else {
      preconditionFailure("GLib knows MD5.")
    }
    defer { g_free(text) }
    return String(cString: text)
  }
}
