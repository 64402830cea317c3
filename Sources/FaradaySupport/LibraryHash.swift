internal import CLibraries

/// A hash by OpenSSL's libcrypto, which the process has if libcurl uses OpenSSL.
struct LibraryHash: Sendable {
  private let functions: faraday_hash
  private var state = faraday_hash_state()

  /// Nil if the program is not linked to OpenSSL. No library is loaded for it.
  static let sha256 = LibraryHash(faraday_load_sha256)
  static let sha512 = LibraryHash(faraday_load_sha512)

  private init?(_ load: (UnsafeMutablePointer<faraday_hash>) -> Int32) {
    let functions = withUnsafeTemporaryAllocation(of: faraday_hash.self, capacity: 1) { functions in
      functions.baseAddress.flatMap { load($0) == 0 ? nil : $0.pointee }
    }
    guard let functions else { return nil }
    self.functions = functions
    guard functions.`init`(&state) == 1 else { return nil }
  }

  mutating func update(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { bytes in _ = functions.update(&state, bytes.baseAddress, bytes.count) }
  }

  /// - Parameter count: the size of the hash in bytes, at most 64.
  mutating func finish(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 64) { hash, written in
      guard let start = hash.baseAddress else { return }
      _ = functions.finish(start, &state)
      written = count
    }
  }
}
