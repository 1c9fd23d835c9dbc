// The keywords of the formats, which a fuzzer would take long to guess.

import MediaFormats

enum Words {
  static let xmp =
    [XMPNamespace.camera, XMPNamespace.container, XMPNamespace.item]
    + [
      "xmlns:", "MotionPhoto", "MicroVideo", "MicroVideoOffset", "MotionPhotoPresentationTimestampUs", "Item", "Length",
      "Semantic", "Mime", "<!--", "-->", "<?", "?>", "<![CDATA[", "]]>", "/>", "</", "=\"1\"", "18446744073709551615",
    ]

  static let boxes = [
    "ftyp", "moov", "mvhd", "trak", "tkhd", "mdia", "mdhd", "mvex", "mehd", "trex", "moof", "traf", "tfhd", "trun",
    "mdat", "\0\0\0\u{1}", "\0\0\u{1}\0", "\0\0\0\u{8}",
  ]

  static let tables = [
    "minf", "stbl", "stsd", "stts", "stsc", "stsz", "stco", "co64", "hdlr", "vide", "soun", "meta", "udta", "keys",
    "ilst",
    "mdta", "mebx", "edts", "elst", "tref", "esds", "mp4a", "uuid", "free", "saio",
  ]

  static let trailers = ["SEFH", "SEFT", "MotionPhoto_Data", "MPF\0", "ftyp"]

  static let places = [
    "Photoshop 3.0\0", "8BIM", "photoshop:City", "Iptc4xmpExt:LocationShown", "Iptc4xmpCore:CountryCode", "dc:subject",
    "lr:hierarchicalSubject", "rdf:li", "rdf:Bag", "|", "Paris",
  ]

  /// The beginnings of maker notes.
  static let makers = [
    "Canon", "Nikon", "NIKON CORPORATION", "OLYMPUS", "OLYMP", "Panasonic", "FUJIFILM", "SONY DSC ", "Minolta",
    "PENTAX ", "AOC", "SAMSUNG", "SIGMA", "FOVEON", "CASIO", "QVC",
  ]

  static let names = ["IMG_", "VID_", "PXL_", "_20261121", "_073106", "_123", ".jpg", ".mp4", ".MP", ".tmp", "\u{301}"]
}
