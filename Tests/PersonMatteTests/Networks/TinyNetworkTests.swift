// Every operation by itself, in models of the tests' own.

import Foundation
import TestSupport
import Testing

@testable import PersonMatte

@Suite(.timeLimit(.minutes(30))) struct TinyNetworkTests {
  private static func result(_ model: HandMadeNetwork, _ inputs: [Float]...) throws -> [Float] {
    let network = try Network(NetworkModel(model.bytes))
    for (index, input) in inputs.enumerated() {
      network.withInput(index) { numbers in
        #expect(numbers.count == input.count)
        for (place, number) in input.enumerated() { numbers[place] = number }
      }
    }
    try network.run()
    return network.output()
  }

  private static func isNear(_ one: [Float], _ other: [Float]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= 1e-5 }
  }

  /// A model of one operation on pictures.
  private static func model(
    _ code: HandMadeNetwork.Code, _ inputs: [[Int]], _ output: [Int],
    constants: (inout HandMadeNetwork) -> [Int] = { _ in [] },
    options: [Int: FlatValue] = [:], name: String? = nil, custom: [UInt8] = []
  ) -> HandMadeNetwork {
    var model = HandMadeNetwork()
    model.inputs = inputs.map { model.value($0) }
    let others = constants(&model)
    let target = model.value(output)
    model.outputs = [target]
    model.step(code, model.inputs + others, target, options: options, name: name, custom: custom)
    return model
  }

  @Test func convolutionWithHalfFloats() throws {
    var model = HandMadeNetwork()
    let input = model.value([1, 2, 2, 1])
    let (half, filter, bias) = (
      model.constant([2, 1, 1, 1], halves: [0.5, -2]), model.value([2, 1, 1, 1]), model.constant([2], [1, 0])
    )
    let output = model.value([1, 2, 2, 2])
    model.step(.dequantize, [half], filter)
    model.step(.convolution, [input, filter, bias], output, options: [1: .number(1), 2: .number(1)])
    (model.inputs, model.outputs) = ([input], [output])
    #expect(Self.isNear(try Self.result(model, [1, 2, 3, 4]), [1.5, -2, 2, -4, 2.5, -6, 3, -8]))
  }

  @Test func filtersKeepTheSizeOrNot() throws {
    // A filter of ones counts its neighbors.
    for (padding, side, expected) in [(0, 3, [4, 6, 4, 6, 9, 6, 4, 6, 4]), (1, 1, [9])] as [(Int, Int, [Float])] {
      let model = Self.model(
        .depthwiseConvolution, [[1, 3, 3, 1]], [1, side, side, 1],
        constants: { [$0.constant([1, 3, 3, 1], [Float](repeating: 1, count: 9)), $0.constant([1], [0])] },
        options: [0: .byte(padding), 1: .number(1), 2: .number(1), 3: .number(1)])
      #expect(Self.isNear(try Self.result(model, [Float](repeating: 1, count: 9)), expected))
    }
  }

  @Test func eachPixelBecomesABlock() throws {
    let model = Self.model(
      .custom, [[1, 1, 2, 1]], [1, 2, 4, 1],
      constants: { [$0.constant([1, 2, 2, 1], [1, 2, 3, 4]), $0.constant([1], [10])] },
      name: "Convolution2DTransposeBias", custom: [1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0])
    #expect(Self.isNear(try Self.result(model, [1, 2]), [11, 12, 12, 14, 13, 14, 16, 18]))
  }

  /// Rows and columns aren't exchanged.
  @Test func filtersThatAreNotSquare() throws {
    let numbers: [Float] = [1, 2, 3, 4, 5, 6, 7, 8]
    // Every second column, and the sum of a pixel with the one two rows below.
    let model = Self.model(
      .depthwiseConvolution, [[1, 4, 2, 1]], [1, 2, 1, 1],
      constants: { [$0.constant([1, 2, 1, 1], [1, 10]), $0.constant([1], [0])] },
      options: [0: .byte(1), 1: .number(2), 2: .number(1), 3: .number(1), 5: .number(1), 6: .number(2)])
    #expect(Self.isNear(try Self.result(model, numbers), [51, 73]))
    let convolution = Self.model(
      .convolution, [[1, 2, 4, 1]], [1, 2, 1, 1],
      constants: { [$0.constant([1, 1, 2, 1], [1, 10]), $0.constant([1], [0])] },
      options: [0: .byte(1), 1: .number(2), 2: .number(1), 4: .number(2), 5: .number(1)])
    #expect(Self.isNear(try Self.result(convolution, numbers), [31, 75]))
    let pool: [Int: FlatValue] = [0: .byte(1), 1: .number(2), 2: .number(1), 3: .number(2), 4: .number(1)]
    let average = Self.model(.averagePool, [[1, 2, 4, 1]], [1, 2, 2, 1], options: pool)
    #expect(Self.isNear(try Self.result(average, numbers), [1.5, 3.5, 5.5, 7.5]))
    let most = Self.model(.maximumPool, [[1, 2, 4, 1]], [1, 2, 2, 1], options: pool)
    #expect(Self.isNear(try Self.result(most, numbers), [2, 4, 6, 8]))
    // What lies beyond the edge isn't part of the mean.
    let same = Self.model(
      .averagePool, [[1, 1, 3, 1]], [1, 1, 2, 1],
      options: [0: .byte(0), 1: .number(2), 2: .number(1), 3: .number(2), 4: .number(1)])
    #expect(Self.isNear(try Self.result(same, [1, 2, 7]), [1.5, 7]))
    let block = Self.model(
      .custom, [[1, 1, 1, 1]], [1, 1, 2, 1],
      constants: { [$0.constant([1, 1, 2, 1], [1, 2]), $0.constant([1], [0])] },
      name: "Convolution2DTransposeBias", custom: [1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0])
    #expect(Self.isNear(try Self.result(block, [3]), [3, 6]))
  }

  @Test func poolsAndMeans() throws {
    let numbers: [Float] = [1, 2, 3, 4]
    let pool: [Int: FlatValue] = [0: .byte(1), 1: .number(2), 2: .number(2), 3: .number(2), 4: .number(2)]
    let average = Self.model(.averagePool, [[1, 2, 2, 1]], [1, 1, 1, 1], options: pool)
    #expect(Self.isNear(try Self.result(average, numbers), [2.5]))
    let most = Self.model(.maximumPool, [[1, 2, 2, 1]], [1, 1, 1, 1], options: pool)
    #expect(Self.isNear(try Self.result(most, numbers), [4]))
    let mean = Self.model(
      .mean, [[1, 2, 2, 1]], [1, 1, 1, 1], constants: { [$0.constant(integers: [1, 2])] }, options: [0: .byte(1)])
    #expect(Self.isNear(try Self.result(mean, numbers), [2.5]))
  }

  @Test func elementsOneByOne() throws {
    let shape = [1, 1, 2, 2]
    let numbers: [Float] = [-4, -1, 0.5, 5]
    let sum = Self.model(.add, [shape, shape], shape)
    #expect(Self.isNear(try Self.result(sum, numbers, [1, 1, 2, 2]), [-3, 0, 2.5, 7]))
    // Of one pixel with all.
    let product = Self.model(.multiply, [shape, [1, 1, 1, 2]], shape)
    #expect(Self.isNear(try Self.result(product, numbers, [2, 3]), [-8, -3, 1, 15]))
    #expect(Self.isNear(try Self.result(Self.model(.rectify, [shape], shape), numbers), [0, 0, 0.5, 5]))
    // x · min(max(x + 3, 0), 6) / 6.
    #expect(
      Self.isNear(try Self.result(Self.model(.hardSwish, [shape], shape), numbers), [0, -1 / 3.0, 0.5 * 3.5 / 6, 5]))
    let logistic = try Self.result(Self.model(.logistic, [shape], shape), numbers)
    #expect(Self.isNear(logistic, numbers.map { 1 / (1 + exp(-$0)) }))
  }

  @Test func largerPictures() throws {
    let padded = Self.model(
      .pad, [[1, 1, 1, 1]], [1, 1, 2, 2],
      constants: { [$0.constant(integers: [0, 0, 0, 0, 1, 0, 0, 1], shape: [4, 2])] })
    #expect(Self.isNear(try Self.result(padded, [7]), [0, 0, 7, 0]))
    let enlarged = Self.model(
      .resizeBilinear, [[1, 1, 2, 1]], [1, 1, 4, 1], constants: { [$0.constant(integers: [1, 4])] },
      options: [3: .byte(1)])
    #expect(Self.isNear(try Self.result(enlarged, [0, 4]), [0, 1, 3, 4]))
    for (options, expected) in [([2: .byte(1)], [0, 4.0 / 3, 8.0 / 3, 4]), ([:], [0, 2, 4, 4])]
      as [([Int: FlatValue], [Float])]
    {
      let other = Self.model(
        .resizeBilinear, [[1, 1, 2, 1]], [1, 1, 4, 1], constants: { [$0.constant(integers: [1, 4])] }, options: options)
      #expect(Self.isNear(try Self.result(other, [0, 4]), expected))
    }
  }

  /// As the face detector ends: two grids of different sizes become one list.
  @Test func outputsOneBehindTheOther() throws {
    var model = HandMadeNetwork()
    let inputs = [model.value([1, 1, 2, 2]), model.value([1, 1, 1, 2])]
    let made = [model.value([1, 1, 2, 2]), model.value([1, 1, 1, 2])]
    let lists = [model.value([1, 4, 1]), model.value([1, 2, 1])]
    let shape = model.constant(integers: [1, -1, 1])
    let output = model.value([1, 6, 1])
    for index in 0..<2 {
      model.step(.rectify, [inputs[index]], made[index])
      model.step(.reshape, [made[index], shape], lists[index])
    }
    model.step(.concatenation, lists, output, options: [0: .number(1)])
    (model.inputs, model.outputs) = (inputs, [output])
    #expect(try Self.result(model, [1, 2, -3, 4], [5, -6]) == [1, 2, 0, 4, 5, 0])
  }

  // MARK: What doesn't run

  @Test func unknownOperationsAreNamed() throws {
    let shape = [1, 1, 1, 1]
    let model = Self.model(.tanh, [shape], shape)
    #expect(throws: ModelError.unknown("operation 28")) { try NetworkModel(model.bytes) }
    let custom = Self.model(.custom, [shape], shape, name: "FlexTopK")
    #expect(throws: ModelError.unknown("FlexTopK")) { try NetworkModel(custom.bytes) }
  }

  @Test("Sizes that don't go together are refused before anything runs", arguments: 0..<8) func wrongShapes(
    _ index: Int
  ) {
    let ones = [Float](repeating: 1, count: 9)
    let plain: [Int: FlatValue] = [1: .number(1), 2: .number(1)]
    let slide: [Int: FlatValue] = [1: .number(1), 2: .number(1), 3: .number(1)]
    let model =
      switch index {
      case 0: Self.model(.rectify, [[1, 2, 2, 1]], [1, 4, 4, 1])
      // A filter for whose places XNNPACK would take 500 gigabytes.
      case 7:
        Self.model(
          .convolution, [[1, 512, 512, 1]], [1, 512, 512, 1],
          constants: {
            [$0.constant([1, 512, 512, 1], [Float](repeating: 0, count: 1 << 18)), $0.constant([1], [0])]
          },
          options: plain)
      // A window larger than the picture.
      case 6:
        Self.model(
          .averagePool, [[1, 3, 3, 1]], [1, 3, 3, 1],
          options: [1: .number(1), 2: .number(1), 3: .number(65_536), 4: .number(1025)])
      // One value more than it reads.
      case 5: Self.model(.hardSwish, [[1, 2, 2, 1], [1, 2, 2, 1]], [1, 2, 2, 1])
      case 1: Self.model(.add, [[1, 2, 2, 1], [1, 3, 2, 1]], [1, 3, 2, 1])
      case 2:
        Self.model(
          .depthwiseConvolution, [[1, 3, 3, 1]], [1, 9, 9, 1],
          constants: { [$0.constant([1, 3, 3, 1], ones), $0.constant([1], [0])] }, options: slide)
      case 3:
        Self.model(
          .convolution, [[1, 3, 3, 2]], [1, 3, 3, 1],
          constants: { [$0.constant([1, 3, 3, 1], ones), $0.constant([1], [0])] }, options: plain)
      default:
        Self.model(
          .resizeBilinear, [[1, 1, 2, 1]], [1, 2, 4, 1], constants: { [$0.constant(integers: [1, 4])] },
          options: [3: .byte(1)])
      }
    let error = #expect(throws: ModelError.self) { try Network(NetworkModel(model.bytes)) }
    guard case .wrongShape? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A model that is cut short or changed anywhere is refused, or runs") func damagedModels() throws {
    let model = Self.model(
      .depthwiseConvolution, [[1, 3, 3, 1]], [1, 3, 3, 1],
      constants: { [$0.constant([1, 3, 3, 1], [Float](repeating: 1, count: 9)), $0.constant([1], [0])] },
      options: [0: .byte(0), 1: .number(1), 2: .number(1), 3: .number(1)])
    let whole = model.bytes
    for count in whole.indices { #expect(throws: ModelError.self) { try NetworkModel([UInt8](whole.prefix(count))) } }
    for place in whole.indices {
      for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
        var bytes = whole
        bytes[place] = value
        guard let network = try? Network(NetworkModel(bytes)) else { continue }
        try? network.run()
      }
    }
  }
}
