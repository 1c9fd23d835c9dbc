// The second half of an export: the files under their names, all or none.

import CameraCore
import Foundation
import Localization

extension AssetExporter {
  /// Writes the files durably under hidden names, and then renames them: all of them or none.
  func write(
    _ products: [Product], of asset: Asset, as form: ExportForm, name: String?, modified: Int64?, note: String? = nil,
    _ progress: (Double) -> Void = { _ in }
  ) throws(PhotoLibraryError) -> ExportReport.Exported {
    let temporaries = place.temporaryPaths(count: products.count)
    var written = 0
    let total = products.reduce(0) { $0 + $1.parts.byteCount }
    var done: UInt64 = 0
    do throws(PhotoLibraryError) {
      try place.check()
      for (product, path) in zip(products, temporaries) {
        try FileWriter(disk: disk).write(
          product.parts, modified: modified, isCancelled: { isCancelled.isSet }, to: path, makesFolder: false
        ) { count in
          done += count
          progress(Double(done) / Double(max(1, total)))
        }
        written += 1
      }
      try place.check()
      let (paths, wanted) = try publish(temporaries, products, asset, form, name: name)
      let urls = paths.map { URL(fileURLWithPath: $0, isDirectory: false) }
      let isRenamed = paths.first.map { Disk.name(of: $0) != wanted } ?? false
      return ExportReport.Exported(
        assetID: asset.id, url: urls[0], companions: Array(urls.dropFirst()),
        note: Self.note([
          note,
          isRenamed
            ? localized(
              "“\(wanted)” was exported as “\(urls[0].lastPathComponent)” because the disk doesn’t take its name.")
            : nil,
        ]))
    } catch {
      for path in temporaries.prefix(written) { disk.discard(path) }
      throw told(error, temporaries, products, asset)
    }
  }

  /// An error of a hidden file as one of the copy, or of the folder.
  private func told(
    _ error: PhotoLibraryError, _ temporaries: [String], _ products: [Product], _ asset: Asset
  ) -> PhotoLibraryError {
    switch error {
    case .fileMissing(let path) where Disk.parent(of: path) == folder:
      do throws(PhotoLibraryError) { try place.check() } catch let fault { return fault }
      // The source may be in the same folder.
      let isSource = products.flatMap(\.parts).contains { part in
        if case .file(let file, _) = part { file.path == path } else { false }
      }
      return isSource
        ? error
        : .inputOutput(
          operation: .write, path: "\(folder)/\(asset.name)", reason: String(cString: strerror(ENOENT)))
    case .inputOutput(let operation, let path, let reason) where temporaries.contains(path):
      return .inputOutput(operation: operation, path: "\(folder)/\(asset.name)", reason: reason)
    default: return error
    }
  }

  /// - Returns: The paths, and the name that the first file was to have.
  private func publish(
    _ temporaries: [String], _ products: [Product], _ asset: Asset, _ form: ExportForm, name: String?
  ) throws(PhotoLibraryError) -> (paths: [String], wanted: String) {
    var attempt = 1
    var isPlain = false
    while true {
      let wanted = name.map { Self.names($0, products) } ?? Self.names(of: asset, as: form, products, attempt)
      let paths = (isPlain ? wanted.map(FileName.plain) : wanted).map { "\(folder)/\($0)" }
      let taken: String?
      do throws(PhotoLibraryError) { taken = try rename(temporaries, to: paths) } catch {
        guard !isPlain, wanted != wanted.map(FileName.plain), try mayMeanName(error, temporaries) else { throw error }
        isPlain = true
        continue
      }
      if let taken {
        guard name == nil else {
          throw .unusableFile(
            path: taken, reason: localized("a file with that name already exists; choose another name"))
        }
        attempt += 1
        continue
      }
      do throws(PhotoLibraryError) { try disk.synchronizeFolder(folder) } catch {
        for path in paths { disk.discard(path) }
        throw error
      }
      return (paths, wanted.first ?? "")
    }
  }

  /// Whether a name may be the reason of an error: not each file system says that it is.
  private func mayMeanName(_ error: PhotoLibraryError, _ temporaries: [String]) throws(PhotoLibraryError) -> Bool {
    switch error {
    case .inputOutput, .fileMissing:
      try place.check()
      return temporaries.allSatisfy { disk.status($0) != nil }
    default: return false
    }
  }

  /// Renames all files, or none.
  ///
  /// - Returns: The path that is taken; `nil` on success.
  private func rename(_ temporaries: [String], to paths: [String]) throws(PhotoLibraryError) -> String? {
    for index in paths.indices {
      var isDone = false
      defer {
        if !isDone {
          for done in 0..<index { _ = disk.system.rename(paths[done], temporaries[done]) }
        }
      }
      guard try disk.renameNew(temporaries[index], to: paths[index]) else { return paths[index] }
      isDone = true
    }
    return nil
  }

  // MARK: Names

  /// The names for a given name: the first file has it, the others differ in their extensions. A name without an extension gets
  /// the file's.
  private static func names(_ name: String, _ products: [Product]) -> [String] {
    guard products.count > 1 else {
      let given = FileName.ending(of: name).dropFirst().lowercased()
      let isKnown =
        PhotoFormat(fileExtension: given) != nil || MovieFormat(fileExtension: given) != nil || given == "dng"
      return [isKnown ? name : name + (products.first?.ending ?? "")]
    }
    let isPicture = PhotoFormat(fileExtension: FileName.ending(of: name).dropFirst()) != nil
    let stem = isPicture ? FileName.stem(of: name) : name
    return products.map { stem + $0.ending }
  }

  /// `IMG.MP.jpg` becomes `IMG.jpg` as a still and `IMG.mp4` as a movie; a second one becomes `IMG (2).mp4`.
  private static func names(
    of asset: Asset, as form: ExportForm, _ products: [Product], _ attempt: Int
  ) -> [String] {
    var stem = form.sheetName ?? FileName.stem(of: asset.name)
    // Readers recognize live photos by the end of the stem.
    let staysLive = form == .original || form == .current
    let mark = asset.isLive && !form.isSheet ? [".MP", "_MP"].first { stem.hasSuffix($0) } ?? "" : ""
    stem = String(stem.dropLast(mark.count))
    let number = attempt > 1 ? " (\(attempt))" : ""
    return products.map {
      let marked = (staysLive && mark == "_MP" ? mark : "") + number + (staysLive && mark == ".MP" ? mark : "")
      return FileName.fitting(stem, marked + $0.ending)
    }
  }
}
