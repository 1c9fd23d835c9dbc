// Updating the records and collections in the index.

import Foundation
import GRDB

extension IndexTransaction {
  /// Updates the tables to the snapshots.
  ///
  /// - Returns: The ids of records whose files have changed since.
  func apply(_ looks: [RecordSnapshot]) throws -> [String] {
    var stale: [String] = []
    var bound: [IndexedFile] = []
    var contents: Set<Asset.ID> = []
    for look in looks {
      guard isCurrent(look) else {
        stale.append(look.id)
        continue
      }
      switch look.content {
      case .record(let record):
        try apply(record, of: look)
        let file = try file(id: look.id)
        if let file {
          bound.append(file)
          try forgetNumber(of: file)
        }
        if let named = record?.file {
          if let claimed = try noteClaim(look.id, named) { bound.append(claimed) }
          if file == nil { contents.formUnion([named.content, look.id]) }
        }
      case .collection(let collection): try apply(collection, of: look)
      case .unreadable(let isCollection): try keep(look, isCollection: isCollection)
      }
    }
    try noteBindings(of: bound, andOf: contents)
    return stale
  }

  /// A record that can't be read stays what it was, and is read again by the next scan. An asset of which nothing is
  /// known may have been hidden.
  private func keep(_ look: RecordSnapshot, isCollection: Bool) throws {
    guard let status = look.status else { return }
    let table = isCollection ? LibraryIndex.RecordTable.collection : .record
    try db.cachedStatement(sql: "UPDATE \(table.rawValue) SET changed = ? WHERE id = ?")
      .execute(arguments: [FileState.outdated, look.id])
    guard !isCollection, db.changesCount == 0 else { return }
    try db.cachedStatement(
      sql: """
        INSERT INTO record (id, isFavorite, isHidden, isEdited, fileSize, modified, changed)
        VALUES (?, FALSE, TRUE, FALSE, ?, ?, ?)
        """
    ).execute(arguments: [look.id, Int64(clamping: status.size), status.modified, FileState.outdated])
    guard let number = try number(of: look.id) else { return }
    try db.cachedStatement(sql: "UPDATE asset SET isHidden = TRUE WHERE number = ?").execute(arguments: [number])
    try note(look.id, number, .changed)
  }

  /// Whoever has written the record may have replaced its picture: the number that the index knows says nothing about
  /// where that one is now, unless the file is as the index knows it, or has that number.
  private func forgetNumber(of file: IndexedFile) throws {
    let status = disk.status(absolute(file.path))
    guard file.inode != nil, status?.number != file.inode, status.map({ FileState($0) }) != FileState(file) else {
      return
    }
    try db.cachedStatement(sql: "UPDATE asset SET inode = NULL WHERE id = ?").execute(arguments: [file.id])
  }

  private func apply(_ record: AssetRecord?, of look: RecordSnapshot) throws {
    let id = look.id
    let before = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT isFavorite, isHidden, isEdited, isKeyPhoto FROM record WHERE id = ?"),
      arguments: [id])
    let albumsBefore = try albums(of: id)
    try db.cachedStatement(sql: "DELETE FROM record WHERE id = ?").execute(arguments: [id])
    if let status = look.status {
      let record = record ?? AssetRecord()
      let state = FileState(status)
      try db.cachedStatement(
        sql: """
          INSERT INTO record (id, isFavorite, isHidden, isEdited, isKeyPhoto, fileSize, modified, changed)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(
        arguments: [
          id, record.isFavorite, record.isHidden, record.edit != nil, record.isKeyPhoto, state.size, state.modified,
          state.changed,
        ])
    }
    try db.cachedStatement(sql: "DELETE FROM binding WHERE id = ?").execute(arguments: [id])
    if let record, let file = record.file {
      try db.cachedStatement(sql: "INSERT INTO binding (id, path, content, isAll, number) VALUES (?, ?, ?, ?, ?)")
        .execute(
          arguments: [id, file.path, file.content, record.isEmpty, file.number.map { Int64(bitPattern: $0) }])
    }
    let albums = record?.shownAlbums ?? [:]
    if albums != albumsBefore {
      try db.cachedStatement(sql: "DELETE FROM membership WHERE asset = ?").execute(arguments: [id])
      for (album, added) in albums {
        try db.cachedStatement(sql: "INSERT INTO membership (collection, asset, added) VALUES (?, ?, ?)")
          .execute(arguments: [album, id, added])
      }
    }
    let isSame =
      before?["isFavorite"] ?? false == record?.isFavorite ?? false
      && before?["isHidden"] ?? false == record?.isHidden ?? false
      && before?["isEdited"] ?? false == (record?.edit != nil)
      && before?["isKeyPhoto"] ?? false == record?.isKeyPhoto ?? false
    guard !isSame || albums != albumsBefore else { return }
    guard let number = try number(of: id) else { return }
    try db.cachedStatement(
      sql: "UPDATE asset SET isFavorite = ?, isHidden = ?, isEdited = ?, isKeyPhoto = ? WHERE number = ?"
    ).execute(
      arguments: [
        record?.isFavorite ?? false, record?.isHidden ?? false, record?.edit != nil, record?.isKeyPhoto ?? false,
        number,
      ])
    try note(id, number, .changed)
    if before?["isEdited"] ?? false != (record?.edit != nil), let file = try file(id: id) { try pairUp(near: [file]) }
    for album in Set(albums.keys).symmetricDifference(albumsBefore.keys) { try note(album, 0, .collection) }
  }

  private func apply(_ collection: CollectionRecord?, of look: RecordSnapshot) throws {
    let id = look.id
    let titleBefore = try String.fetchOne(
      db.cachedStatement(sql: "SELECT title FROM collection WHERE id = ?"), arguments: [id])
    try db.cachedStatement(sql: "DELETE FROM collection WHERE id = ?").execute(arguments: [id])
    if let collection, let status = look.status {
      let state = FileState(status)
      try db.cachedStatement(
        sql: """
          INSERT INTO collection (
            id, isFolder, title, search, parent, created, rules, isOrdered, cover, position, fileSize, modified, changed)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(
        arguments: [
          id, collection.kind == .folder, collection.title, SearchText.folded(collection.title), collection.parent,
          collection.created, collection.search, collection.isOrdered, collection.cover, collection.position,
          state.size, state.modified, state.changed,
        ])
    }
    try note(id, 0, .collection, wasThere: titleBefore != nil)
    guard titleBefore != collection?.title else { return }
    // Searches for the title find other assets now.
    let members = try Row.fetchAll(
      db,
      sql: "SELECT asset.id, number FROM membership JOIN asset ON asset.id = asset WHERE collection = ?",
      arguments: [id])
    for member in members { try note(member["id"], member["number"], .changed) }
  }

  /// Notes the albums of assets that aren't shown in them anymore, or are again: what is in an album is one of its properties.
  func noteAlbums(of ids: some Sequence<Asset.ID>) throws {
    var all: Set<AssetCollection.ID> = []
    for id in ids { all.formUnion(try albums(of: id).keys) }
    for album in all { try note(album, 0, .collection) }
  }

  private func albums(of id: Asset.ID) throws -> [AssetCollection.ID: Int64] {
    let rows = try Row.fetchAll(
      db.cachedStatement(sql: "SELECT collection, added FROM membership WHERE asset = ?"), arguments: [id])
    return Dictionary(rows.map { ($0["collection"], $0["added"]) }) { $1 }
  }

  private func number(of id: Asset.ID) throws -> Int64? {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM asset WHERE id = ?"), arguments: [id])
  }

  private func isCurrent(_ look: RecordSnapshot) -> Bool {
    let status = disk.status(folder.path + "/" + look.path)
    let state = status?.kind == .file ? status.map { FileState($0) } : nil
    return state == look.status.map { FileState($0) }
  }
}
