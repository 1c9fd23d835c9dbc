// Outputs that are made of pieces.

extension NetworkModel {
  /// Takes away operations that only arrange the outputs: other shapes for the same numbers, and values one behind the other.
  /// The face detector ends in them.
  ///
  /// - Returns: Of each output, the values whose numbers follow each other.
  /// - Throws: `ModelError.unknown` when such an operation isn't at the end.
  mutating func removeArrangements() throws(ModelError) -> [[Int]] {
    var makers: [Int: Step] = [:]
    for step in steps { makers[step.output] = step }
    var pieces: [[Int]] = []
    for output in outputs { pieces.append(try Self.pieces(of: output, makers, values)) }
    var rest: [Step] = []
    for step in steps where !step.operation.isArrangement { rest.append(step) }
    let read = Set(rest.flatMap(\.inputs))
    for step in steps where step.operation.isArrangement && read.contains(step.output) {
      throw .unknown("\(step.operation)")
    }
    steps = rest
    return pieces
  }

  /// Takes away operations whose values nobody reads: XNNPACK gives those no memory, and ends the program.
  ///
  /// - Parameter outputs: The values that are read after a run.
  /// - Throws: `ModelError.wrongShape` when an input isn't read, or an output isn't computed.
  mutating func removeUnread(outputs: [Int]) throws(ModelError) {
    var read = Set(outputs)
    var kept: [Step] = []
    for step in steps.reversed() where read.contains(step.output) {
      read.formUnion(step.inputs)
      kept.append(step)
    }
    steps = kept.reversed()
    let written = Set(steps.map(\.output))
    guard inputs.allSatisfy(read.contains), outputs.allSatisfy(written.contains),
      Set(inputs).count == inputs.count, Set(outputs).count == outputs.count
    else { throw .wrongShape("network") }
  }

  private static func pieces(
    of index: Int, _ makers: [Int: Step], _ values: [Value]
  ) throws(ModelError) -> [Int] {
    guard let step = makers[index] else { return [index] }
    switch step.operation {
    case .reshape:
      guard values[step.inputs[0]].count == values[index].count else { throw .wrongShape("RESHAPE") }
      return try pieces(of: step.inputs[0], makers, values)
    case .concatenate(let axis):
      // Along the outermost axis but the batch, of which there is one, numbers follow each other.
      let shape = values[index].shape
      guard axis == 1, shape.count >= 2, shape[0] == 1,
        step.inputs.reduce(0, { $0 + values[$1].count }) == values[index].count,
        step.inputs.allSatisfy({ values[$0].shape.dropFirst(2) == shape.dropFirst(2) })
      else { throw .wrongShape("CONCATENATION") }
      var result: [Int] = []
      for input in step.inputs { result += try pieces(of: input, makers, values) }
      return result
    default: return [index]
    }
  }
}

extension NetworkModel.Operation {
  fileprivate var isArrangement: Bool {
    switch self {
    case .reshape, .concatenate: true
    default: false
    }
  }
}
