extension Connection {
  /// The pages of a list: a GET, and one for each `Link` of the relation `next` that the response before has (RFC 8288).
  ///
  ///     for try await page in connection.pages("users", query: ["per_page": 100]) {
  ///       users += try await page.decode([User].self)
  ///     }
  ///
  /// Each is sent when it is asked for, with the header fields and options of the first; one that `edit` gave a body is the only one
  /// with it. The response that is no 2xx or has no such
  /// link is the last one. A link to another origin than the page's is followed without credentials and the connection's headers, and
  /// so is every one from there on, also back (``Request/becomeCrossOrigin()``). Throws what sending throws, and ``PagingError``.
  ///
  /// The arguments are those of ``request(_:_:path:query:headers:body:timeout:edit:)``.
  ///
  /// - Parameter limit: how many pages there may be; a link beyond the last of them is an error. 1,000 by default.
  public func pages(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, limit: Int = 1000,
    edit: (inout Request) throws -> Void = { _ in }
  ) -> Pages {
    let first = Result {
      try request(.get, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    }
    return Pages(connection: self, first: first, limit: limit)
  }
}

extension Connection {
  /// Responses that lead from one to the next: ``Connection/pages(_:path:query:headers:timeout:limit:edit:)``. Each iteration begins
  /// anew.
  public struct Pages: AsyncSequence, Sendable {
    public typealias Element = Response
    public typealias Failure = any Error

    let connection: Connection
    let first: Result<Request, any Error>
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection, following: first, limit: limit) }

    public struct Iterator: AsyncIteratorProtocol {
      let connection: Connection
      /// The request for the next page; nil if there is none.
      var following: Result<Request, any Error>?
      let limit: Int
      private var visited: Set<String> = []

      init(connection: Connection, following: Result<Request, any Error>, limit: Int) {
        self.connection = connection
        self.following = following
        self.limit = limit
      }

      /// Sends the request for the next page. After an error there is none.
      public mutating func next() async throws -> Response? {
        guard let following else { return nil }
        self.following = nil
        let request = try following.get()
        visited.insert(request.url.absoluteString)
        let response = try await connection.run(request)
        if response.status.kind == .successful, let link = response.links["next"] {
          self.following = Result { try self.request(for: link, after: response, to: request) }
        }
        return response
      }

      private func request(for link: Response.Link, after response: Response, to request: Request) throws -> Request {
        guard let scheme = link.url.scheme?.lowercased(), scheme == "http" || scheme == "https", link.url.host()?.isEmpty == false
        else {
          throw PagingError(.invalidLink, request: request, response: response)
        }
        guard visited.count < limit else { throw PagingError(.tooMany(limit: limit), request: request, response: response) }
        guard !visited.contains(link.url.absoluteString) else { throw PagingError(.loop, request: request, response: response) }
        var following = request
        // The next is a GET: a body of the first is nobody else's.
        following.becomeGet()
        following.url = link.url
        following.options.requestTarget = .origin
        // Whoever stands elsewhere, or was led there, shall not say what is asked for with the connection's credentials.
        if response.wasRedirectedCrossOrigin || Origin(response.url) != Origin(request.url)
          || Origin(link.url) != Origin(request.url)
        {
          following.becomeCrossOrigin()
        }
        return following
      }
    }
  }
}

/// A next page that could not be asked for.
public struct PagingError: FaradayError, ErrorWithResponse, CustomReflectable {
  public enum Reason: Sendable, Hashable {
    /// There are more pages than the limit.
    case tooMany(limit: Int)
    /// The link leads to a page that was there before.
    case loop
    /// The link is no `http` or `https` URL.
    case invalidLink
  }

  public let reason: Reason
  /// The request for the page with the link.
  public let request: RequestSummary?
  /// The page with the link.
  public let response: Response

  init(_ reason: Reason, request: Request, response: Response) {
    self.reason = reason
    self.request = RequestSummary(request)
    self.response = response
  }

  public var description: String {
    let what =
      switch reason {
      case .tooMany(let limit): "there are more than \(limit) pages"
      case .loop: "the link to the next page leads to one that was there before"
      case .invalidLink: "the link to the next page is no http or https URL"
      }
    return naming("\(what)")
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
