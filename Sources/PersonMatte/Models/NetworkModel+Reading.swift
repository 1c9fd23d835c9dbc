// Reading of .tflite files.

extension NetworkModel {
  // Limits: the known models have some 400 values of at most 2 MB.
  private static let mostValues = 4096
  private static let mostSteps = 4096
  private static let mostInputs = 64
  private static let mostOutputs = 16
  /// Axes of a value, as XNNPACK has them.
  private static let mostAxes = 6
  private static let largestSide = 1 << 16
  private static let largestValue = 1 << 24
  private static let mostConstants = 1 << 24

  /// Reads a model.
  ///
  /// Untrusted input. Operations other than those of the known models are refused by name. Half floats, which are stored
  /// behind an operation of their own (`DEQUANTIZE`), are widened here.
  ///
  /// Source: TensorFlow, `tensorflow/lite/schema/schema.fbs`, version 3; the numbers of fields are their order there.
  ///
  /// - Throws: `ModelError.damaged`, `.unknown` or `.wrongShape`.
  init(_ bytes: [UInt8]) throws(ModelError) {
    let file = try FlatTable(root: bytes, identifier: "TFL3")
    let version = try file.number(0)
    guard version == 3 else { throw .unknown("version \(version)") }
    let graphs = try file.tables(2)
    guard graphs.count == 1 else { throw .unknown("\(graphs.count) graphs") }
    let buffers = try file.tables(4)
    let kinds = try file.tables(1)
    var values: [Value] = []
    var left = Self.mostConstants
    let tensors = try graphs[0].tables(0)
    guard tensors.count <= Self.mostValues else { throw .unknown("\(tensors.count) values") }
    for tensor in tensors { values.append(try Self.value(tensor, buffers, &left)) }
    func checked(_ indices: [Int]) throws(ModelError) -> [Int] {
      guard indices.allSatisfy(values.indices.contains) else { throw .damaged(offset: 0) }
      return indices
    }
    inputs = try checked(graphs[0].numbers(1))
    outputs = try checked(graphs[0].numbers(2))
    guard inputs.count <= Self.mostOutputs, outputs.count <= Self.mostOutputs else { throw .wrongShape("network") }
    var steps: [Step] = []
    let operators = try graphs[0].tables(3)
    guard operators.count <= Self.mostSteps else { throw .unknown("\(operators.count) operations") }
    for entry in operators {
      let index = try entry.number(0)
      guard kinds.indices.contains(index) else { throw .damaged(offset: 0) }
      let (from, to) = (try checked(entry.numbers(1)), try checked(entry.numbers(2)))
      guard let first = from.first, let output = to.first, to.count == 1,
        from.count <= Self.mostInputs
      else { throw .wrongShape("operation") }
      let kind = try Self.kind(kinds[index])
      if kind == .dequantize {
        guard let constant = values[first].constant, constant.count == values[output].count else {
          throw .unknown("DEQUANTIZE")
        }
        values[output].constant = constant
        values[first].constant = nil
        continue
      }
      let operation = try Self.operation(kind, entry, from.map { values[$0] })
      steps.append(Step(operation: operation, inputs: from, output: output))
    }
    (self.values, self.steps) = (values, steps)
    try checkOrder()
  }

  /// Every value is written once, before it is read; constants and inputs are never written.
  private func checkOrder() throws(ModelError) {
    var known = Set(inputs)
    for index in values.indices where values[index].constant != nil || values[index].integers != nil {
      known.insert(index)
    }
    for step in steps {
      guard step.inputs.allSatisfy(known.contains), known.insert(step.output).inserted else {
        throw .wrongShape("\(step.operation)")
      }
    }
    guard !inputs.isEmpty, !outputs.isEmpty, outputs.allSatisfy(known.contains),
      inputs.allSatisfy({ values[$0].constant == nil && values[$0].integers == nil })
    else { throw .wrongShape("network") }
  }

  // MARK: Values

  private static func value(
    _ tensor: FlatTable, _ buffers: [FlatTable], _ left: inout Int
  ) throws(ModelError) -> Value {
    let shape = try tensor.numbers(0)
    guard shape.count <= mostAxes else { throw .wrongShape("\(shape.count) axes") }
    var count = 1
    for side in shape {
      guard (1...largestSide).contains(side), count <= largestValue / side else { throw .wrongShape("\(shape)") }
      count *= side
    }
    let index = try tensor.number(2)
    guard buffers.indices.contains(index) else { throw .damaged(offset: 0) }
    let data = try buffers[index].data(0)
    var value = Value(shape: shape)
    let kind = try tensor.number(1, bytes: 1)
    guard let width = [0: 4, 1: 2, 2: 4][kind] else { throw .unknown("number of kind \(kind)") }
    guard !data.isEmpty else { return value }
    guard data.count == count * width else { throw .wrongShape("\(shape)") }
    left -= count
    guard left >= 0 else { throw .unknown("\(mostConstants) numbers") }
    func number(_ index: Int) -> UInt32 {
      (0..<width).reduce(0) { $0 | UInt32(data[data.startIndex + width * index + $1]) << UInt32(8 * $1) }
    }
    switch kind {
    case 0: value.constant = (0..<count).map { Float(bitPattern: number($0)) }
    case 1: value.constant = (0..<count).map { Float(Float16(bitPattern: UInt16(number($0)))) }
    default: value.integers = (0..<count).map { Int(Int32(bitPattern: number($0))) }
    }
    return value
  }

  // MARK: Operations

  /// The numbers of `BuiltinOperator` in the schema.
  private enum Kind: Int {
    case add = 0
    case averagePool = 1
    case concatenation = 2
    case convolution = 3
    case depthwiseConvolution = 4
    case dequantize = 6
    case logistic = 14
    case maximumPool = 17
    case multiply = 18
    case relu = 19
    case reshape = 22
    case resizeBilinear = 23
    case custom = 32
    case pad = 34
    case mean = 40
    case hardSwish = 117
  }

  private static let transposedConvolution = "Convolution2DTransposeBias"

  private static func kind(_ code: FlatTable) throws(ModelError) -> Kind {
    let number = max(try code.number(0, bytes: 1), try code.number(3))
    guard let kind = Kind(rawValue: number) else { throw .unknown("operation \(number)") }
    if kind == .custom {
      let name = try code.text(1)
      guard name == transposedConvolution else { throw .unknown(name) }
    }
    return kind
  }

  private static func operation(
    _ kind: Kind, _ entry: FlatTable, _ inputs: [Value]
  ) throws(ModelError) -> Operation {
    let options = try entry.table(4)
    func option(_ index: Int, bytes: Int = 4, default value: Int = 0) throws(ModelError) -> Int {
      try options?.number(index, bytes: bytes, default: value) ?? value
    }
    /// Activations are operations of their own in the known models.
    func checkActivation(_ index: Int) throws(ModelError) {
      guard try option(index, bytes: 1) == 0 else { throw .unknown("\(kind) with an activation") }
    }
    func window(dilations: Int? = nil) throws(ModelError) -> Window {
      var window = Window(
        padding: try option(0, bytes: 1) == 0 ? .same : .none, strides: (try option(2), try option(1)))
      if let dilations {
        window.dilations = (try option(dilations + 1, default: 1), try option(dilations, default: 1))
      }
      return try checked(window)
    }
    func checked(_ window: Window) throws(ModelError) -> Window {
      for side in [window.strides.rows, window.strides.columns, window.dilations.rows, window.dilations.columns] {
        guard (1...largestSide).contains(side) else { throw .wrongShape("\(kind)") }
      }
      return window
    }
    switch kind {
    case .convolution:
      try checkActivation(3)
      return .convolution(try window(dilations: 4))
    case .depthwiseConvolution:
      try checkActivation(4)
      guard try option(3) == 1 else { throw .unknown("\(kind) with several filters a channel") }
      return .depthwiseConvolution(try window(dilations: 5))
    case .custom:
      // TfLiteTransposeConvParams: padding (1 is the same size), strides of columns and rows.
      let data = Array(try entry.data(5))
      guard data.count >= 12 else { throw .wrongShape(transposedConvolution) }
      let numbers = [0, 4, 8].map { place in (0..<4).reduce(0) { $0 | Int(data[place + $1]) << (8 * $1) } }
      let window = Window(padding: numbers[0] == 1 ? .same : .none, strides: (numbers[2], numbers[1]))
      return .transposedConvolution(try checked(window))
    case .averagePool, .maximumPool:
      try checkActivation(5)
      let (columns, rows) = (try option(3), try option(4))
      guard (1...largestSide).contains(columns), (1...largestSide).contains(rows) else { throw .wrongShape("\(kind)") }
      return kind == .averagePool
        ? .averagePool(try window(), rows: rows, columns: columns)
        : .maximumPool(try window(), rows: rows, columns: columns)
    case .mean:
      guard inputs.count == 2, inputs[0].shape.count == 4, inputs[1].integers == [1, 2], try option(0, bytes: 1) == 1
      else { throw .unknown("MEAN of other axes") }
      return .mean
    case .add, .multiply:
      try checkActivation(0)
      return kind == .add ? .add : .multiply
    case .relu: return .relu
    case .hardSwish: return .hardSwish
    case .logistic: return .logistic
    case .pad:
      guard inputs.count == 2, let numbers = inputs[1].integers, numbers.count == 2 * inputs[0].shape.count,
        numbers.allSatisfy({ (0...largestSide).contains($0) })
      else { throw .wrongShape("PAD") }
      let axes = numbers.indices.filter { $0.isMultiple(of: 2) }
      return .pad(before: axes.map { numbers[$0] }, after: axes.map { numbers[$0 + 1] })
    case .resizeBilinear:
      guard inputs.count == 2, let numbers = inputs[1].integers, numbers.count == 2,
        numbers.allSatisfy({ (1...largestSide).contains($0) })
      else { throw .wrongShape("RESIZE_BILINEAR") }
      return .resize(
        rows: numbers[0], columns: numbers[1], alignsCorners: try option(2, bytes: 1) != 0,
        hasPixelCenters: try option(3, bytes: 1) != 0)
    case .reshape: return .reshape
    case .concatenation:
      try checkActivation(1)
      return .concatenate(axis: try option(0))
    case .dequantize: throw .unknown("DEQUANTIZE")
    }
  }
}
