internal import FaradayCoding
internal import FaradayCore
public import FaradayRequests

extension ResponseDecoder<Representation> {
  /// Decodes the body as HAL, with any `Content-Type`.
  public static var hal: Self {
    ResponseDecoder(accepting: "\(MediaType.hal), application/json") { try await $0.decodeRepresentation() }
  }
}

extension BodyProvider {
  /// A representation encoded as HAL, members sorted by name.
  public static func hal(_ representation: Representation) -> BodyProvider {
    encoding(representation) { .data(try $0.json.data(.sortedKeys), contentType: .hal) }
  }
}
