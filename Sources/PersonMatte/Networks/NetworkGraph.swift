// A model as XNNPACK's graph of values and operations.

import CXNNPACK

/// Builds the graph of a model.
final class NetworkGraph {
  private let graph: xnn_subgraph_t
  private let model: NetworkModel
  private var constants: [NumberBlock] = []

  /// - Parameter outputs: The values that are read after a run.
  /// - Throws: `ModelError.refused` or `.unknown`.
  init(_ model: NetworkModel, outputs: [Int]) throws(ModelError) {
    var graph: xnn_subgraph_t?
    try Self.check(xnn_create_subgraph(UInt32(model.values.count), 0, &graph))
    guard let graph else { throw .refused(status: Int(xnn_status_out_of_memory.rawValue)) }
    (self.graph, self.model) = (graph, model)
    // From here on, `deinit` frees the graph.
    let (inputs, outputs) = (Set(model.inputs), Set(outputs))
    let used = Set(model.steps.flatMap { $0.inputs + [$0.output] })
    for index in model.values.indices where used.contains(index) && model.values[index].integers == nil {
      try define(
        model.values[index], UInt32(index),
        flags: (inputs.contains(index) ? UInt32(XNN_VALUE_FLAG_EXTERNAL_INPUT) : 0)
          | (outputs.contains(index) ? UInt32(XNN_VALUE_FLAG_EXTERNAL_OUTPUT) : 0))
    }
    for step in model.steps { try define(step) }
  }

  deinit { xnn_delete_subgraph(graph) }

  /// The network, ready to run on the calling thread; the constants have to live as long.
  func makeRuntime() throws(ModelError) -> (xnn_runtime_t, [NumberBlock]) {
    var runtime: xnn_runtime_t?
    try Self.check(xnn_create_runtime_v2(graph, nil, 0, &runtime))
    guard let runtime else { throw .refused(status: Int(xnn_status_out_of_memory.rawValue)) }
    return (runtime, constants)
  }

  private static func check(_ status: xnn_status) throws(ModelError) {
    guard status == xnn_status_success else { throw .refused(status: Int(status.rawValue)) }
  }

  // MARK: Values

  private func define(_ value: NetworkModel.Value, _ id: UInt32, flags: UInt32) throws(ModelError) {
    var data: UnsafeMutablePointer<Float>?
    if let constant = value.constant {
      let block = NumberBlock(constant)
      constants.append(block)
      data = block.numbers
    }
    var made: UInt32 = 0
    try Self.check(
      xnn_define_tensor_value(graph, xnn_datatype_fp32, value.shape.count, value.shape, data, id, flags, &made))
  }

  // MARK: Operations

  private func define(_ step: NetworkModel.Step) throws(ModelError) {
    let values = step.inputs.map { model.values[$0] }
    let inputs = step.inputs.map(UInt32.init)
    let output = UInt32(step.output)
    let (least, most) = (-Float.infinity, Float.infinity)
    switch step.operation {
    case .convolution(let window):
      let filter = values[1].shape
      try Self.check(
        xnn_define_convolution_2d(
          graph, 0, 0, 0, 0, UInt32(filter[1]), UInt32(filter[2]), UInt32(window.strides.rows),
          UInt32(window.strides.columns), UInt32(window.dilations.rows), UInt32(window.dilations.columns), 1, filter[3],
          filter[0], least, most, inputs[0], inputs[1], inputs[2], output, window.flags))
    case .depthwiseConvolution(let window):
      let filter = values[1].shape
      try Self.check(
        xnn_define_depthwise_convolution_2d(
          graph, 0, 0, 0, 0, UInt32(filter[1]), UInt32(filter[2]), UInt32(window.strides.rows),
          UInt32(window.strides.columns), UInt32(window.dilations.rows), UInt32(window.dilations.columns), 1, filter[3],
          least, most, inputs[0], inputs[1], inputs[2], output, window.flags))
    case .transposedConvolution(let window):
      let filter = values[1].shape
      try Self.check(
        xnn_define_deconvolution_2d(
          graph, 0, 0, 0, 0, 0, 0, UInt32(filter[1]), UInt32(filter[2]), UInt32(window.strides.rows),
          UInt32(window.strides.columns), 1, 1, 1, filter[3], filter[0], least, most, inputs[0], inputs[1], inputs[2],
          output, 0))
    case .averagePool(let window, let rows, let columns):
      // XNNPACK has faster code for the whole picture.
      if rows == values[0].shape[1], columns == values[0].shape[2], model.values[step.output].shape[1...2] == [1, 1] {
        try Self.check(xnn_define_global_average_pooling_2d(graph, least, most, inputs[0], output, 0))
        return
      }
      try Self.check(
        xnn_define_average_pooling_2d(
          graph, 0, 0, 0, 0, UInt32(rows), UInt32(columns), UInt32(window.strides.rows), UInt32(window.strides.columns),
          least, most, inputs[0], output, window.flags))
    case .maximumPool(let window, let rows, let columns):
      try Self.check(
        xnn_define_max_pooling_2d(
          graph, 0, 0, 0, 0, UInt32(rows), UInt32(columns), UInt32(window.strides.rows), UInt32(window.strides.columns),
          1, 1, least, most, inputs[0], output, window.flags))
    case .mean: try Self.check(xnn_define_global_average_pooling_2d(graph, least, most, inputs[0], output, 0))
    case .add: try Self.check(xnn_define_add2(graph, least, most, inputs[0], inputs[1], output, 0))
    case .multiply: try Self.check(xnn_define_multiply2(graph, least, most, inputs[0], inputs[1], output, 0))
    case .relu: try Self.check(xnn_define_clamp(graph, 0, most, inputs[0], output, 0))
    case .hardSwish: try Self.check(xnn_define_hardswish(graph, inputs[0], output, 0))
    case .logistic: try Self.check(xnn_define_sigmoid(graph, inputs[0], output, 0))
    case .pad(let before, let after):
      try Self.check(xnn_define_static_constant_pad(graph, before, after, 0, inputs[0], output, 0))
    case .resize(let rows, let columns, let alignsCorners, let hasPixelCenters):
      let flags = alignsCorners ? XNN_FLAG_ALIGN_CORNERS : hasPixelCenters ? 0 : XNN_FLAG_TENSORFLOW_LEGACY_MODE
      try Self.check(
        xnn_define_static_resize_bilinear_2d(graph, rows, columns, inputs[0], output, UInt32(flags)))
    case .reshape, .concatenate: throw .unknown("\(step.operation)")
    }
  }
}

extension NetworkModel.Window {
  fileprivate var flags: UInt32 { padding == .same ? UInt32(XNN_FLAG_TENSORFLOW_SAME_PADDING) : 0 }
}
