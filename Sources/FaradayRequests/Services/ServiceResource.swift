internal import FaradayCoding
public import FaradayCore
internal import FaradayMiddleware
public import FaradayPromises

/// A resource of a service: the common modifiers and loading methods of ``NetworkResource`` and ``NetworkResourceWithBody``.
/// Modifiers return a changed copy of the same type.
public protocol ServiceResource: Sendable, CustomStringConvertible, CustomReflectable {
  /// The resource that the network loads.
  var networkResource: NetworkResource { get set }
}

extension ServiceResource {
  /// `GET https://api.example.com/users/42`: without the query of modifiers, and without secrets.
  public var description: String { "\(networkResource.wanted.method) \(networkResource.wanted.shownURL)" }

  /// Without children: `dump` and mirrors show no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Prints ``description`` and the tags, and returns the same resource.
  @discardableResult
  public func printDetails() -> Self {
    let tags = networkResource.tags.sorted().map { " #\($0)" }.joined()
    print(description + tags)
    return self
  }

  /// Adds a tag. ``ServiceNetwork/cancel(tag:)`` cancels all resources with this tag; constraints and interceptors see it.
  public func tag(_ tag: String) -> Self { tags([tag]) }

  /// Adds tags.
  public func tags(_ tags: [String]) -> Self { changed { $0.tags.formUnion(tags) } }

  /// Whether the resource has this tag.
  public func hasTag(_ tag: String) -> Bool { networkResource.tags.contains(tag) }

  /// Sets the priority in the queues of `RateLimit` and `ConcurrencyLimit`: the highest is first.
  /// ``FaradayCore/RequestPriority/normal`` by default.
  public func priority(_ priority: RequestPriority) -> Self { configured { $0.priority = priority } }

  /// Sets whether the resource waits for constraints; true by default.
  public func canHaveConstraints(_ can: Bool) -> Self { configured { $0.ignoresConstraints = !can } }

  /// Sets the context for the callbacks of ``load(onSuccess:onFailure:)`` and similar methods.
  /// ``FaradayPromises/CallbackContext/immediate`` by default: the thread that has the result, because a server program may
  /// have no main queue.
  public func deliverOn(_ context: CallbackContext) -> Self { changed { $0.callbackContext = context } }

  /// Limits the time of each attempt, up to the end of the body. After it, the attempt fails with
  /// ``FaradayCore/TransportError/Code/totalTimeout``. No limit by default.
  public func timeout(_ limit: Duration) -> Self { configured { $0.timeouts.total = limit } }

  /// Changes options such as delivery, progress, chunk callbacks, and options of middleware, in addition to the connection's.
  public func configured(_ configure: @escaping @Sendable (inout Options) -> Void) -> Self {
    changed { $0.wanted = $0.wanted.configured(configure) }
  }

  /// Returns the contents of a file instead of sending the request. Request interceptors do not run; constraints and response
  /// interceptors do. The file is read each time. A file that cannot be read or is empty throws
  /// ``FaradayCore/InvalidValueError``. Its `Content-Type` is derived from the path's extension.
  public func mock(file path: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Self {
    changed { $0.mock = ResourceMock(.file(path), status: status, headers: headers) }
  }

  /// Returns these bytes instead of sending the request; otherwise equal to ``mock(file:status:headers:)``.
  public func mock(data: Data, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Self {
    changed { $0.mock = ResourceMock(.data(data), status: status, headers: headers) }
  }

  /// Makes loading fail with this error, without sending: for custom modifiers. The first error wins.
  public func failing(with error: any Error) -> Self { changed { $0.fail(error) } }

  /// Returns the request, before interceptors. A connection adds its options, and its headers to a same-origin request. A
  /// connection without a URL has the origin of the service, see ``WebService/customResource(at:)``.
  ///
  /// Throws ``NetworkResource/creationError``, ``FaradayCore/TransportError/Code/invalidURL`` if server and path are not a URL,
  /// ``FaradayCoding/BodyEncodingError``, and ``FaradayCore/InvalidValueError``.
  public func request(for connection: Connection? = nil) throws -> Request {
    let resource = networkResource
    if let error = resource.creationError { throw error }
    return try resource.request(of: resource.wanted, for: connection)
  }

  func changed(_ change: (inout NetworkResource) -> Void) -> Self {
    var copy = self
    change(&copy.networkResource)
    return copy
  }
}

extension NetworkResource {
  mutating func fail(_ error: any Error) { creationError = creationError ?? error }

  /// Stores the error of encoding a value.
  mutating func fail(_ error: any Error, encoding value: some Sendable, as part: BodyEncodingError.Part) {
    fail(
      BodyEncodingError(
        error, encoding: value, as: part, of: RequestSummary(method: wanted.method, url: wanted.shownURL)))
  }
}
