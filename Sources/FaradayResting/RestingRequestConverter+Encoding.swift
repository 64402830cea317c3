internal import FaradayCoding
internal import FaradayCore
internal import FaradayRequests

extension RestingRequestConverter {
  /// Encodes the input as the body or into the query.
  func encode<Input: Encodable & Sendable>(
    _ input: Input, as encoding: RequestEncoding, into request: inout Request
  ) throws {
    do {
      switch encoding {
      case .query:
        let items: QueryParameters
        do {
          items = try configuration.queryEncoder.encode(input)
        } catch {
          throw UnencodableBody(error, encoding: input, of: request)
        }
        request.url = try items.appended(to: request.url, for: request.method)
      case .json: try send(.json(input, using: configuration.jsonEncoder), in: &request)
      case .formURLEncoded: try send(.form(input, using: configuration.queryEncoder), in: &request)
      case .multipartFormData: try send(.multipart(input, using: configuration.multipartEncoder), in: &request)
      case .file: try send(file(input), in: &request)
      }
    } catch let error as UnencodableValue {
      throw UnencodableBody(error.underlying, encoding: error.value, of: request)
    } catch let error as EncodingError {
      throw UnencodableBody(error, encoding: input, of: request)
    }
  }

  private func send(_ body: BodyProvider, in request: inout Request) throws {
    request.body = try body.body(updating: &request.headers)
  }

  private func file(_ input: some Encodable) throws -> BodyProvider {
    guard let file = input as? FormFile else {
      throw EncodingError.invalid(input, at: [], "an endpoint with the encoding `file` requires a FormFile as input")
    }
    return .file(file.path, contentType: file.type ?? file.filename.map { MediaType(extensionOf: $0) })
  }
}
