// A neural network as a list of operations on values.

/// A neural network as a .tflite file describes it, reduced to what the known models use.
struct NetworkModel: Sendable {
  /// A value that operations read and write: 32-bit floats; the numbers of the last axis are neighbors in memory.
  struct Value: Sendable, Hashable {
    /// From the outermost axis to the innermost: batch, rows, columns, channels.
    var shape: [Int]
    /// The numbers of a value that is part of the model.
    var constant: [Float]?
    /// Of a value that is part of the model and holds sizes, paddings or axes.
    var integers: [Int]?

    var count: Int { shape.reduce(1, *) }
  }

  /// The edges of a picture under a filter.
  enum Padding: Sendable, Hashable {
    /// Zeros around it, so that a filter of stride 1 keeps the size.
    case same
    case none
  }

  /// The numbers of a filter that slides over a picture.
  struct Window: Sendable, Hashable {
    var padding: Padding
    var strides: (rows: Int, columns: Int)
    var dilations: (rows: Int, columns: Int) = (1, 1)

    static func == (one: Self, other: Self) -> Bool {
      one.padding == other.padding && one.strides == other.strides && one.dilations == other.dilations
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(padding)
      hasher.combine(strides.rows)
      hasher.combine(strides.columns)
    }
  }

  /// An operation. Inputs are in TensorFlow Lite's order: picture, filter, bias.
  enum Operation: Sendable, Hashable {
    case convolution(Window)
    case depthwiseConvolution(Window)
    /// A transposed convolution with a bias, MediaPipe's own.
    case transposedConvolution(Window)
    case averagePool(Window, rows: Int, columns: Int)
    case maximumPool(Window, rows: Int, columns: Int)
    /// The mean of each channel.
    case mean
    case add
    case multiply
    case relu
    case hardSwish
    case logistic
    /// Zeros around a value: before and after each axis.
    case pad(before: [Int], after: [Int])
    /// Bilinear, with corners aligned, or by the centers of pixels, or as TensorFlow 1 did it.
    case resize(rows: Int, columns: Int, alignsCorners: Bool, hasPixelCenters: Bool)
    /// Another shape for the same numbers.
    case reshape
    /// One value behind the other, along an axis.
    case concatenate(axis: Int)
  }

  /// An operation with its values, by index.
  struct Step: Sendable, Hashable {
    var operation: Operation
    var inputs: [Int]
    var output: Int
  }

  var values: [Value]
  /// In an order in which every value is written before it is read.
  var steps: [Step]
  var inputs: [Int]
  var outputs: [Int]
}
