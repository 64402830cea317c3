#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes as one zstd frame; nil without libzstd.
func zstd(_ bytes: [UInt8]) -> [UInt8]? {
  typealias Compress = @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int, Int32) -> Int
  guard let compress: Compress = function("ZSTD_compress", of: ["libzstd.so.1", "libzstd.1.dylib"]) else { return nil }
  return output(for: bytes) { compress($0, $1, bytes, bytes.count, 19) }
}

/// The bytes in Brotli; nil without libbrotlienc.
func brotli(_ bytes: [UInt8]) -> [UInt8]? {
  typealias Compress =
    @convention(c) (
      Int32, Int32, Int32, Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafeMutableRawPointer?
    ) -> Int32
  let names = ["libbrotlienc.so.1", "libbrotlienc.1.dylib"]
  guard let compress: Compress = function("BrotliEncoderCompress", of: names) else { return nil }
  return output(for: bytes) { output, count in
    var count = count
    return compress(9, 22, 0, bytes.count, bytes, &count, output) == 1 ? count : 0
  }
}

private func output(for bytes: [UInt8], _ compress: (UnsafeMutableRawPointer?, Int) -> Int) -> [UInt8] {
  var output = [UInt8](repeating: 0, count: 2 * bytes.count + 1000)
  let count = output.withUnsafeMutableBytes { compress($0.baseAddress, $0.count) }
  return Array(output.prefix(count))
}

private func function<Function>(_ name: String, of libraries: [String]) -> Function? {
  guard let library = libraries.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first, let address = dlsym(library, name)
  else { return nil }
  return unsafeBitCast(address, to: Function.self)
}
