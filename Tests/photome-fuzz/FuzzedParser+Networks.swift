// Models of neural networks.

import Foundation
import TestSupport

@testable import PersonMatte

extension FuzzedParser {
  /// In numbers of all values. Larger networks would only be slower.
  private static let mostNumbers = 1 << 18

  /// Reads a model, and runs it: XNNPACK trusts the sizes that it is told.
  static let ofNetworks = FuzzedParser(
    name: "tflite", seeds: Seeds.networks, words: ["TFL3", "Convolution2DTransposeBias"]
  ) {
    let model = try NetworkModel([UInt8]($0))
    guard model.values.reduce(0, { $0 + $1.count }) <= mostNumbers else { return }
    let network = try Network(model)
    for index in network.inputShapes.indices { network.withInput(index) { $0.update(repeating: 0.5) } }
    try network.run()
    for (index, count) in network.outputCounts.enumerated() {
      precondition(network.output(index).count == count, "an output of another size")
    }
  }
}

extension Seeds {
  /// Networks of one or two operations of each kind.
  static func networks() throws -> [Data] {
    typealias Constants = (inout HandMadeNetwork) -> [Int]
    let ones = [Float](repeating: 1, count: 9)
    let window: [Int: FlatValue] = [0: .byte(0), 1: .number(1), 2: .number(1), 3: .number(1), 4: .number(1)]
    // XNNPACK refuses pools of one pixel.
    let pool = window.merging([3: .number(2), 4: .number(2)]) { $1 }
    func network(
      _ code: HandMadeNetwork.Code, _ inputs: [[Int]], _ output: [Int], _ options: [Int: FlatValue] = [:],
      name: String? = nil, custom: [UInt8] = [], constants: Constants = { _ in [] }
    ) -> Data {
      var network = HandMadeNetwork()
      network.inputs = inputs.map { network.value($0) }
      let others = constants(&network)
      let middle = network.value(output)
      network.step(code, network.inputs + others, middle, options: options, name: name, custom: custom)
      let target = network.value(output)
      network.step(.hardSwish, [middle], target)
      network.outputs = [target]
      return Data(network.bytes)
    }
    let square = [1, 3, 3, 1]
    return [
      network(.convolution, [square], square, window) { [$0.constant(square, ones), $0.constant([1], [0])] },
      network(.depthwiseConvolution, [square], square, window) {
        [$0.constant(square, halves: ones), $0.constant([1], [0])]
      },
      network(
        .custom, [square], [1, 6, 6, 1], name: "Convolution2DTransposeBias",
        custom: [1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]
      ) { [$0.constant([1, 2, 2, 1], [1, 2, 3, 4]), $0.constant([1], [0])] },
      network(.averagePool, [square], square, pool), network(.maximumPool, [square], square, pool),
      network(.mean, [square], [1, 1, 1, 1], [0: .byte(1)]) { [$0.constant(integers: [1, 2])] },
      network(.add, [square, [1, 1, 1, 1]], square), network(.multiply, [square, square], square),
      network(.logistic, [square], square), network(.rectify, [square], square),
      network(.pad, [square], [1, 4, 3, 1]) { [$0.constant(integers: [0, 0, 1, 0, 0, 0, 0, 0], shape: [4, 2])] },
      network(.resizeBilinear, [square], [1, 6, 6, 1], [3: .byte(1)]) { [$0.constant(integers: [6, 6])] },
    ]
  }
}
