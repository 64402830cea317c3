internal import FaradayCore

/// Hash functions over the bytes of a file as they are written, each once it is known to be needed.
struct RunningChecksums {
  private enum Function {
    case sha256(SHA256)
    case sha512(SHA512)
  }

  private var functions: [Checksum.Algorithm: Function] = [:]

  var algorithms: Set<Checksum.Algorithm> { Set(functions.keys) }

  /// Adds a function that has seen no bytes.
  mutating func begin(_ algorithm: Checksum.Algorithm) {
    switch algorithm {
    case .sha256: functions[algorithm] = .sha256(SHA256())
    case .sha512: functions[algorithm] = .sha512(SHA512())
    }
  }

  /// Adds functions that have seen the same bytes.
  mutating func add(_ others: Self) { functions.merge(others.functions) { $1 } }

  mutating func update(_ bytes: Span<UInt8>) {
    for algorithm in functions.keys {
      // Taken out, so that it is changed in place.
      switch functions.removeValue(forKey: algorithm) {
      case .sha256(var function):
        function.update(bytes)
        functions[algorithm] = .sha256(function)
      case .sha512(var function):
        function.update(bytes)
        functions[algorithm] = .sha512(function)
      case nil: break
      }
    }
  }

  /// Whether the bytes so far have that checksum; nil if the function is not among these.
  func matches(_ checksum: Checksum) -> Bool? {
    switch functions[checksum.algorithm] {
    case .sha256(var function): function.finish() == checksum.bytes
    case .sha512(var function): function.finish() == checksum.bytes
    case nil: nil
    }
  }
}
