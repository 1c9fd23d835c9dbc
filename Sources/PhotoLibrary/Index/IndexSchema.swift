// The tables of the index, and their migrations.

import GRDB

/// The schema of the index.
///
/// Published migrations never change, nor do their names (`FrozenFileTests` compares them); a new schema is a new
/// migration. As all data can be read from the files again, a migration may drop what it changes.
enum IndexSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    // The schema of the first release, which the next migration drops.
    migrator.registerMigration("1 assets") { _ in }
    migrator.registerMigration("2 records and albums") { db in
      for table in ["asset", "unusable", "change"] { try db.execute(sql: "DROP TABLE IF EXISTS \(table)") }
      try db.execute(sql: tables)
    }
    migrator.registerMigration("3 days and places") { db in
      try db.execute(
        sql: """
          DROP INDEX assetNewest;
          -- Covers lists of row numbers and lists of moments.
          CREATE INDEX assetNewest ON asset (isHidden, created, path, utcOffset, latitude, longitude);
          """)
    }
    migrator.registerMigration("4 digests and departures") { db in
      try db.execute(
        sql: """
          -- The SHA-256 of whole files, originals included, and the state of the file it is valid for: see
          -- `LibraryVerifier`.
          CREATE TABLE digest (
            path TEXT NOT NULL PRIMARY KEY, fileSize INTEGER NOT NULL, modified INTEGER NOT NULL,
            changed INTEGER NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
          -- Assets with records that were in the library once and no longer are: see `OrphanedRecords`.
          CREATE TABLE departed (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
          CREATE TRIGGER departure AFTER INSERT ON change
          WHEN NEW.kind = 2 AND EXISTS (SELECT 1 FROM record WHERE id = NEW.id)
          BEGIN INSERT OR IGNORE INTO departed (id) VALUES (NEW.id); END;
          CREATE TRIGGER arrival AFTER INSERT ON change WHEN NEW.kind = 0
          BEGIN DELETE FROM departed WHERE id = NEW.id; END;
          """)
    }
    migrator.registerMigration("5 identities") { db in
      try db.execute(
        sql: """
          -- To recognize a file that was moved or saved by another program: see `IndexTransaction.assign`.
          ALTER TABLE asset ADD COLUMN inode INTEGER;
          ALTER TABLE asset ADD COLUMN isDated BOOLEAN NOT NULL DEFAULT 0;
          -- On another file system than the library's folder, which may be unmounted alone.
          ALTER TABLE asset ADD COLUMN isElsewhere BOOLEAN NOT NULL DEFAULT 0;
          -- Imports look for files of equal size.
          CREATE INDEX assetSize ON asset (fileSize, path);
          CREATE INDEX unusableFolder ON unusable (folder);
          -- Departures are written by transactions, with all that is needed to recognize a picture: see
          -- `IndexTransaction.noteDeparture`.
          DROP TRIGGER departure;
          DROP TRIGGER arrival;
          ALTER TABLE departed ADD COLUMN path TEXT NOT NULL DEFAULT '';
          ALTER TABLE departed ADD COLUMN contentID TEXT NOT NULL DEFAULT '';
          ALTER TABLE departed ADD COLUMN isVideo BOOLEAN NOT NULL DEFAULT 0;
          ALTER TABLE departed ADD COLUMN created INTEGER;
          ALTER TABLE departed ADD COLUMN isElsewhere BOOLEAN NOT NULL DEFAULT 0;
          ALTER TABLE departed ADD COLUMN isUnusable BOOLEAN NOT NULL DEFAULT 0;
          ALTER TABLE departed ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE departed ADD COLUMN trashed TEXT;
          CREATE INDEX departedPath ON departed (path);
          CREATE INDEX departedContent ON departed (contentID);
          -- Pictures that PhotoMe is removing itself.
          CREATE TABLE deliberate (id TEXT NOT NULL PRIMARY KEY, trashed TEXT) WITHOUT ROWID;
          -- The files that records name. `isAll`: the record holds nothing else.
          CREATE TABLE binding (
            id TEXT NOT NULL PRIMARY KEY, path TEXT NOT NULL, content TEXT NOT NULL, isAll BOOLEAN NOT NULL)
            WITHOUT ROWID;
          CREATE INDEX bindingPath ON binding (path);
          CREATE INDEX bindingContent ON binding (content);
          -- Assets whose records have to name their files.
          CREATE TABLE unbound (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
          CREATE TABLE property (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
          INSERT INTO property (name, value) SELECT 'scanned', '1' WHERE EXISTS (SELECT 1 FROM asset);
          """)
    }
    migrator.registerMigration("6 disks") { db in
      try db.execute(
        sql: """
          -- The mark of the disk in the place of the file's folder, if that has one: see `LibraryDisks`.
          ALTER TABLE asset ADD COLUMN disk TEXT NOT NULL DEFAULT '';
          ALTER TABLE departed ADD COLUMN disk TEXT NOT NULL DEFAULT '';
          """)
    }
    migrator.registerMigration("7 numbers in records") { db in
      try db.execute(
        sql: """
          -- The inode number that a record tells: see `AssetRecord.File`; none of those read before.
          ALTER TABLE binding ADD COLUMN number INTEGER;
          """)
    }
    migrator.registerMigration("8 bursts") { db in
      try db.execute(
        sql: """
          -- The id that all pictures of a burst share. PhotoMe wrote none before; another program's picture that was read
          -- before tells its own when it changes, or when the index is made anew.
          ALTER TABLE asset ADD COLUMN burst TEXT;
          CREATE INDEX assetBurst ON asset (isHidden, created, path) WHERE burst IS NOT NULL;
          CREATE INDEX assetBurstID ON asset (burst, isHidden, created, path) WHERE burst IS NOT NULL;
          """)
    }
    migrator.registerMigration("9 key photos") { db in
      try db.execute(
        sql: """
          -- Whether a file says that it stands for its burst, and whether its record does. Of a picture that was read before,
          -- the file tells when it changes, or when the index is made anew.
          ALTER TABLE asset ADD COLUMN isBurstPrimary BOOLEAN NOT NULL DEFAULT 0;
          ALTER TABLE asset ADD COLUMN isKeyPhoto BOOLEAN NOT NULL DEFAULT 0;
          ALTER TABLE record ADD COLUMN isKeyPhoto BOOLEAN NOT NULL DEFAULT 0;
          -- The burst that an asset was in before the change, or is in now: its other pictures may be listed differently.
          ALTER TABLE change ADD COLUMN burst TEXT;
          -- In the order of `AssetQuery.keyOrder`.
          CREATE INDEX assetBurstKey ON asset (burst, isHidden, isKeyPhoto DESC, isBurstPrimary DESC, created, path)
            WHERE burst IS NOT NULL;
          """)
    }
    migrator.registerMigration("10 sheets") { db in
      try db.execute(
        sql: """
          -- Whether it is PhotoMe's sheet of the other pictures of its burst. None that were made before say so.
          ALTER TABLE asset ADD COLUMN isSheet BOOLEAN NOT NULL DEFAULT 0;
          """)
    }
    migrator.registerMigration("11 search") { db in try db.execute(sql: search) }
    migrator.registerMigration("12 pairs") { db in try db.execute(sql: pairs) }
    migrator.registerMigration("13 order") { db in
      try db.execute(
        sql: """
          -- Whether an album is in an order of its own, which the times of its memberships give, and its cover.
          ALTER TABLE collection ADD COLUMN isOrdered BOOLEAN NOT NULL DEFAULT 0;
          ALTER TABLE collection ADD COLUMN cover TEXT;
          -- Movies that tell their time zone are read again.
          UPDATE asset SET changed = \(FileState.outdated) WHERE isOwn = 0 AND isVideo = 1;
          """)
    }
    migrator.registerMigration("14 history") { db in
      try db.execute(
        sql: """
          -- Tells the history of this index from that of any other, in one row: see `PersistentChangeToken`.
          CREATE TABLE history (id TEXT NOT NULL);
          INSERT INTO history (id) VALUES (lower(hex(randomblob(16))));
          -- Whether the asset was in lists, or the collection was there, before the change.
          ALTER TABLE change ADD COLUMN wasThere BOOLEAN;
          """)
    }
    migrator.registerMigration("15 arranged albums") { db in
      try db.execute(
        sql: """
          -- The position of an album or a folder among those beside it: see `CollectionOrder`. A record that was read before
          -- may have one, if an older version has made the index anew.
          ALTER TABLE collection ADD COLUMN position INTEGER;
          UPDATE collection SET changed = \(FileState.outdated);
          """)
    }
    migrator.registerMigration("16 marks in the history") { db in
      try db.execute(
        sql: """
          -- Tells a row of the history from one that has the same number: an index that was put back from a backup, or that
          -- lost its last changes with the power, gives the numbers of lost rows to others. See `PersistentChangeToken`.
          ALTER TABLE change ADD COLUMN mark INTEGER;
          UPDATE change SET mark = random();
          -- Earlier versions that have the library open write rows, too.
          CREATE TRIGGER changeMark AFTER INSERT ON change
          BEGIN UPDATE change SET mark = random() WHERE sequence = NEW.sequence; END;
          """)
    }
    return migrator
  }

  /// The row or column of the square that a coordinate is in, as of `Moment.Place`. Rounded down; SQLite's function for
  /// that isn't always compiled in.
  static func cell(_ column: String) -> String {
    "(CAST(\(column) * 20.0 AS INTEGER) - (\(column) * 20.0 < CAST(\(column) * 20.0 AS INTEGER)))"
  }

  private static let search = """
    -- The texts of assets by every three successive characters: finds what `LIKE '%…%'` finds. It holds no text itself. The
    -- texts are folded already.
    CREATE VIRTUAL TABLE assetText USING fts5 (
      search, content = 'asset', content_rowid = 'number', tokenize = 'trigram case_sensitive 1');
    CREATE TRIGGER assetTextInsert AFTER INSERT ON asset
    BEGIN INSERT INTO assetText (rowid, search) VALUES (NEW.number, NEW.search); END;
    CREATE TRIGGER assetTextDelete AFTER DELETE ON asset
    BEGIN INSERT INTO assetText (assetText, rowid, search) VALUES ('delete', OLD.number, OLD.search); END;
    CREATE TRIGGER assetTextUpdate AFTER UPDATE OF number, search ON asset
    BEGIN
      INSERT INTO assetText (assetText, rowid, search) VALUES ('delete', OLD.number, OLD.search);
      INSERT INTO assetText (rowid, search) VALUES (NEW.number, NEW.search);
    END;
    INSERT INTO assetText (assetText) VALUES ('rebuild');
    -- The names of the squares in which pictures were taken; without a city where none is known. `search` has the names in
    -- English and in the person's language, folded.
    CREATE TABLE place (
      cellRow INTEGER NOT NULL, cellColumn INTEGER NOT NULL, country TEXT, city TEXT, title TEXT,
      search TEXT NOT NULL, PRIMARY KEY (cellRow, cellColumn)) WITHOUT ROWID;
    -- Covers the counts of places.
    CREATE INDEX assetPlace ON asset (\(cell("latitude")), \(cell("longitude")), isHidden, burst)
      WHERE latitude IS NOT NULL;
    """

  private static let pairs = """
    -- The identifier of an Apple Live Photo, and the name that the files of one asset share: see `FilePairs`.
    ALTER TABLE asset ADD COLUMN pairID TEXT;
    ALTER TABLE asset ADD COLUMN stem TEXT NOT NULL DEFAULT '';
    -- The row of the asset that the file is a part of, and its role: see `IndexTransaction.pairUp`. A part is in no list.
    ALTER TABLE asset ADD COLUMN partOf INTEGER;
    ALTER TABLE asset ADD COLUMN role INTEGER;
    -- The movie of a photo in a file of its own.
    ALTER TABLE asset ADD COLUMN videoPath TEXT;
    ALTER TABLE asset ADD COLUMN videoSize INTEGER;
    ALTER TABLE asset ADD COLUMN videoDuration REAL;
    ALTER TABLE asset ADD COLUMN videoTime REAL;
    CREATE INDEX assetStem ON asset (folder, stem);
    CREATE INDEX assetPart ON asset (partOf) WHERE partOf IS NOT NULL;
    -- Lists are without parts.
    DROP INDEX assetNewest;
    DROP INDEX assetFavorite;
    DROP INDEX assetMovie;
    DROP INDEX assetPlace;
    DROP INDEX assetBurst;
    DROP INDEX assetBurstID;
    DROP INDEX assetBurstKey;
    CREATE INDEX assetNewest ON asset (isHidden, created, path, utcOffset, latitude, longitude, partOf);
    CREATE INDEX assetFavorite ON asset (isHidden, created, path, partOf) WHERE isFavorite = 1;
    CREATE INDEX assetMovie ON asset (isHidden, created, path, partOf) WHERE isVideo = 1;
    CREATE INDEX assetBurst ON asset (isHidden, created, path, partOf) WHERE burst IS NOT NULL;
    CREATE INDEX assetBurstID ON asset (burst, isHidden, created, path, partOf) WHERE burst IS NOT NULL;
    CREATE INDEX assetBurstKey ON asset (
        burst, isHidden, isKeyPhoto DESC, isBurstPrimary DESC, created, path, partOf) WHERE burst IS NOT NULL;
    CREATE INDEX assetPlace ON asset (\(cell("latitude")), \(cell("longitude")), isHidden, burst, partOf)
      WHERE latitude IS NOT NULL;
    -- The search of an album that has its results.
    ALTER TABLE collection ADD COLUMN rules TEXT;
    -- Those that PhotoMe hasn't written are read again.
    UPDATE asset SET changed = \(FileState.outdated) WHERE isOwn = 0;
    """

  private static let tables = """
    -- A file with its metadata and its record. `number` stays with the id for as long as the row exists.
    CREATE TABLE asset (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL,
      name TEXT NOT NULL, search TEXT NOT NULL, contentID TEXT NOT NULL, isVideo BOOLEAN NOT NULL, isOwn BOOLEAN NOT NULL,
      created INTEGER NOT NULL, utcOffset INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
      duration REAL, photoDisplayTime REAL, movieStart INTEGER, movieEnd INTEGER, cameraName TEXT,
      latitude REAL, longitude REAL, fileSize INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
      isFavorite BOOLEAN NOT NULL, isHidden BOOLEAN NOT NULL, isEdited BOOLEAN NOT NULL);
    -- Each covers lists of row numbers.
    CREATE INDEX assetNewest ON asset (isHidden, created, path);
    CREATE INDEX assetFavorite ON asset (isHidden, created, path) WHERE isFavorite = 1;
    CREATE INDEX assetMovie ON asset (isHidden, created, path) WHERE isVideo = 1;
    CREATE INDEX assetContent ON asset (contentID);
    CREATE INDEX assetFolder ON asset (folder);
    CREATE TABLE unusable (
      path TEXT NOT NULL PRIMARY KEY, folder TEXT NOT NULL, fileSize INTEGER NOT NULL, modified INTEGER NOT NULL,
      changed INTEGER NOT NULL);
    -- Copies of the record files, also for assets that don't exist now.
    CREATE TABLE record (
      id TEXT NOT NULL PRIMARY KEY, isFavorite BOOLEAN NOT NULL, isHidden BOOLEAN NOT NULL, isEdited BOOLEAN NOT NULL,
      fileSize INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL);
    CREATE TABLE membership (
      collection TEXT NOT NULL, asset TEXT NOT NULL, added INTEGER NOT NULL, PRIMARY KEY (collection, asset))
      WITHOUT ROWID;
    CREATE INDEX membershipAsset ON membership (asset);
    CREATE TABLE collection (
      id TEXT NOT NULL PRIMARY KEY, isFolder BOOLEAN NOT NULL, title TEXT NOT NULL, search TEXT NOT NULL, parent TEXT,
      created INTEGER NOT NULL, fileSize INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL);
    -- The history that every process reads. `kind`: an asset was 0 added, 1 changed, 2 removed; 3 a collection of that
    -- id.
    CREATE TABLE change (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, number INTEGER NOT NULL, kind INTEGER NOT NULL);
    """
}
