// The steps of adding assets: shots, and imported files.

import CameraCore
import Foundation
import Localization
import MediaFormats

extension ChangeTransaction {
  /// Writes one new file durably under a hidden name in the folder of its month.
  mutating func prepare(
    _ creation: ChangeSet.Creation, isCancelled: () -> Bool
  ) throws(PhotoLibraryError) {
    let request = creation.request
    if case .file(let url) = request.still { return try takeOver(url, request, isCancelled) }
    guard let metadata = request.metadata else { return }
    var picture: Data
    var raw: NewRaw?
    switch request.still {
    case .picture(let photo, _):
      picture = try PhotoAssembly.photo(photo, metadata: metadata, id: creation.id)
      raw = PhotoLibrary.rawData(request.rawFrame, metadata: metadata, id: creation.id).map { .data($0, staged: nil) }
    case .staged(let photo):
      picture = photo.picture
      raw = photo.raw.map { .data($0.data, staged: $0.path) }
      // The picture first: a DNG that is left alone is removed at the next start.
      leftovers += [photo.path] + [photo.raw?.path].compactMap(\.self)
    case .file: return
    }
    var movie: ReadableFile?
    if let path = request.pairedVideo?.path {
      let file = try ReadableFile(path, disk: disk)
      guard try MP4Head.begins(in: file, at: 0) else {
        throw .unusableFile(path: path, reason: localized("it isn’t an MP4 video"))
      }
      picture = try PhotoAssembly.livePhoto(
        photo: picture, movieLength: file.size, photoDisplayTime: metadata.photoDisplayTime)
      movie = file
      if request.shouldMoveFile { leftovers.append(path) }
    }
    let stem = LibraryFolder.stem(metadata)
    let format = PhotoAssembly.format(of: picture) ?? .jpeg
    let ending = LibraryFolder.fileExtension(format, isLive: movie != nil)
    try write(as: stem, stem: stem, ending: ending, raw: raw, toMonth: LibraryFolder.month(metadata)) {
      [writer, picture] path throws(PhotoLibraryError) in
      try writer.write(picture, tail: movie, tailLength: movie?.size ?? 0, to: path)
    }
  }

  private mutating func takeOver(
    _ url: URL, _ request: AssetCreationRequest, _ isCancelled: () -> Bool
  ) throws(PhotoLibraryError) {
    let file = try ReadableFile(url.path, disk: disk)
    guard let facts = try FileFacts(file) else {
      throw .unusableFile(path: url.path, reason: localized("it isn’t a picture or video that PhotoMe can read"))
    }
    let name = Disk.name(of: url.path)
    var (stem, ending) = FileName.split(name)
    var month = facts.created.monthFolder
    if let neighbor = request.neighbor?.path, let path = folder.relative(neighbor) {
      let isSame = FilePairs.stem(of: name) == FilePairs.stem(of: neighbor)
      if !isSame {
        (stem, ending) = FileName.split(FilePairs.name(beside: neighbor, FileName.ending(of: name)))
      }
      month = Disk.folder(of: path)
    }
    let attributes = try FileAttributes(of: file, disk: disk).forCopy
    let raw = try request.rawFile.map { raw throws(PhotoLibraryError) in try ReadableFile(raw.path, disk: disk) }
    let parts = try request.parts.map { part throws(PhotoLibraryError) in try ReadableFile(part.path, disk: disk) }
    try write(
      as: name, stem: stem, ending: ending, raw: raw.map { .file($0) }, parts: parts,
      toMonth: month
    ) {
      [writer] path throws(PhotoLibraryError) in
      try writer.write(
        Data(), tail: file, tailLength: file.size, modified: file.status.modified, attributes: attributes,
        isCancelled: isCancelled, to: path)
    }
    if request.shouldMoveFile { leftovers += [url.path] + [raw?.path].compactMap(\.self) + parts.map(\.path) }
  }

  /// Writes a file into the folder of its month, or into one beside it where the month is a disk of its own that is full,
  /// can't be written to, or has been pulled out: the library's disk may have room.
  ///
  /// - Parameters:
  ///   - name: For the hidden file.
  ///   - raw: The DNG of the picture that goes with it; `nil` for none. One of a shot that can't be written anywhere doesn't
  ///     take its picture with it: that is published alone, and has no raw file then.
  ///   - parts: The other files of an imported picture.
  ///   - body: Writes the file of a path.
  /// - Throws: What `body` throws.
  private mutating func write(
    as name: String, stem: String, ending: String, raw: NewRaw? = nil, parts: [ReadableFile] = [],
    toMonth month: String,
    _ body: (String) throws(PhotoLibraryError) -> Void
  ) throws(PhotoLibraryError) {
    let disks = LibraryDisks(of: folder, disk: disk)
    var refused: Set<String> = []
    /// The first picture that was written, where its DNG could not be.
    var alone: (temporary: String, place: String)?
    while true {
      let place = library.folderForNewPictures(month, except: refused)
      let temporary = temporary(for: name, in: folder.absolute(place))
      do throws(PhotoLibraryError) {
        try body(temporary)
        guard raw != nil || !parts.isEmpty else {
          return publish(temporary, folder: place, stem: stem, ending: ending)
        }
        var others: [NewCompanion] = []
        if let raw {
          if case .data = raw { alone = alone ?? (temporary, place) }
          let second = self.temporary(for: name + RawCompanion.ending, in: folder.absolute(place))
          try write(raw, to: second, besides: folder.absolute(place))
          others.append(NewCompanion(temporary: second, kind: .raw))
        }
        for part in parts {
          let ending = FileName.ending(of: part.path)
          let second = self.temporary(for: name + ending, in: folder.absolute(place))
          try write(.file(part), to: second, besides: folder.absolute(place))
          others.append(NewCompanion(temporary: second, kind: .part(ending)))
        }
        return publish(temporary, with: others, folder: place, stem: stem, ending: ending)
      } catch {
        let isOfTheDisk =
          switch error {
          case .diskFull, .readOnly, .folderUnavailable: true
          // A source may be damaged as well.
          case .inputOutput(_, let path, _): path == temporary || alone != nil
          default: false
          }
        guard isOfTheDisk, disks.isDisk(place) else {
          guard let alone else { throw error }
          PhotoLibrary.logger.warning("The DNG of a picture is missing: \(error.description)")
          return publish(alone.temporary, folder: alone.place, stem: stem, ending: ending)
        }
        refused.insert(place)
      }
    }
  }

  /// The DNG of a new picture.
  private enum NewRaw {
    /// Of a shot.
    ///
    /// - staged: The path of the same file where it is staged durably; `nil` where it isn't.
    case data(Data, staged: String?)
    /// Of an imported picture, whose source stays where this fails.
    case file(ReadableFile)
  }

  /// Writes a DNG under a hidden name, or moves the staged one there where there is no room for a second.
  ///
  /// - Parameter parent: The folder that it is for.
  private func write(_ raw: NewRaw, to path: String, besides parent: String) throws(PhotoLibraryError) {
    switch raw {
    case .data(let data, let staged):
      do throws(PhotoLibraryError) { try writer.write(data, to: path) } catch {
        guard let staged, disk.status(staged)?.size == UInt64(data.count),
          canRename(from: Disk.parent(of: staged), to: parent), try disk.renameNew(staged, to: path)
        else { throw error }
      }
    case .file(let file):
      try writer.write(
        Data(), tail: file, tailLength: file.size, modified: file.status.modified,
        attributes: FileAttributes(of: file, disk: disk).forCopy, to: path)
    }
  }

  private mutating func publish(_ temporary: String, folder month: String, stem: String, ending: String) {
    creationSteps.append(steps.count)
    steps.append(.publish(temporary: relative(temporary), folder: month, stem: stem, ending: ending))
  }
}
