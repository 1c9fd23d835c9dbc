// The desktop's shared thumbnail cache, by the Thumbnail Managing Standard.

import CExiv2
import CameraCore
import Foundation
import Localization

/// The freedesktop.org thumbnail cache: one PNG per file and size class, named by the MD5 of the file's URI.
///
/// Source: https://specifications.freedesktop.org/thumbnail-spec/latest/ (version 0.9.0)
///
/// It is a cache: failing to write to it loses nothing, so writing has no errors.
struct DesktopThumbnails: Sendable {
  /// The size classes of the standard.
  enum SizeClass: String, CaseIterable, Comparable {
    case normal
    case large
    case extraLarge = "x-large"
    case extraExtraLarge = "xx-large"

    /// The side of the square that its thumbnails fit into, in pixels.
    var side: Int {
      switch self {
      case .normal: 128
      case .large: 256
      case .extraLarge: 512
      case .extraExtraLarge: 1024
      }
    }

    static func < (left: Self, right: Self) -> Bool { left.side < right.side }

    /// The size of its thumbnail of a picture; a smaller picture keeps its size.
    func size(of picture: PixelSize) -> PixelSize {
      ImageContentMode.aspectFit.neededSize(of: picture, for: PixelSize(width: side, height: side))
    }

    func covers(_ needed: PixelSize, of picture: PixelSize) -> Bool {
      let size = size(of: picture)
      return size.width >= needed.width && size.height >= needed.height
    }

    /// The smallest class whose thumbnail of a picture is large enough; `nil` when none is.
    static func covering(_ needed: PixelSize, of picture: PixelSize) -> SizeClass? {
      allCases.first { $0.covers(needed, of: picture) }
    }
  }

  /// The identity and the state of a file, by which its thumbnails are found and validated.
  struct Subject: Sendable {
    /// Absolute.
    let path: String
    let uri: String
    /// In whole seconds since 1970, as the standard requires.
    let modified: Int64
    let byteCount: UInt64
    /// The last change of the file or its metadata, in nanoseconds since 1970.
    let changed: Int64
    let fileName: String

    /// - Parameter path: Absolute.
    /// - Returns: `nil` for a path that has no URI.
    init?(path: String, status: Disk.Status) {
      guard let uri = DesktopThumbnails.uri(path: path) else { return nil }
      (self.path, self.uri) = (path, uri)
      // Rounded down, also before 1970.
      modified = Int64((Double(status.modified) / 1_000_000_000).rounded(.down))
      byteCount = status.size
      changed = status.changed
      fileName = DesktopThumbnails.digest(uri) + ".png"
    }
  }

  /// `…/thumbnails`, without a trailing slash.
  let folder: String
  private let disk = Disk()

  private static let software = "PhotoMe"
  /// Raised when more pictures can be decoded, so that older notes about them aren't read. 2: up to 256 MiB. 3: a decoder
  /// that was killed isn't noted.
  private static let failureRevision = 3
  static let failureFolder = "fail/photome-\(ProgramVersion.text)-\(failureRevision)"

  init(folder: URL) { self.folder = folder.standardizedFileURL.path }

  /// The subject for a file.
  ///
  /// - Returns: `nil` for a file in the cache itself: thumbnails have no thumbnails.
  func subject(path: String, status: Disk.Status) -> Subject? {
    path.begins(with: folder + "/") ? nil : Subject(path: path, status: status)
  }

  // MARK: Reading

  /// The best valid thumbnail of the file's current state: the smallest that is large enough, or else the largest.
  ///
  /// - Parameter picture: The picture's size, upright as thumbnails are.
  func read(_ subject: Subject, of picture: PixelSize, needed: PixelSize) -> DecodedImage? {
    let wanted = SizeClass.covering(needed, of: picture)
    var candidates: [SizeClass] = []
    if let wanted {
      candidates = [wanted]
      // One more: beyond that, decoding the picture itself is cheaper.
      if let next = SizeClass.allCases.first(where: { $0 > wanted }) { candidates.append(next) }
    }
    candidates += SizeClass.allCases.reversed().filter { size in wanted.map { size < $0 } ?? true }
    for size in candidates {
      if let image = read(subject, size), Self.isShaped(image.size, as: picture) { return image }
    }
    return nil
  }

  /// Whether there is a valid thumbnail of the file's current state in a size class.
  func has(_ subject: Subject, of picture: PixelSize, _ size: SizeClass) -> Bool {
    read(subject, size).map { Self.isShaped($0.size, as: picture) } ?? false
  }

  private func read(_ subject: Subject, _ size: SizeClass) -> DecodedImage? {
    guard let reader = open(path(subject, size.rawValue), of: subject) else { return nil }
    return reader.decode()
  }

  /// Opens a PNG whose texts name this state of this file.
  private func open(_ path: String, of subject: Subject) -> ThumbnailPNG.Reader? {
    // An unreadable thumbnail counts as missing; a new one replaces it.
    guard let file = try? ReadableFile(path, disk: disk), file.size <= UInt64(ThumbnailPNG.largestFile),
      // An edit keeps the picture's modification time, which is all that some programs write into a thumbnail: one that
      // is older than the file's last change may show what the picture was before.
      file.status.modified >= subject.changed,
      let data = try? file.data(at: 0, count: Int(file.size)), let reader = ThumbnailPNG.Reader(data)
    else { return nil }
    var texts = reader.texts()
    if texts["Thumb::URI"] == nil {
      // Some programs write the texts after the pixels.
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
    // Optional; detects a file that was written twice in one second, which usually changes its size.
    return texts["Thumb::Size"].flatMap(UInt64.init).map { $0 == subject.byteCount } ?? true
  }

  /// KDE's programs write whole seconds; some others add a fraction.
  private static func wholeSeconds(_ text: String) -> Int64? {
    text.split(separator: ".", omittingEmptySubsequences: false).first.flatMap { Int64($0) }
  }

  /// A thumbnail with another aspect ratio is of something else, has borders, or is cropped.
  private static func isShaped(_ size: PixelSize, as picture: PixelSize) -> Bool {
    let aspect = Double(picture.width) / Double(picture.height)
    let own = Double(size.width) / Double(size.height)
    // One pixel is a large difference for a small picture.
    return abs(own / aspect - 1) <= 0.03 + 1 / Double(max(1, min(size.width, size.height)))
  }

  // MARK: Writing

  /// Writes a thumbnail for all programs.
  ///
  /// - Parameters:
  ///   - image: Upright, at least as large as the size class's thumbnail.
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
    if let data { write(data, of: subject, to: size.rawValue) }
  }

  // MARK: Failures

  /// Records that a file can't be decoded, so that it isn't tried every time.
  ///
  /// - Parameter reason: As in `PhotoLibraryError.unusableFile`.
  func noteFailure(_ subject: Subject, reason: String) {
    // The standard requires an empty PNG, and PNG at least one pixel.
    let empty = DecodedImage(
      size: PixelSize(width: 1, height: 1), stride: 4,
      block: FrameBlock(count: 4) { $0.initializeMemory(as: UInt8.self, repeating: 0) })
    let data = ThumbnailPNG.encode(
      empty,
      texts: [
        "Thumb::URI": subject.uri, "Thumb::MTime": String(subject.modified), "Thumb::Size": String(subject.byteCount),
        "Description": reason, Self.languageKey: Locale.forText.identifier, "Software": Self.software,
      ])
    if let data { write(data, of: subject, to: Self.failureFolder) }
  }

  /// The reason why a file in its current state can't be decoded; `nil` when none was recorded.
  func failure(_ subject: Subject) -> String? {
    let reader = open(path(subject, Self.failureFolder), of: subject)
    return reader.map { reader in
      let texts = reader.texts()
      let known = texts[Self.languageKey] == Locale.forText.identifier ? texts["Description"] : nil
      return known ?? localized("it can’t be decoded")
    }
  }

  /// The keyword for the language of a reason: it is shown again, but not to a person with another language.
  private static let languageKey = "Photome::Language"

  // MARK: Files

  private func path(_ subject: Subject, _ place: String) -> String { "\(folder)/\(place)/\(subject.fileName)" }

  /// Writes nothing for a file that was hidden or deleted meanwhile, and removes what was written at the same moment.
  private func write(_ data: Data, of subject: Subject, to place: String) {
    guard isWanted(subject) else { return }
    let path = path(subject, place)
    write(data, to: path)
    if !isWanted(subject) { unlink(path) }
  }

  private func isWanted(_ subject: Subject) -> Bool {
    !ConcealedPictures.shared.contains(subject.path) && disk.status(subject.path) != nil
  }

  /// Temporary file in the same folder → final name: readers find the old thumbnail or the new one.
  ///
  /// Nothing is flushed: after a power failure a damaged thumbnail is replaced.
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

  /// Creates a folder that only the owner can access. Existing folders stay as they are.
  private func makeFolder(_ path: String) -> Bool {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT, path != "/" else { return false }
    return makeFolder(Disk.parent(of: path)) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
  }

  // MARK: Names

  /// The file's URI as GLib writes it, on which all programs agree.
  ///
  /// - Parameter path: Absolute.
  static func uri(path: String) -> String? {
    guard let text = g_filename_to_uri(path, nil, nil) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// MD5, as 32 lowercase hexadecimal digits.
  static func digest(_ uri: String) -> String {
    guard let text = g_compute_checksum_for_string(G_CHECKSUM_MD5, uri, -1) else {
      preconditionFailure("GLib knows MD5.")
    }
    defer { g_free(text) }
    return String(cString: text)
  }
}
