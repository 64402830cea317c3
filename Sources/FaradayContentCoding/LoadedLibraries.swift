internal import CLibraries

// The libraries of br and zstd, loaded when they are first needed, once in a process. Nil if a library is missing, as in a
// statically linked program, or if it lacks a function.
//
// The functions of a library that the program is linked to come first, as libcurl may bring its own under another file name. A
// second copy would call functions of the first, whose private structures can differ.

#if canImport(Darwin)
private let (brotliLibrary, zstdLibrary) = ("libbrotlidec.1.dylib", "libzstd.1.dylib")
#else
private let (brotliLibrary, zstdLibrary) = ("libbrotlidec.so.1", "libzstd.so.1")
#endif

extension faraday_brotli {
  static let loaded = load(nil) ?? load(brotliLibrary)

  static func load(_ library: String?) -> faraday_brotli? { loading { faraday_load_brotli($0, library) } }
}

extension faraday_zstd {
  static let loaded = load(nil) ?? load(zstdLibrary)

  static func load(_ library: String?) -> faraday_zstd? { loading { faraday_load_zstd($0, library) } }
}

/// The functions that the closure sets; nil if it returns 0.
private func loading<Functions>(_ load: (UnsafeMutablePointer<Functions>) -> Int32) -> Functions? {
  withUnsafeTemporaryAllocation(of: Functions.self, capacity: 1) { functions in
    functions.baseAddress.flatMap { load($0) == 0 ? nil : $0.pointee }
  }
}
