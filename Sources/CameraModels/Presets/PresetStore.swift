// The files of the user's presets.

import CameraCore
import Foundation
import Localization
import PhotoEffects

/// A folder of preset files, which the window and the command line share. A file that is put there by hand is a preset as well.
public struct PresetStore: Sendable {
  public let folder: URL

  public init(folder: URL) { self.folder = folder }

  /// `photome/presets` in the XDG base directory for data.
  public static var standard: PresetStore {
    PresetStore(folder: UserFolders().data.appendingPathComponent("photome/presets", isDirectory: true))
  }

  /// A preset and its file.
  private struct Stored {
    var preset: EditPreset
    var url: URL
  }

  /// The presets by name, and what is wrong with files that are none. Of several with the same name, one.
  ///
  /// - Throws: `PresetError.unreadableFile` when the folder can't be read.
  public func list() throws(PresetError) -> (presets: [EditPreset], problems: [PresetError]) {
    let (stored, problems) = try read()
    return (stored.map(\.preset), problems)
  }

  private func read() throws(PresetError) -> ([Stored], [PresetError]) {
    let files: [URL]
    do {
      files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    } catch CocoaError.fileReadNoSuchFile {
      return ([], [])
    } catch {
      throw .unreadableFile(name: folder.path, reason: error.localizedDescription)
    }
    var (byName, problems): ([String: Stored], [PresetError]) = ([:], [])
    let presets = files.filter { $0.pathExtension == EditPreset.fileExtension && !$0.lastPathComponent.hasPrefix(".") }
    for url in presets.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
      do throws(PresetError) {
        let preset = try Self.preset(in: url)
        if byName[preset.name] == nil { byName[preset.name] = Stored(preset: preset, url: url) }
      } catch { problems.append(error) }
    }
    return (
      byName.values.sorted { $0.preset.name.localizedStandardCompare($1.preset.name) == .orderedAscending }, problems
    )
  }

  /// Reads a preset's file, wherever it is.
  ///
  /// - Throws: `PresetError.unreadableFile`.
  public static func preset(in url: URL) throws(PresetError) -> EditPreset {
    let name = url.lastPathComponent
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      // One byte more than is accepted.
      let data = try handle.read(upToCount: EditPreset.longestData + 1) ?? Data()
      return try EditPreset(data: data)
    } catch let error as PresetError {
      if case .unreadable(let reason) = error { throw .unreadableFile(name: name, reason: reason) }
      throw .unreadableFile(name: name, reason: error.description)
    } catch {
      throw .unreadableFile(name: name, reason: error.localizedDescription)
    }
  }

  /// The preset of a name.
  ///
  /// - Throws: `PresetError.unknown`, which lists the names.
  public func preset(named name: String) throws(PresetError) -> EditPreset { try stored(name).preset }

  private func stored(_ name: String) throws(PresetError) -> Stored {
    let all = try read().0
    guard let found = all.first(where: { $0.preset.name == name }) else {
      throw .unknown(name: name, known: all.map(\.preset.name))
    }
    return found
  }

  /// Saves a preset. One that has its name is replaced.
  ///
  /// - Throws: `PresetError.unwritable`.
  public func save(_ preset: EditPreset) throws(PresetError) {
    let url =
      try read().0.first { $0.preset.name == preset.name }?.url ?? folder.appendingPathComponent(preset.fileName)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try preset.data().write(to: url, options: .atomic)
    } catch { throw .unwritable(path: url.path, reason: error.localizedDescription) }
  }

  /// Copies a preset's file here. Where another preset has its name, it gets a number.
  ///
  /// - Returns: The preset under the name that it has here.
  /// - Throws: `PresetError`.
  @discardableResult
  public func importPreset(from url: URL) throws(PresetError) -> EditPreset {
    let preset = try Self.preset(in: url)
    let known = try read().0.map(\.preset)
    var (candidate, number) = (preset, 1)
    while let other = known.first(where: { $0.name == candidate.name }) {
      if other.recipe == preset.recipe { return other }
      number += 1
      candidate = try EditPreset(name: "\(preset.name) \(number)", lookOf: preset.recipe)
    }
    try save(candidate)
    return candidate
  }

  /// Writes a preset's file elsewhere, for others.
  ///
  /// - Parameters:
  ///   - target: A folder, or the new file.
  ///   - replaces: Whether a file that is there is replaced.
  /// - Returns: The file.
  /// - Throws: `PresetError`.
  @discardableResult
  public func export(_ name: String, to target: URL, replaces: Bool = false) throws(PresetError) -> URL {
    let preset = try preset(named: name)
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder)
    let url = isThere && isFolder.boolValue ? target.appendingPathComponent(preset.fileName) : target
    guard replaces || !FileManager.default.fileExists(atPath: url.path) else { throw .exists(path: url.path) }
    do { try preset.data().write(to: url, options: .atomic) } catch {
      throw .unwritable(path: url.path, reason: error.localizedDescription)
    }
    return url
  }

  /// Deletes a preset. Edits that were made with it keep their settings.
  ///
  /// - Throws: `PresetError`.
  public func delete(_ name: String) throws(PresetError) {
    let url = try stored(name).url
    do { try FileManager.default.removeItem(at: url) } catch {
      throw .unwritable(path: url.path, reason: error.localizedDescription)
    }
  }
}
