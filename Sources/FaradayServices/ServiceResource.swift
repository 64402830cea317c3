internal import FaradayCoding
public import FaradayCore
internal import FaradayMiddleware
public import FaradayPromises
internal import FaradayRequests

/// What ``NetworkResource`` and ``NetworkResourceWithBody`` have in common: the modifiers that need no body, and the loading.
/// Each modifier gives a changed copy of the same type.
public protocol ServiceResource: Sendable, CustomStringConvertible, CustomReflectable {
  /// The resource as the network gets it.
  var networkResource: NetworkResource { get set }
}

extension ServiceResource {
  /// `GET https://api.example.com/users/42`: without the query of modifiers, and without secrets.
  public var description: String { networkResource.wanted.description }

  /// Without children: `dump` and mirrors show no more than the description.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Prints ``description`` and the tags, and gives the same resource.
  @discardableResult
  public func printDetails() -> Self {
    let tags = networkResource.tags.sorted().map { " #\($0)" }.joined()
    print(description + tags)
    return self
  }

  /// With a label. ``ServiceNetwork/cancel(tag:)`` cancels all that have it; constraints and interceptors see it.
  public func tag(_ tag: String) -> Self { tags([tag]) }

  /// With more labels.
  public func tags(_ tags: [String]) -> Self { changed { $0.tags.formUnion(tags) } }

  /// Whether it has that label.
  public func hasTag(_ tag: String) -> Bool { networkResource.tags.contains(tag) }

  /// Whether constraints may hold it; true by default.
  public func canHaveConstraints(_ can: Bool) -> Self { configured { $0.ignoresConstraints = !can } }

  /// Where the callbacks of ``load(onSuccess:onFailure:)`` and its like are called. By default ``CallbackContext/immediate``, on
  /// whatever thread has the outcome: a server program may serve no main queue.
  public func deliverOn(_ context: CallbackContext) -> Self { changed { $0.callbackContext = context } }

  /// Fails with ``FaradayCore/TransportError/Code/totalTimeout`` if an attempt takes longer. No limit by default.
  public func timeout(_ limit: Duration) -> Self { configured { $0.timeouts.total = limit } }

  /// With other options, put over the connection's: delivery, progress, the callback for chunks, whatever a middleware knows.
  public func configured(_ configure: @escaping @Sendable (inout Options) -> Void) -> Self {
    changed { $0.wanted = $0.wanted.configured(configure) }
  }

  /// Gives what the file holds in the place of the server's response, read each time it is loaded: nothing is sent, and request
  /// interceptors do not run. Constraints hold it, and response interceptors see it, as any other. A file that cannot be
  /// read or is empty throws ``UnusableMock``. Its `Content-Type` is that of the path's extension.
  public func mock(file path: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Self {
    changed { $0.mock = ResourceMock(.file(path), status: status, headers: headers) }
  }

  /// Gives these bytes in the place of the server's response; otherwise as ``mock(file:status:headers:)``.
  public func mock(data: Data, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Self {
    changed { $0.mock = ResourceMock(.data(data), status: status, headers: headers) }
  }

  /// Fails with this error when it is loaded, and sends nothing: for modifiers of your own. The first error stays.
  public func failing(with error: any Error) -> Self { changed { $0.fail(error) } }

  /// The request as it is sent, but for what interceptors make of it. A connection adds its options, and its headers if it has
  /// the same origin; one without a URL has that of the service, see ``WebService/customResource(at:)``.
  ///
  /// Throws ``NetworkResource/creationError``; ``FaradayCore/TransportError/Code/invalidURL`` where server and path are no URL;
  /// ``FaradayCoding/UnencodableBody``, ``FaradayCore/InvalidHeader``.
  public func request(for connection: Connection? = nil) throws -> Request {
    let resource = networkResource
    if let error = resource.creationError {
      guard error is BodyFile.Unreadable, let failing = try? resource.request(failing: error, for: connection) else {
        throw error
      }
      throw UnencodableBody(error, encoding: MultipartForm(), of: failing)
    }
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
}
