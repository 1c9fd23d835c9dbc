// Which cells of a list or grid are seen, and which may be seen soon.

import CGtk
import GtkShim

/// The cells of a `GtkListView` or `GtkGridView` by their distance from what is visible.
///
/// GTK binds hundreds of cells, and gives those that aren't visible a frame of no use in a corner of the view: their distance
/// is that of their indexes.
@MainActor struct CellsByDistance<Cell> {
  /// A cell with the view's own child around it, whose frame is known without a walk through the tree.
  struct Bound {
    var cell: Cell
    var index: Int
    var row: UnsafeMutablePointer<GtkWidget>
  }

  struct Visible {
    var cell: Cell
    var index: Int
    /// In the coordinates of the view's visible part.
    var frame: GtkAllocation
  }

  /// In the order of their indexes.
  private(set) var visible: [Visible] = []
  /// Those within a page of the visible ones, by distance.
  private(set) var near: [Cell] = []
  private(set) var far: [Cell] = []

  /// - Parameters:
  ///   - bound: In any order.
  ///   - view: The list or grid.
  ///   - side: The smallest width of a cell, in the layout's pixels.
  init(_ bound: [Bound], in view: GObjectRef, side: Int32) {
    let (width, height) = (gtk_widget_get_width(view.widget), gtk_widget_get_height(view.widget))
    var others: [Bound] = []
    for one in bound {
      var frame = GtkAllocation()
      gtk_widget_get_allocation(one.row, &frame)
      if frame.width >= side, frame.x + frame.width > 0, frame.x < width, frame.y + frame.height > 0, frame.y < height {
        visible.append(Visible(cell: one.cell, index: one.index, frame: frame))
      } else {
        others.append(one)
      }
    }
    visible.sort { $0.index < $1.index }
    guard let first = visible.first?.index, let last = visible.last?.index else {
      far = others.map(\.cell)
      return
    }
    func distance(_ one: Bound) -> Int { max(first - one.index, one.index - last) }
    near = others.filter { distance($0) <= visible.count }.sorted { distance($0) < distance($1) }.map(\.cell)
    far = others.filter { distance($0) > visible.count }.map(\.cell)
  }
}
