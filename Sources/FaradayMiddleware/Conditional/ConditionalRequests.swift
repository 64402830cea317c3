public import FaradayCore

/// Makes GET requests conditional (RFC 9110, section 13): sends the validator of the response to an earlier equal request, and
/// returns that response again if the server answers 304 Not Modified.
///
///     connection.use(.conditionalRequests)
///
/// It is not a cache: every request goes to the server, and there is no freshness. It saves the transfer of a body that has not
/// changed. The validator is the `ETag` (sent as `If-None-Match`), else `Last-Modified` (`If-Modified-Since`). The answer to a 304
/// has the status 200, the remembered body, and the remembered header fields, updated by those of the 304 as RFC 9111, section 3.2,
/// has it; the body keeps its type, and cookies and metrics are those of the 304. A 304 that would make more than 10,000 fields of
/// them is not used: the request is sent once more without the validator.
///
/// ``ResponseMemory`` stores complete 200 responses to buffered GETs without a callback, up to its limits. It does not store other
/// statuses (206 included), `Cache-Control: no-store` of request or response, `Vary: *`, and bodies that are streamed or taken by a
/// callback; those deliveries can be answered from it. A request with a precondition, a `Range` or a body of its own is passed on
/// unchanged, and so is its 304.
///
/// One user's response is not returned to another: a response is returned only for a request with the same URL, TLS options,
/// `Host`, `Authorization`, `Cookie` and other fields that ``FaradayCore/Request/secrets`` names, and the same fields that its
/// `Vary` lists. They are compared as they are sent, including those that a middleware below adds; if a 304 turns out to be about
/// another response, the request is sent once more without the validator. Below ``Redirects`` each hop is made conditional by
/// itself.
public struct ConditionalRequests: Middleware {
  private let memory: ResponseMemory

  /// - Parameter memory: stores the responses; one of its own by default. Copies share it.
  public init(memory: ResponseMemory = ResponseMemory()) { self.memory = memory }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    guard request.mayBeMadeConditional else { return try await next(request) }
    let key = RememberedResponse.Key(request)
    let known = memory.response(for: key, selectedBy: request)
    let sent = SentRequest()
    var conditional = request
    if let precondition = known?.precondition { conditional.headers[fields: precondition.name] = [precondition] }

    var response = try await next(conditional.recorded(in: sent))
    if let known, response.status == .notModified {
      let last = sent.last ?? conditional
      // Somebody below has added a precondition of their own: the 304 is for them.
      guard last.preconditions == [known.precondition] else { return response }
      if !sent.isAmbiguous, known.isConfirmed(by: response, to: last), let updated = known.updated(by: response.headers) {
        memory.remember(updated.headers.forbidStoring ? nil : updated, for: key)
        // It has none, and with its reader its connection would go.
        await response.body.discard()
        return updated.response(for: response)
      }
      memory.remember(nil, for: key)
      await response.body.discard()
      response = try await next(request.recorded(in: sent))
    }
    // Nobody knows to whom a response was sent that came another way: to another request that this one has joined, for instance.
    guard let last = sent.last else { return response }
    return try await remembering(response, to: request, sent: last, for: key)
  }

  private func remembering(
    _ response: Response, to request: Request, sent: Request, for key: RememberedResponse.Key
  ) async throws -> Response {
    guard response.status == .ok else { return response }
    guard !sent.headers.forbidStoring, let remembered = RememberedResponse(response, to: request, sent: sent) else {
      memory.remember(nil, for: key)
      return response
    }
    guard request.options.deliversWhole, memory.mayHold(response.body.length ?? 0) else { return response }
    let whole = try await response.collected(for: request)
    memory.remember(remembered.with(body: whole.body), for: key)
    return whole
  }
}

extension Request {
  fileprivate var mayBeMadeConditional: Bool {
    method == .get && body.isEmpty && options.requestTarget == .origin && !headers.forbidStoring
      && preconditions.isEmpty
  }

  fileprivate var preconditions: [HTTPField] { Self.preconditions.flatMap { headers[fields: $0] } }

  /// RFC 9110, section 13.1; a range asks for something that is not remembered.
  private static let preconditions: [HTTPField.Name] = [
    .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
  ]
}

extension HTTPFields {
  /// Whether `Cache-Control` has the directive `no-store` (RFC 9111, sections 5.2.1.5 and 5.2.2.5).
  var forbidStoring: Bool { listed(.cacheControl).contains { $0.lowercased().prefix { $0 != "=" } == "no-store" } }

  /// The elements of a field that is a list (RFC 9110, section 5.6.1).
  func listed(_ name: HTTPField.Name) -> [String] {
    self[values: name].flatMap { $0.split(byte: ",") }.map { $0.trimming() }.filter { !$0.isEmpty }
  }
}

extension Middleware where Self == ConditionalRequests {
  /// Makes GETs conditional, with a memory of its own.
  public static var conditionalRequests: Self { Self() }

  /// Makes GETs conditional, by the responses in this memory.
  public static func conditionalRequests(memory: ResponseMemory) -> Self { Self(memory: memory) }
}
