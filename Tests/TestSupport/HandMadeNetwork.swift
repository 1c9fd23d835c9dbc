// Neural networks of a few operations, without a converter, for tests of their reader.

/// A model of a few operations, written as a .tflite file.
public struct HandMadeNetwork {
  private var tensors: [[Int: FlatValue]] = []
  private var buffers: [[Int: FlatValue]] = [[:]]
  private var codes: [[Int: FlatValue]] = []
  private var operators: [[Int: FlatValue]] = []
  /// Values, by index.
  public var inputs: [Int] = []
  /// Values, by index.
  public var outputs: [Int] = []

  public init() {}

  /// The numbers of `BuiltinOperator`.
  public enum Code: Int {
    case add = 0
    case averagePool = 1
    case concatenation = 2
    case convolution = 3
    case depthwiseConvolution = 4
    case dequantize = 6
    case logistic = 14
    case maximumPool = 17
    case multiply = 18
    case rectify = 19
    case reshape = 22
    case resizeBilinear = 23
    case custom = 32
    case pad = 34
    case mean = 40
    case tanh = 28
    case hardSwish = 117
  }

  /// A value that is computed, or an input.
  public mutating func value(_ shape: [Int]) -> Int {
    tensors.append([0: .numbers(shape), 1: .byte(0), 2: .number(0)])
    return tensors.count - 1
  }

  /// A value that is part of the model.
  public mutating func constant(_ shape: [Int], _ numbers: [Float]) -> Int {
    constant(shape, kind: 0, numbers.flatMap { number in (0..<4).map { UInt8(number.bitPattern >> (8 * $0) & 255) } })
  }

  /// The same as half floats.
  public mutating func constant(_ shape: [Int], halves: [Float]) -> Int {
    constant(
      shape, kind: 1,
      halves.flatMap { number in
        (0..<2).map { UInt8(Float16(number).bitPattern >> (8 * $0) & 255) }
      })
  }

  /// Sizes, paddings or axes.
  public mutating func constant(integers: [Int], shape: [Int]? = nil) -> Int {
    constant(
      shape ?? [integers.count], kind: 2,
      integers.flatMap { number in
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      })
  }

  private mutating func constant(_ shape: [Int], kind: Int, _ data: [UInt8]) -> Int {
    buffers.append([0: .bytes(data)])
    tensors.append([0: .numbers(shape), 1: .byte(kind), 2: .number(buffers.count - 1)])
    return tensors.count - 1
  }

  /// Adds an operation.
  public mutating func step(
    _ code: Code, _ inputs: [Int], _ output: Int, options: [Int: FlatValue] = [:], name: String? = nil,
    custom: [UInt8] = []
  ) {
    codes.append([0: .byte(min(code.rawValue, 127)), 3: .number(code.rawValue)])
    if let name { codes[codes.count - 1][1] = .bytes(Array(name.utf8)) }
    operators.append([
      0: .number(codes.count - 1), 1: .numbers(inputs), 2: .numbers([output]), 4: .table(options), 5: .bytes(custom),
    ])
  }

  /// The file.
  public var bytes: [UInt8] {
    let graph: [Int: FlatValue] = [
      0: .tables(tensors), 1: .numbers(inputs), 2: .numbers(outputs), 3: .tables(operators),
    ]
    return FlatWriter.file([0: .number(3), 1: .tables(codes), 2: .tables([graph]), 4: .tables(buffers)])
  }
}
