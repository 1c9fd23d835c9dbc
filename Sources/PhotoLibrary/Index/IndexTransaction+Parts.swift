// Which files in the index are parts of other files' assets.

import Foundation
import GRDB

extension IndexTransaction {
  /// Decides anew which files of the same names as these are one asset.
  ///
  /// The rows of parts stay, with ids of their own: all that is promised for a file's safety holds for them as well. They
  /// are only in no list.
  ///
  /// - Parameter files: Those that have changed, as they were and as they are.
  func pairUp(near files: [IndexedFile]) throws {
    let names = Set(files.map { [Disk.folder(of: $0.path), FilePairs.stem(of: $0.path)] })
    guard !names.isEmpty else { return }
    // Most files have a name of their own; theirs are looked at in one statement.
    let json = JSONValue.array(names.sorted { $0.lexicographicallyPrecedes($1) }.map { .array($0.map { .text($0) }) })
    let rows = try IndexedFile.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT a.* FROM (
            SELECT b.folder, b.stem FROM json_each(:names) AS n
              CROSS JOIN asset AS b ON b.folder = json_extract(n.value, '$[0]') AND b.stem = json_extract(n.value, '$[1]')
              GROUP BY b.folder, b.stem
              HAVING count(*) > 1 OR max(b.partOf IS NOT NULL OR b.videoPath IS NOT NULL)
          ) AS g CROSS JOIN asset AS a ON a.folder = g.folder AND a.stem = g.stem
          """), arguments: ["names": String(decoding: json.data, as: UTF8.self)])
    guard !rows.isEmpty else { return }
    let groups = Dictionary(grouping: rows) { [Disk.folder(of: $0.path), FilePairs.stem(of: $0.path)] }
    for (_, group) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) { try pairUp(group) }
  }

  private func pairUp(_ rows: [IndexedFile]) throws {
    formerLinks.note(rows)
    var former: [FilePairs.Link] = []
    for (index, row) in rows.enumerated() {
      guard let number = row.number, let known = formerLinks.byNumber[number] else { continue }
      guard let lead = rows.firstIndex(where: { $0.number == known.lead }) else { continue }
      former.append(FilePairs.Link(lead: lead, part: index, role: known.role))
    }
    let files = rows.map { FilePairs.File($0) }
    let links = FilePairs.links(among: files, formerly: former)
    for (index, row) in rows.enumerated() {
      guard let number = row.number else { continue }
      let part = links.first { $0.part == index }
      let link = part.flatMap { link in
        rows[link.lead].number.map { IndexedFile.PartLink(lead: $0, role: link.role) }
      }
      // What an edit has left of a live photo is in the edited file.
      let video = row.isEdited ? nil : links.first { $0.lead == index && $0.role == .video }.map { rows[$0.part] }
      let paired = video.map { IndexedFile.PairedVideo($0) }
      guard link != row.link || paired != row.video else { continue }
      try db.cachedStatement(
        sql: """
          UPDATE asset SET partOf = ?, role = ?, videoPath = ?, videoSize = ?, videoDuration = ?, videoTime = ?
          WHERE number = ?
          """
      ).execute(
        arguments: [
          link?.lead, link?.role.rawValue, paired?.path, paired.map { Int64(clamping: $0.size) }, paired?.duration,
          paired?.photoDisplayTime, number,
        ])
      try note(row.id, number, .changed, wasThere: row.link == nil)
      if (link == nil) != (row.link == nil) { try noteAlbums(of: [row.id]) }
    }
  }
}

/// The links of parts before anything was written, by the numbers of their rows.
final class FormerLinks {
  private(set) var byNumber: [Int64: IndexedFile.PartLink] = [:]

  /// Notes the links of rows as they are now, unless theirs are known from before.
  func note(_ files: some Sequence<IndexedFile>) {
    for file in files {
      guard let number = file.number, let link = file.link, byNumber[number] == nil else { continue }
      byNumber[number] = link
    }
  }
}

extension FilePairs.File {
  fileprivate init(_ row: IndexedFile) {
    self.init(
      path: row.path, mediaType: row.mediaType, isLive: row.mediaType == .photo && row.movieRange != nil,
      isEdited: row.isEdited, created: row.created, isDated: row.isDated, duration: row.duration, pairID: row.pairID)
  }
}

extension LibraryIndex {
  /// The files that are parts of an asset, by name.
  func parts(of id: Asset.ID) throws(PhotoLibraryError) -> [IndexedFile] {
    try readingNow { db in
      try IndexedFile.fetchAll(
        db.cachedStatement(
          sql: "SELECT * FROM asset WHERE partOf = (SELECT number FROM asset WHERE id = ?) ORDER BY path"),
        arguments: [id])
    }
  }
}
