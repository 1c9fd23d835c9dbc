// Editing extensions: external programs that edit pictures, found by their key files.

import CExiv2
import CameraCore
import Foundation
import Localization
import PhotoEffects

/// An external program that edits pictures, as described by its key file.
///
/// A key file is any file with the extension `.extension` in `photome/extensions` of the XDG data folders. It has the
/// format of desktop entries (freedesktop.org, Desktop Entry Specification 1.5, “Basic format of the file”):
///
///     [Editing Extension]
///     Name=Oil Painting
///     Comment=Paints the picture with a broad brush
///     Exec=photome-oil-painting --brush 8
///     TryExec=gegl
///     FormatIdentifier=org.example.oil-painting
///     FormatVersions=1;2;
///     Media=photo;live;
///     TimeLimit=120
///
/// - `Name` and `Comment` may have translations (`Name[de]`).
/// - `Exec` is the program and its arguments, quoted as in a shell, though no shell runs it. A program without a slash
///   is searched for next to the key file and then in `PATH`; a relative path starts at the key file.
/// - `TryExec` names a program without which the extension is not offered.
/// - `FormatIdentifier` and `FormatVersions` name the adjustment data that it reads and writes: it writes the first
///   version.
/// - `Media`: `photo`, `live` (a live photo: the picture and its movie) and `video`; the default is `photo`.
/// - `TimeLimit` is in seconds, 1 to 3600; the default is 120.
/// - `MemoryLimit` is in MiB of memory that each of its processes may reserve, 64 to 1048576; the default is three
///   quarters of the machine's, 2 to 16 GiB.
///
/// `ExtensionRun` describes the program's input and output.
public struct EditingExtension: Sendable, Hashable, Identifiable {
  /// A kind of asset that an extension can edit.
  public enum Media: String, Sendable, Hashable, CaseIterable {
    case photo, live, video
  }

  /// The key file's name without its extension; a file in an earlier folder hides those of the same name in later ones.
  public var id: String
  /// For display, in the language of the desktop.
  public var name: String
  public var comment: String?
  public var keyFile: URL
  /// The program, as an absolute path, and its arguments.
  public var command: [String]
  /// Reverse domain name notation.
  public var formatIdentifier: String
  /// The versions that it reads; it writes the first.
  public var formatVersions: [String]
  public var media: Set<Media>
  /// In seconds.
  public var timeLimit: Double
  /// In bytes; `nil` for the default.
  public var memoryLimit: UInt64?

  public init(
    id: String, name: String, comment: String?, keyFile: URL, command: [String], formatIdentifier: String,
    formatVersions: [String], media: Set<Media>, timeLimit: Double, memoryLimit: UInt64? = nil
  ) {
    (self.id, self.name, self.comment, self.keyFile, self.command) = (id, name, comment, keyFile, command)
    (self.formatIdentifier, self.formatVersions) = (formatIdentifier, formatVersions)
    (self.media, self.timeLimit, self.memoryLimit) = (media, timeLimit, memoryLimit)
  }

  /// Whether it can reopen an edit.
  public func canHandle(_ adjustment: AdjustmentData) -> Bool {
    adjustment.formatIdentifier == formatIdentifier && formatVersions.contains(adjustment.formatVersion)
  }

  /// Whether it can edit an asset.
  public func canEdit(_ asset: Asset) -> Bool {
    switch asset.mediaType {
    case .photo: media.contains(asset.isLive ? .live : .photo)
    case .video: media.contains(.video)
    }
  }
}

/// The installed extensions.
public struct EditingExtensions: Sendable {
  /// An unusable key file.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    public var keyFile: URL
    /// The fault, as the end of a sentence.
    public var reason: String

    public var description: String {
      localized("The editing extension “\(keyFile.path)” can’t be used: \(reason).").displayed
    }
  }

  /// Sorted by name.
  public private(set) var extensions: [EditingExtension] = []
  public private(set) var problems: [Problem] = []

  private static let group = "Editing Extension"
  /// In bytes; a longer file isn't a key file.
  private static let largestFile: UInt64 = 64 << 10

  /// Finds the extensions.
  ///
  /// - Parameters:
  ///   - folders: In order of precedence; missing folders are skipped.
  ///   - path: The search path of programs.
  public init(
    in folders: [URL] = UserFolders().extensions,
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
  ) {
    var seen: Set<String> = []
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names.sorted() where name.ends(with: ".extension") && !name.isHiddenName {
        let id = String(Substring(name.utf8.dropLast(".extension".utf8.count)))
        guard seen.insert(id).inserted else { continue }
        let file = folder.appendingPathComponent(name)
        do {
          if let found = try Self.read(file, id: id, path: path) { extensions.append(found) }
        } catch {
          problems.append(Problem(keyFile: file, reason: error.reason))
        }
      }
    }
    extensions.sort { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// An extension by its id or its name.
  public func named(_ name: String) -> EditingExtension? {
    extensions.first { $0.id == name }
      ?? extensions.first { $0.name.compare(name, options: [.caseInsensitive, .diacriticInsensitive]) == .orderedSame }
  }

  // MARK: Key files

  private struct Unusable: Error { var reason: String }

  /// - Returns: `nil` when `TryExec` is not installed.
  private static func read(_ file: URL, id: String, path: String) throws(Unusable) -> EditingExtension? {
    let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? UInt64) ?? 0
    guard size <= largestFile else { throw Unusable(reason: localized("it’s too long for a key file")) }
    guard let keys = g_key_file_new() else { throw Unusable(reason: localized("there isn’t enough memory")) }
    defer { g_key_file_unref(keys) }
    var error: UnsafeMutablePointer<GError>?
    guard g_key_file_load_from_file(keys, file.path, G_KEY_FILE_NONE, &error) != 0 else {
      defer { g_clear_error(&error) }
      throw Unusable(reason: error.map { String(cString: $0.pointee.message) } ?? localized("it can’t be read"))
    }
    func text(_ key: String, translated: Bool = false) -> String? {
      let value =
        translated
        ? g_key_file_get_locale_string(keys, group, key, nil, nil) : g_key_file_get_string(keys, group, key, nil)
      guard let value else { return nil }
      defer { g_free(value) }
      let text = String(cString: value).trimmingCharacters(in: .whitespaces)
      let words = translated ? text.displayed : text
      return words.isEmpty ? nil : words
    }
    func required(_ key: String, translated: Bool = false) throws(Unusable) -> String {
      guard let value = text(key, translated: translated) else { throw Unusable(reason: localized("it has no \(key)")) }
      return value
    }
    func list(_ key: String) -> [String] {
      text(key)?.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty } ?? []
    }
    let name = try required("Name", translated: true)
    let identifier = try required("FormatIdentifier")
    guard identifier.split(separator: ".").count >= 3, identifier != AdjustmentRecipe.formatIdentifier else {
      throw Unusable(
        reason: localized(
          """
          its FormatIdentifier “\(identifier)” isn’t a unique name like org.example.name
          """))
    }
    let versions = list("FormatVersions")
    guard !versions.isEmpty else { throw Unusable(reason: localized("it has no FormatVersions")) }
    var media: Set<EditingExtension.Media> = []
    for word in list("Media") {
      guard let one = EditingExtension.Media(rawValue: word) else {
        throw Unusable(
          reason: localized(
            """
            its Media “\(word)” isn’t one of \
            \(EditingExtension.Media.allCases.map(\.rawValue).localizedChoices)
            """))
      }
      media.insert(one)
    }
    let limit = try text("TimeLimit").map { words throws(Unusable) -> Double in
      guard let seconds = Double(words), (1...3600).contains(seconds) else {
        throw Unusable(reason: localized("its TimeLimit “\(words)” isn’t a number of seconds from \(1) to \(3600)"))
      }
      return seconds
    }
    let memory = try text("MemoryLimit").map { words throws(Unusable) -> UInt64 in
      guard let mebibytes = UInt64(words), (64...1_048_576).contains(mebibytes) else {
        throw Unusable(
          reason: localized(
            """
            its MemoryLimit “\(words)” isn’t a number of MiB from \(64) to \(1_048_576)
            """))
      }
      return mebibytes << 20
    }
    let folder = file.deletingLastPathComponent()
    if let needed = text("TryExec"), program(needed, beside: folder, path: path) == nil { return nil }
    var command = try words(try required("Exec"))
    guard let first = command.first, let program = program(first, beside: folder, path: path) else {
      throw Unusable(reason: localized("its program “\(command.first ?? "")” isn’t installed"))
    }
    command[0] = program
    return EditingExtension(
      id: id, name: name, comment: text("Comment", translated: true), keyFile: file, command: command,
      formatIdentifier: identifier, formatVersions: versions, media: media.isEmpty ? [.photo] : media,
      timeLimit: limit ?? 120, memoryLimit: memory)
  }

  private static func words(_ line: String) throws(Unusable) -> [String] {
    var (count, arguments): (gint, UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) = (0, nil)
    guard g_shell_parse_argv(line, &count, &arguments, nil) != 0, let arguments else {
      throw Unusable(reason: localized("its Exec can’t be read; check the quotation marks"))
    }
    defer { g_strfreev(arguments) }
    return (0..<Int(count)).compactMap { arguments[$0].map { String(cString: $0) } }
  }

  /// The program's absolute path; `nil` when it doesn't exist or isn't executable.
  private static func program(_ name: String, beside folder: URL, path: String) -> String? {
    var places = [name.hasPrefix("/") ? name : folder.appendingPathComponent(name).path]
    if !name.contains("/") { places += path.split(separator: ":").map { "\($0)/\(name)" } }
    return places.first {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
        && FileManager.default.isExecutableFile(atPath: $0)
    }
  }
}

extension UserFolders {
  /// The folders of editing extensions in order of precedence: the user's, the system's, and the program's own.
  ///
  /// - Parameters:
  ///   - environment: For `XDG_DATA_DIRS`.
  ///   - program: The running program; its extensions are in the data folder of its prefix, or of the checkout it was
  ///     built in.
  public func extensions(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    program: URL? = Bundle.main.executableURL?.resolvingSymlinksInPath()
  ) -> [URL] {
    let system = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    var folders =
      [data]
      + system.split(separator: ":").filter { $0.hasPrefix("/") }.map {
        URL(fileURLWithPath: String($0), isDirectory: true)
      }
    if let program {
      folders.append(program.deletingLastPathComponent().appendingPathComponent("../share").standardized)
    }
    folders = folders.map { $0.appendingPathComponent("photome/extensions", isDirectory: true) }
    var place = program
    // As deep as SwiftPM's build folder.
    for _ in 0..<5 {
      place = place?.deletingLastPathComponent()
      guard let place, FileManager.default.fileExists(atPath: place.appendingPathComponent("Package.swift").path) else {
        continue
      }
      folders.append(place.appendingPathComponent("data/extensions", isDirectory: true))
      break
    }
    return folders.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The folders for this process.
  public var extensions: [URL] { extensions() }
}
