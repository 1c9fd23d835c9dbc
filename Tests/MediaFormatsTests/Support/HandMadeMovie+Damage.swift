// Changed and damaged tracks of hand-made movies.

import Foundation
import TestSupport

@testable import MediaFormats

extension HandMadeMovie {
  /// The movie with changed tracks. The description has to follow the samples, which so keep their offsets.
  func changed(_ change: (inout MP4Box) -> Void) throws -> Data {
    precondition(!isDescribedFirst, "The samples would move.")
    var boxes = try MP4Box.boxes(in: [UInt8](data)[...])
    for index in boxes.indices where boxes[index].type == "moov" { boxes[index].changeAll("trak", change) }
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    return Data(bytes)
  }
}

extension MP4Box {
  /// The box, with a box behind the last one in its first container of a type that is longer than what is left.
  func withJunk(in container: MP4Type) -> MP4Box {
    guard let children else { return self }
    guard type == container else { return MP4Box(type, children: children.map { $0.withJunk(in: container) }) }
    var bytes: [UInt8] = []
    for child in children { child.write(to: &bytes) }
    return MP4Box(type, bytes + BigEndian.words(200) + Array("junk".utf8))
  }
}
