internal import FaradayContentCoding

/// The compression of a message on its way (RFC 9112, section 7), besides chunks: a server may use it if the request has
/// `Connection: TE` and `TE: gzip`.
package enum TransferCodings {
  /// Whether a `TE` has gzip, with a weight that is not 0 (RFC 9110, section 10.1.4).
  package static func asksForGzip(_ field: String) -> Bool {
    field.lowercased().split(separator: ",").contains { member in
      let parts = member.split(separator: ";").map { $0.trimming() }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
      return parts.first == "gzip" && weight != 0
    }
  }

  /// Whether a request that asks for gzip gets a body that can be read.
  package static func canDecode(_ names: [String]) -> Bool { names.allSatisfy { $0 == "gzip" || $0 == "x-gzip" } }
}

extension Response {
  /// The response with a body that decodes these transfer codings while it is read, within the limits of
  /// ``Options/decompression``, or ``Decompression/standard``.
  package func decoding(transfer names: [String], for request: Request) -> Response {
    guard let codings = ContentCoding.list(names), !codings.isEmpty, body.length != 0 else { return self }
    return decoding(codings, request.options.decompression ?? .standard, for: request)
  }
}
