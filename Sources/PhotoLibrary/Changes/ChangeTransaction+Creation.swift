// The steps of adding assets: shots, and imported files.

import CameraCore
import Foundation
import MediaFormats

extension ChangeTransaction {
  /// Writes one new file durably under a hidden name in the folder of its month.
  mutating func prepare(
    _ creation: ChangeSet.Creation, isCancelled: () -> Bool
  ) throws(PhotoLibraryError) {
    let request = creation.request
    if case .file(let url) = request.still { return try takeOver(url, request, isCancelled) }
    guard let metadata = request.metadata else { return }
    var jpeg: Data
    var raw: Data?
    switch request.still {
    case .jpeg(let photo, _):
      jpeg = try PhotoAssembly.photo(jpeg: photo, metadata: metadata, id: creation.id)
      raw = try request.rawFrame.map { frame throws(PhotoLibraryError) in
        try RawCompanion.data(frame, metadata: metadata, id: creation.id)
      }
    case .staged(let photo):
      jpeg = photo.jpeg
      raw = photo.raw?.data
      // The picture first: a DNG that is left alone is removed at the next start.
      leftovers += [photo.path] + [photo.raw?.path].compactMap(\.self)
    case .file: return
    }
    var movie: ReadableFile?
    if let path = request.pairedVideo?.path {
      let file = try ReadableFile(path, disk: disk)
      guard try MP4Head.begins(in: file, at: 0) else {
        throw .unusableFile(path: path, reason: "it isn't an MP4 movie")
      }
      jpeg = try PhotoAssembly.livePhoto(
        photo: jpeg, movieLength: file.size, photoDisplayTime: metadata.photoDisplayTime)
      movie = file
      if request.shouldMoveFile { leftovers.append(path) }
    }
    let stem = LibraryFolder.stem(metadata)
    let ending = LibraryFolder.fileExtension(isLive: movie != nil)
    try write(as: stem, stem: stem, ending: ending, raw: raw, toMonth: LibraryFolder.month(metadata)) {
      [writer] path throws(PhotoLibraryError) in
      try writer.write(jpeg, tail: movie, tailLength: movie?.size ?? 0, to: path)
    }
  }

  private mutating func takeOver(
    _ url: URL, _ request: AssetCreationRequest, _ isCancelled: () -> Bool
  ) throws(PhotoLibraryError) {
    let file = try ReadableFile(url.path, disk: disk)
    guard let facts = try FileFacts(file) else {
      throw .unusableFile(path: url.path, reason: "it isn't a picture or movie that PhotoMe can read")
    }
    let name = Disk.name(of: url.path)
    let (stem, ending) = LibraryFolder.parts(ofName: name)
    let attributes = try FileAttributes(of: file, disk: disk).forCopy
    try write(as: name, stem: stem, ending: ending, toMonth: facts.created.monthFolder) {
      [writer] path throws(PhotoLibraryError) in
      try writer.write(
        Data(), tail: file, tailLength: file.size, modified: file.status.modified, attributes: attributes,
        isCancelled: isCancelled, to: path)
    }
    if request.shouldMoveFile { leftovers.append(url.path) }
  }

  /// Writes a file into the folder of its month, or into one beside it where the month is a disk of its own that is full,
  /// can't be written to, or has been pulled out: the library's disk may have room.
  ///
  /// - Parameters:
  ///   - name: For the hidden file.
  ///   - raw: The DNG of the picture that goes with it; `nil` for none.
  ///   - body: Writes the file of a path.
  /// - Throws: What `body` throws.
  private mutating func write(
    as name: String, stem: String, ending: String, raw: Data? = nil, toMonth month: String,
    _ body: (String) throws(PhotoLibraryError) -> Void
  ) throws(PhotoLibraryError) {
    let disks = LibraryDisks(of: folder, disk: disk)
    var refused: Set<String> = []
    while true {
      let place = folderForNewPictures(month, except: refused)
      let temporary = temporary(for: name, in: folder.absolute(place))
      do throws(PhotoLibraryError) {
        try body(temporary)
        if let raw {
          let second = self.temporary(for: name + RawCompanion.ending, in: folder.absolute(place))
          try writer.write(raw, to: second)
          return publish(temporary, withRaw: second, folder: place, stem: stem, ending: ending)
        }
        return publish(temporary, folder: place, stem: stem, ending: ending)
      } catch {
        switch error {
        case .diskFull, .readOnly, .folderUnavailable: guard disks.isDisk(place) else { throw error }
        // A source may be damaged as well.
        case .inputOutput(_, temporary, _): guard disks.isDisk(place) else { throw error }
        default: throw error
        }
        refused.insert(place)
      }
    }
  }

  /// The folder for pictures that are new, or come back, instead of one where they would not be shown.
  ///
  /// - Parameters:
  ///   - name: Of a folder in the library's.
  ///   - refused: Folders in which there is no room.
  func folderForNewPictures(_ name: String, except refused: Set<String> = []) -> String {
    let month = FolderListing.month(
      name, of: folder, disk: disk, isAway: { refused.contains($0) || library.index.isAway($0) })
    do throws(PhotoLibraryError) { try library.index.noteDisk(at: month) } catch {
      // The next scan notes it.
      PhotoLibrary.logger.warning("\(error.description)")
    }
    return month
  }

  private mutating func publish(_ temporary: String, folder month: String, stem: String, ending: String) {
    creationSteps.append(steps.count)
    steps.append(.publish(temporary: relative(temporary), folder: month, stem: stem, ending: ending))
  }
}
