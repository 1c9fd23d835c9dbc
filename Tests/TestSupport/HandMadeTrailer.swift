// The bytes that phones append to their JPEGs: Samsung's trailer, and those of others.

import Foundation

/// Trailers behind a JPEG, built by hand.
public enum HandMadeTrailer {
  /// A block of Samsung's trailer.
  public struct Block {
    /// `0x0a30` is a movie.
    public var kind: UInt64
    public var name: String
    public var content: Data

    public init(kind: UInt64, name: String, content: Data) {
      (self.kind, self.name, self.content) = (kind, name, content)
    }

    /// The movie of a motion photo.
    public static func movie(_ movie: Data) -> Block {
      Block(kind: 0x0a30, name: "MotionPhoto_Data", content: movie)
    }
  }

  /// Numbers with the lowest byte first.
  public static func little(_ number: UInt64, _ count: Int) -> Data {
    Data(HandMadeMovie.bytes(number, count).reversed())
  }

  /// Samsung's trailer: the blocks, their directory from `SEFH` on, its length and `SEFT`.
  public static func samsung(_ blocks: [Block]) -> Data {
    var data = Data()
    var starts: [(kind: UInt64, start: Int, count: Int)] = []
    for block in blocks {
      let start = data.count
      data += little(0, 2) + little(block.kind, 2) + little(UInt64(block.name.utf8.count), 4) + Data(block.name.utf8)
      data += block.content
      starts.append((block.kind, start, data.count - start))
    }
    var directory = Data("SEFH".utf8) + little(106, 4) + little(UInt64(blocks.count), 4)
    for entry in starts {
      directory += little(0, 2) + little(entry.kind, 2)
      directory += little(UInt64(data.count - entry.start), 4) + little(UInt64(entry.count), 4)
    }
    return data + directory + little(UInt64(directory.count), 4) + Data("SEFT".utf8)
  }

  /// The trailer of a motion photo by Samsung: the time it was taken, and the movie.
  public static func samsung(movie: Data) -> Data {
    samsung([
      Block(kind: 0x0a01, name: "Image_UTC_Data", content: Data("1795242666123".utf8)), .movie(movie),
      Block(kind: 0x0a31, name: "MotionPhoto_Version", content: Data("mpv3".utf8)),
    ])
  }

  /// The movie of a Huawei or Honor phone, with the two words behind it from which they find it.
  public static func huawei(movie: Data) -> Data {
    func word(_ text: String) -> Data { Data(text.utf8) + Data(repeating: 0x20, count: 20 - text.utf8.count) }
    return movie + word("v3_f30") + word("0:0") + word("LIVE_\(movie.count + 20)")
  }
}
