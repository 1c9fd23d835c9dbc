// A neural network that runs on the processor.

import CXNNPACK

/// A network with its memory. For one thread at a time.
final class Network {
  /// The shapes of the inputs: batch, rows, columns, channels.
  let inputShapes: [[Int]]
  /// The counts of numbers of the outputs.
  let outputCounts: [Int]

  private let runtime: xnn_runtime_t
  /// The numbers of the model, which XNNPACK reads while it runs.
  private let constants: [NumberBlock]
  private let inputs: [NumberBlock]
  /// Of each output, the blocks whose numbers follow each other.
  private let outputs: [[NumberBlock]]

  /// Whether XNNPACK is ready; it looks at the processor once.
  private static let isReady: Bool = xnn_initialize(nil) == xnn_status_success

  /// - Throws: `ModelError` for a model that doesn't run.
  init(_ model: NetworkModel) throws(ModelError) {
    guard Self.isReady else { throw .refused(status: Int(xnn_status_unsupported_hardware.rawValue)) }
    var model = model
    let pieces = try model.removeArrangements()
    try model.removeUnread(outputs: pieces.flatMap { $0 })
    try model.checkShapes()
    let graph = try NetworkGraph(model, outputs: pieces.flatMap { $0 })
    let (runtime, constants) = try graph.makeRuntime()
    (self.runtime, self.constants) = (runtime, constants)
    inputShapes = model.inputs.map { model.values[$0].shape }
    outputCounts = model.outputs.map { model.values[$0].count }
    inputs = model.inputs.map { NumberBlock(count: model.values[$0].count) }
    var blocks: [Int: NumberBlock] = [:]
    for index in pieces.flatMap({ $0 }) where blocks[index] == nil {
      blocks[index] = NumberBlock(count: model.values[index].count)
    }
    outputs = pieces.map { $0.compactMap { blocks[$0] } }
    var external = zip(model.inputs, inputs).map { xnn_external_value(id: UInt32($0), data: $1.numbers) }
    external += blocks.map { xnn_external_value(id: UInt32($0), data: $1.numbers) }
    let status = xnn_setup_runtime(runtime, external.count, external)
    // All properties have their values, so `deinit` frees the runtime when this throws.
    guard status == xnn_status_success else { throw .refused(status: Int(status.rawValue)) }
  }

  deinit { xnn_delete_runtime(runtime) }

  /// Lends the numbers of an input, to be written before a run.
  func withInput(_ index: Int = 0, _ write: (UnsafeMutableBufferPointer<Float>) -> Void) {
    let block = inputs[index]
    write(UnsafeMutableBufferPointer(start: block.numbers, count: block.count))
  }

  /// Computes the outputs.
  ///
  /// - Throws: `ModelError.refused`.
  func run() throws(ModelError) {
    let status = xnn_invoke_runtime(runtime)
    guard status == xnn_status_success else { throw .refused(status: Int(status.rawValue)) }
  }

  /// A copy of an output.
  func output(_ index: Int = 0) -> [Float] { outputs[index].flatMap { [Float]($0) } }
}
