/// An error in decoding a body.
package enum ContentDecodingError: Error, Equatable {
  /// Malformed data: a wrong checksum or length, an invalid code, or bytes after the end.
  case malformed(ContentCoding, String)
  /// The body ended before its coding was complete.
  case truncated(ContentCoding)
  /// The library of a coding is missing.
  case unavailable
  /// More nested codings than ``ContentCoding/maximumNesting``.
  case tooManyCodings(Int)
  /// More decoded bytes than ``ContentDecoder/Limits/size``.
  case tooLarge(Int64)
  /// More decoded bytes per encoded byte than ``ContentDecoder/Limits/ratio``.
  case tooDense(Int64)
  /// Allocating the decoder's memory failed.
  case outOfMemory
}

extension ContentDecodingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformed(let coding, let problem): "the body is not valid \(coding.rawValue) data: \(problem)"
    case .truncated(let coding): "the body is truncated: its \(coding.rawValue) data is not complete"
    case .unavailable: "the library for the body's content coding is missing"
    case .tooManyCodings(let count):
      "the body has \(count) nested content codings; at most \(ContentCoding.maximumNesting) are decoded"
    case .tooLarge(let limit): "the decoded body is larger than the limit of \(limit) bytes"
    case .tooDense(let limit): "the body decodes to more than \(limit) times its size"
    case .outOfMemory: "out of memory for decoding the body"
    }
  }
}
