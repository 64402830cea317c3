import CZlib
import FaradayContentCoding
import FoundationEssentials

/// Text that compresses to about a third, the same in each run.
func text(_ count: Int) -> [UInt8] {
  let words = ["the", "response", "is", "a", "head", "and", "body", "of", "bytes", "that", "came", "in", "pieces", "whole"]
  var (bytes, number) = ([UInt8](), UInt64(1))
  while bytes.count < count {
    number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    bytes += words[Int(number >> 33) % words.count].utf8
    bytes.append(number >> 60 == 0 ? UInt8(ascii: "\n") : UInt8(ascii: " "))
  }
  return Array(bytes.prefix(count))
}

/// The header and trailer that zlib's deflate writes around the data.
enum Wrapper: Int32, CaseIterable {
  case none = -15
  case zlib = 15
  case gzip = 31

  var coding: ContentCoding { self == .gzip ? .gzip : .deflate }
}

/// One stream of zlib's deflate.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ wrapper: Wrapper, level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    deflateInit2_(
      stream, level, Z_DEFLATED, wrapper.rawValue, 8, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func deflate(_ bytes: [UInt8], flush: Int32 = Z_FINISH) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 1000 + 1024)
    let left = bytes.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        _ = CZlib.deflate(stream, flush)
        return Int(stream.pointee.avail_out)
      }
    }
    return Array(output.dropLast(left))
  }

  /// With every optional field that a gzip header can have (RFC 1952, section 2.3.1), and its checksum.
  func deflateWithFullHeader(_ bytes: [UInt8]) -> [UInt8] {
    var (extra, name, comment) = (Array("ab\u{4}\0data".utf8), Array("name\0".utf8), Array("comment\0".utf8))
    return extra.withUnsafeMutableBufferPointer { extra in
      name.withUnsafeMutableBufferPointer { name in
        comment.withUnsafeMutableBufferPointer { comment in
          var header = gz_header()
          header.extra = extra.baseAddress
          header.extra_len = UInt32(extra.count)
          header.name = name.baseAddress
          header.comment = comment.baseAddress
          header.hcrc = 1
          return withUnsafeMutablePointer(to: &header) { header in
            deflateSetHeader(stream, header)
            return deflate(bytes)
          }
        }
      }
    }
  }
}

func deflated(
  _ bytes: [UInt8], _ wrapper: Wrapper, level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY
) -> [UInt8] {
  Deflater(wrapper, level: level, strategy: strategy).deflate(bytes)
}

func gzip(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, .gzip) }

/// The outcome of decoding: the decoded bytes and the error.
struct Decoded: Equatable {
  var bytes: [UInt8] = []
  var error: ContentDecodingError?

  init(_ bytes: [UInt8], _ error: ContentDecodingError? = nil) { (self.bytes, self.error) = (bytes, error) }

  /// Fed in pieces of that size.
  init(
    _ encoded: [UInt8], _ codings: [ContentCoding], piece: Int = .max, limits: ContentDecoder.Limits = .init()
  ) {
    let decoder = ContentDecoder(codings, limits: limits)
    var rest = encoded[...]
    do throws(ContentDecodingError) {
      while !rest.isEmpty {
        decoder.feed(Data(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
        while let piece = try decoder.next() { bytes += piece }
      }
      decoder.finish()
      while let piece = try decoder.next() { bytes += piece }
    } catch {
      self.error = error
    }
  }
}

extension ContentDecodingError {
  var isMalformed: Bool { if case .malformed = self { true } else { false } }
}
