internal import FaradayCoding
internal import FaradayCore

extension RestingRequestConverter {
  /// Encodes the input as the body or into the query.
  func encode(_ input: some Encodable & Sendable, as encoding: RequestEncoding, into request: inout Request) throws {
    switch encoding {
    case .json: try request.setBody(.json(input, using: configuration.jsonEncoder))
    case .formURLEncoded: try request.setBody(.form(input, using: configuration.queryEncoder))
    case .multipartFormData: try request.setBody(.multipart(input, using: configuration.multipartEncoder))
    case .file: try request.setBody(file(input))
    case .query:
      let items: QueryParameters
      do {
        items = try configuration.queryEncoder.encode(input)
      } catch {
        throw BodyEncodingError(error, encoding: input, as: .query, of: RequestSummary(request))
      }
      request.url = try items.appended(to: request.url, for: request.method)
    }
  }

  private func file(_ input: some Encodable & Sendable) -> BodyProvider {
    guard let file = input as? FormFile else {
      return .encoding(input) { input in
        throw EncodingError.invalid(input, at: [], "an endpoint with the encoding `file` requires a FormFile as input")
      }
    }
    return .file(file.path, contentType: file.type ?? file.filename.map { MediaType(extensionOf: $0) })
  }
}
