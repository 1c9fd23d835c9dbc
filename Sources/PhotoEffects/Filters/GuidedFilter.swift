// Edge-preserving smoothing by a guide picture.

/// The guided filter (He, Sun, Tang: “Guided Image Filtering”, 2010) in its fast form (He, Sun: “Fast Guided Filter”, 2015,
/// arXiv:1505.00996), with a Gaussian window.
///
/// In each window the result is `q = a·I + b` of the guide `I`, with `a = cov(I, p) / (var(I) + ε)` and
/// `b = mean(p) − a·mean(I)` of the input `p`. `a` and `b` are blurred with the same window. The fast form computes them in
/// small planes; enlarged, they are applied to the guide at full size, whose edges stay sharp.
struct GuidedFilter {
  /// The window, in pixels of the small planes.
  let window: GaussianBlur
  /// Contrasts below its square root are smoothed away. The guide is 0 to 1.
  let epsilon: Float

  /// The guide's statistics, and working memory. All planes have the guide's size.
  struct Guide {
    let values: FloatPlane
    let mean: FloatPlane
    let variance: FloatPlane
    let work: (FloatPlane, FloatPlane)
    let scratch: UnsafeMutablePointer<Float>
  }

  /// The memory that `prepare` needs without the guide itself, in numbers.
  func scratchCount(width: Int, height: Int) -> Int {
    4 * width * height + window.scratchCount(width: width, threads: 1)
  }

  /// The guide's mean and variance in each window.
  func prepare(_ values: FloatPlane, arena: inout PlaneArena) -> Guide {
    let (width, height) = (values.width, values.height)
    let guide = Guide(
      values: values, mean: arena.plane(width: width, height: height),
      variance: arena.plane(width: width, height: height),
      work: (arena.plane(width: width, height: height), arena.plane(width: width, height: height)),
      scratch: arena.numbers(window.scratchCount(width: width, threads: 1)))
    window.apply(from: values, to: guide.mean, scratch: guide.scratch)
    covariance(of: guide, with: values, mean: guide.mean, to: guide.variance)
    return guide
  }

  /// `a` and `b` for an input.
  func coefficients(for input: FloatPlane, guide: Guide, slope: FloatPlane, offset: FloatPlane) {
    let count = input.width * input.height
    let (a, b) = guide.work
    window.apply(from: input, to: offset, scratch: guide.scratch)
    covariance(of: guide, with: input, mean: offset, to: slope)
    let (mean, variance) = (guide.mean.values, guide.variance.values)
    let (covariance, inputMean) = (slope.values, offset.values)
    for i in 0..<count { a.values[i] = covariance[i] / (max(0, variance[i]) + epsilon) }
    for i in 0..<count { b.values[i] = inputMean[i] - a.values[i] * mean[i] }
    window.apply(from: a, to: slope, scratch: guide.scratch)
    window.apply(from: b, to: offset, scratch: guide.scratch)
  }

  /// `mean(I·p) − mean(I)·mean(p)`.
  private func covariance(of guide: Guide, with input: FloatPlane, mean: FloatPlane, to target: FloatPlane) {
    let count = input.width * input.height
    let product = guide.work.0.values
    let (values, other, out) = (guide.values.values, input.values, target.values)
    for i in 0..<count { product[i] = values[i] * other[i] }
    window.apply(from: guide.work.0, to: target, scratch: guide.scratch)
    let (first, second) = (guide.mean.values, mean.values)
    for i in 0..<count { out[i] -= first[i] * second[i] }
  }
}
