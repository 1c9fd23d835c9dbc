// The error of a measurement.

import Foundation

/// Says what could not be done, and what can be.
struct BenchError: Error, CustomStringConvertible, LocalizedError {
  var description: String
  var errorDescription: String? { description }

  init(_ description: String) { self.description = description }
}
