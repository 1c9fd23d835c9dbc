// Removal of places from the further pictures of a JPEG file: those of MPO files and bursts, gain maps, previews.

import Foundation
import Localization
import MediaFormats

extension CaptureMetadataRewriter {
  /// The heads of pictures behind the first one without the place, which keep their lengths: an index and the descriptions
  /// of other programs tell where they are.
  ///
  /// - Parameters:
  ///   - start: The end of the first picture's head.
  ///   - limit: The offset at which a movie begins, or the file ends.
  /// - Returns: What changes, in order.
  /// - Throws: `FormatError.refused` when the place must not stay and can't be removed; `read`.
  static func furtherPictures(
    of file: ReadableFile, from start: UInt64, upTo limit: UInt64, _ change: CaptureMetadataChange
  ) throws(FormatError) -> [(range: Range<UInt64>, bytes: [UInt8])] {
    guard change.changesPlace else { return [] }
    let pictures = try JPEGExtent.furtherPictures(in: file as any ByteSource, upTo: limit)
    var edits: [(range: Range<UInt64>, bytes: [UInt8])] = []
    guard !pictures.mayHaveOthers || !change.removesPlace else { throw mayNamePlace }
    var headEnd = start
    for start in pictures.starts {
      do throws(FormatError) {
        // An index may name a preview in another picture's head.
        guard start >= headEnd else { throw mayNamePlace }
        let source = SourceStretch(file as any ByteSource, range: start..<limit)
        guard let head = try JPEGHead(source), head.scanOffset <= MetadataRewriter.largestHead else {
          throw mayNamePlace
        }
        headEnd = start + head.scanOffset
        let old = try source.bytes(at: 0, count: Int(head.scanOffset))
        let new = try placeless(old)
        guard new.count == old.count else { throw mayNamePlace }
        if new != old { edits.append((start..<start + head.scanOffset, new)) }
      } catch {
        if case .read = error { throw error }
        // Without a promise that nothing is left, what can't be changed stays.
        if change.removesPlace { throw error }
      }
    }
    return edits
  }

  private static var mayNamePlace: FormatError {
    .refused(reason: localized("an additional picture in it may name the place"))
  }

  /// The head of a picture without its place, and of the same length.
  private static func placeless(_ head: [UInt8]) throws(FormatError) -> [UInt8] {
    var bytes = head
    let records = RecordChanges(removesPlace: true, refusesDamage: true)
    let segments = try MetadataRewriter.segments(of: head)
    for segment in segments {
      let old = Array(head[segment.payload])
      switch segment.kind {
      case .exif where old.count > exifIdentifier.count + 8:
        var block = try EXIFBlock(Data(old.dropFirst(exifIdentifier.count)))
        try block.removePosition()
        guard block.bytes.count == old.count - exifIdentifier.count else { throw mayNamePlace }
        bytes.replaceSubrange(segment.payload, with: old.prefix(exifIdentifier.count) + block.bytes)
      case .xmp:
        let identifier = MetadataRewriter.identifier
        guard let packet = try XMPPacket.withoutPosition(Array(old.dropFirst(identifier.count)), isRequired: true)
        else { continue }
        bytes.replaceSubrange(segment.payload, with: identifier + packet.bytes)
      case .application where segment.marker == photoshopMarker && old.starts(with: PhotoshopBlock.identifier):
        let block = Array(old.dropFirst(PhotoshopBlock.identifier.count))
        guard try PhotoshopBlock.changed(block, records) == block else { throw mayNamePlace }
      default: continue
      }
    }
    let further = segments.filter { $0.kind == .extendedXMP }.map { Array(head[$0.payload]) }
    var extended = ExtendedXMP(further)
    try extended.change(isRequired: true) { packet throws(FormatError) in
      var new = packet
      try new.blankPosition()
      return new
    }
    guard extended.payloads == further else { throw mayNamePlace }
    return bytes
  }
}
