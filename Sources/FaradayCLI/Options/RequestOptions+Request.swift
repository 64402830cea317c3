import Faraday

extension RequestOptions {
  /// The request that the options describe. Reads the files they name, except an upload, which is streamed when it is sent.
  func request(to target: Target, transport: TransportOptions) throws -> Request {
    var request = Request(try requestMethod(), url: target.url)
    request.body = try body()
    request.headers = try defaults(for: target).overridden(by: HeaderArgument.all(headers))
    request.options.delivery = .streamed
    try transport.apply(to: &request.options)
    return request
  }

  private func requestMethod() throws -> HTTPRequest.Method {
    if let method {
      guard let named = HTTPRequest.Method(rawValue: method) else {
        throw CommandFailure.usage(
          "-X: \(method.debugDescription) is not a valid method, which is a token (RFC 9110, section 5.6.2)")
      }
      return named
    }
    if head { return .head }
    if upload != nil { return .put }
    return allData.isEmpty ? .get : .post
  }

  private func body() throws -> Body {
    if let upload {
      let file = InputFile(name: upload)
      return file.isRegular ? try .file(upload) : .stream(try file.pieces())
    }
    return .data(try DataArgument.joined(allData))
  }

  /// Header fields that are sent unless `-H` overrides them.
  private func defaults(for target: Target) throws -> HTTPFields {
    var fields: HTTPFields = [:]
    let agent = agent ?? "faraday/\(FaradayCommand.version)"
    if !agent.isEmpty { fields[.userAgent] = agent }
    fields[.accept] = "*/*"
    if !allData.isEmpty { fields[.contentType] = "application/x-www-form-urlencoded" }
    if let credentials = user ?? target.credentials {
      try fields.authorize(Self.basic(credentials))
    }
    return fields
  }

  /// `user:password`.
  private static func basic(_ text: String) -> Credentials {
    let user = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let password = text.utf8.dropFirst(user.count + 1)
    return .basic(user: String(decoding: user, as: UTF8.self), password: String(decoding: password, as: UTF8.self))
  }
}
