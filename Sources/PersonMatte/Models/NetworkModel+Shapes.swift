// The sizes of values, computed from the operations: XNNPACK trusts those that a model states.

extension NetworkModel {
  /// Of all values together. The known models have 4 million.
  private static let mostNumbers = 1 << 26
  /// Pixels of a window, for all of its places: XNNPACK keeps a pointer for each.
  private static let mostWindowPixels = 1 << 24

  /// Checks that every value has the size that its operation writes.
  ///
  /// - Throws: `ModelError.wrongShape`.
  func checkShapes() throws(ModelError) {
    var count = 0
    for index in Set(steps.flatMap { $0.inputs + [$0.output] }) { count += values[index].count }
    guard count <= Self.mostNumbers else { throw .wrongShape("network") }
    for step in steps {
      let inputs = step.inputs.map { values[$0] }
      guard inputs.count == step.operation.inputCount, let shape = Self.shape(of: step.operation, inputs),
        shape == values[step.output].shape
      else {
        throw .wrongShape("\(step.operation)")
      }
    }
  }

  /// - Returns: `nil` when the inputs don't go together.
  private static func shape(of operation: Operation, _ inputs: [Value]) -> [Int]? {
    guard let first = inputs.first else { return nil }
    let shape = first.shape
    switch operation {
    case .convolution(let window):
      guard let filter = filter(inputs), filter.shape[3] == shape[3], inputs[2].shape == [filter.shape[0]] else {
        return nil
      }
      return slid(shape, window, rows: filter.shape[1], columns: filter.shape[2], channels: filter.shape[0])
    case .depthwiseConvolution(let window):
      guard let filter = filter(inputs), filter.shape[0] == 1, filter.shape[3] == shape[3],
        inputs[2].shape == [shape[3]]
      else { return nil }
      return slid(shape, window, rows: filter.shape[1], columns: filter.shape[2], channels: shape[3])
    case .transposedConvolution(let window):
      // The one form of the known models: each pixel becomes a block.
      guard let filter = filter(inputs), filter.shape[3] == shape[3], inputs[2].shape == [filter.shape[0]],
        window.padding == .same, filter.shape[1] == window.strides.rows, filter.shape[2] == window.strides.columns
      else { return nil }
      return [shape[0], shape[1] * window.strides.rows, shape[2] * window.strides.columns, filter.shape[0]]
    case .averagePool(let window, let rows, let columns), .maximumPool(let window, let rows, let columns):
      guard shape.count == 4, rows <= shape[1], columns <= shape[2] else { return nil }
      return slid(shape, window, rows: rows, columns: columns, channels: shape[3])
    case .mean:
      guard shape.count == 4 else { return nil }
      return [shape[0], 1, 1, shape[3]]
    case .add, .multiply:
      guard inputs.count == 2, shape.count == inputs[1].shape.count else { return nil }
      let both = zip(shape, inputs[1].shape)
      guard both.allSatisfy({ $0 == $1 || $0 == 1 || $1 == 1 }) else { return nil }
      return both.map { max($0, $1) }
    case .relu, .hardSwish, .logistic: return shape
    case .pad(let before, let after):
      guard before.count == shape.count, after.count == shape.count else { return nil }
      return shape.indices.map { before[$0] + shape[$0] + after[$0] }
    case .resize(let rows, let columns, _, _):
      guard shape.count == 4 else { return nil }
      return [shape[0], rows, columns, shape[3]]
    case .reshape, .concatenate: return nil
    }
  }

  /// The filter of a convolution with a filter and a bias that are part of the model.
  private static func filter(_ inputs: [Value]) -> Value? {
    guard inputs.count == 3, inputs[0].shape.count == 4, inputs[1].shape.count == 4, inputs[1].constant != nil,
      inputs[2].constant != nil
    else { return nil }
    return inputs[1]
  }

  private static func slid(_ shape: [Int], _ window: Window, rows: Int, columns: Int, channels: Int) -> [Int]? {
    func side(_ length: Int, _ size: Int, _ stride: Int, _ dilation: Int) -> Int {
      let reach = window.padding == .same ? 1 : (size - 1) * dilation + 1
      return (length - reach + stride) / stride
    }
    let height = side(shape[1], rows, window.strides.rows, window.dilations.rows)
    let width = side(shape[2], columns, window.strides.columns, window.dilations.columns)
    guard height > 0, width > 0, rows * columns <= mostWindowPixels / (height * width) else { return nil }
    return [shape[0], height, width, channels]
  }
}

extension NetworkModel.Operation {
  /// Values that it reads; others would keep theirs from being computed, or be computed for nothing.
  fileprivate var inputCount: Int? {
    switch self {
    case .convolution, .depthwiseConvolution, .transposedConvolution: 3
    case .mean, .add, .multiply, .pad, .resize: 2
    case .averagePool, .maximumPool, .relu, .hardSwish, .logistic: 1
    case .reshape, .concatenate: nil
    }
  }
}
