// The places at which the face detector looks.

import CameraCore

/// The centers of the face detector's 896 anchors, in parts of the input's sides: two on each cell of 16×16, then six on each
/// of 8×8, row by row.
///
/// Source: MediaPipe, `face_detection_short_range.pbtxt` and `ssd_anchors_calculator.cc`: four layers with strides of 8, 16,
/// 16 and 16 pixels of 128, one aspect ratio and one interpolated one; the anchors of all layers of one stride are together.
enum FaceAnchors {
  static let centers: [FoundFace.Point] = [(side: 16, count: 2), (side: 8, count: 6)].flatMap { grid in
    (0..<grid.side * grid.side).flatMap { cell in
      let x = (Double(cell % grid.side) + 0.5) / Double(grid.side)
      let y = (Double(cell / grid.side) + 0.5) / Double(grid.side)
      return [FoundFace.Point](repeating: FoundFace.Point(x: x, y: y), count: grid.count)
    }
  }
}
