/// Why a body could not be decoded.
package enum ContentDecodingError: Error, Equatable {
  /// The bytes are not what the coding allows: a wrong checksum or length, a code that there is not, bytes behind the end.
  case malformed(ContentCoding, String)
  /// The body is at its end, and the coding is not.
  case truncated(ContentCoding)
  /// More codings on top of each other than ``ContentCoding/mostStacked``.
  case tooManyCodings(Int)
  /// More decoded bytes than ``ContentDecoder/Limits/size``.
  case tooLarge(Int64)
  /// More decoded bytes for an encoded one than ``ContentDecoder/Limits/ratio``.
  case tooDense(Int64)
  /// The decoder's own memory was not to be had.
  case outOfMemory
}

extension ContentDecodingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .malformed(let coding, let problem): "the body is not what \(coding.rawValue) allows: \(problem)"
    case .truncated(let coding): "the body has ended before its \(coding.rawValue) coding was complete"
    case .tooManyCodings(let count): "the body has \(count) codings, and \(ContentCoding.mostStacked) are undone at most"
    case .tooLarge(let limit): "the decoded body is larger than the limit of \(limit) bytes"
    case .tooDense(let limit): "the body decodes to more than \(limit) times its size"
    case .outOfMemory: "there is no memory to decode the body with"
    }
  }
}
