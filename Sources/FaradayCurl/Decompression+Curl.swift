internal import CCurl
internal import FaradayCore

extension Decompression {
  /// The empty string asks for everything that this libcurl can decode.
  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    try easy.set(CURLOPT_ACCEPT_ENCODING, "")
  }

  /// What is wrong with a body of so many bytes decoded from so many received; nil if it is within both limits.
  func problem(decoded: Int64, received: Int64) -> String? {
    if decoded > maximumSize { return "the decoded body is larger than the limit of \(maximumSize) bytes" }
    if decoded > Self.ratioFloor, decoded / max(received, 1) > maximumRatio {
      return "the body decodes to more than \(maximumRatio) times its size"
    }
    return nil
  }
}
