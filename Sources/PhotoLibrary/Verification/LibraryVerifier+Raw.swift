// The raw pictures beside assets: read to their ends, and compared with earlier digests.

import Foundation
import Localization
import MediaFormats

extension LibraryVerifier {
  /// Checks the DNG of an asset.
  ///
  /// - Parameter path: Absolute.
  /// - Returns: `nil` when it was canceled.
  /// - Throws: When it can't be read.
  func checkRaw(_ path: String, of id: Asset.ID) throws(PhotoLibraryError) -> [Problem]? {
    func problem(_ kind: Problem.Kind, _ reason: String) -> Problem {
      Problem(kind: kind, path: path, assetID: id, reason: reason, advice: Advice.broken(isEdited: false))
    }
    let file = try ReadableFile(path, disk: disk)
    var problems: [Problem] = []
    do throws(FormatError) {
      if try DNGHead(file) == nil {
        problems.append(problem(.damaged, localized("“\(path)” contains no RAW photo that can be read.")))
      }
    } catch {
      guard case .refused = error else { throw PhotoLibraryError(error, path: path) }
      problems.append(problem(.cutShort, localized("The RAW photo “\(path)” is cut short.")))
    }
    guard let digest = try FileDigest.sha256(of: file, goesOn: { _ in !isCancelled() }) else { return nil }
    outcome.bytes += file.size
    let (state, relative) = (FileState(file.status), folder.relative(path) ?? path)
    // It was written to while it was read: the next verification records it.
    guard disk.status(path).map({ FileState($0) }) == state else { return problems }
    if let known = try index.digest(path: relative), known.state == state {
      guard known.digest != digest else { return problems }
      problems.append(problem(.silentlyChanged, Self.silentChange(path)))
    } else {
      outcome.rawDigest = LibraryIndex.StoredDigest(path: relative, state: state, digest: digest)
    }
    return problems
  }
}
