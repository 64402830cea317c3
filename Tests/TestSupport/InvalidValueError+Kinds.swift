package import FaradayCore

extension InvalidValueError {
  /// Whether the value is a path template that could not be expanded.
  package var isPath: Bool { if case .path = kind { true } else { false } }
}
