extension Connection {
  /// A paginated list as a sequence of responses: a GET, then one for each `Link` with `rel="next"` of the response before (RFC
  /// 8288).
  ///
  ///     for try await page in connection.pages("users", query: ["per_page": 100]) {
  ///       users += try await page.decode([User].self)
  ///     }
  ///
  /// Each page is requested when the iteration asks for it, with the header fields and options of the first; a body that `edit`
  /// sets is sent with the first only. The sequence ends with a response that is not 2xx or has no such link. A cross-origin link
  /// is followed without credentials and default headers, and so is every later one, also back to the first origin
  /// (``Request/becomeCrossOrigin()``). Iterating throws what sending throws, and ``PagingError``.
  ///
  /// The arguments are those of `request`.
  ///
  /// - Parameter limit: the maximum number of pages, 1,000 by default; a link to one more throws
  ///   ``PagingError/Reason/tooMany(limit:)``.
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
  /// The pages of a paginated list: what ``Connection/pages(_:path:query:headers:timeout:limit:edit:)`` returns. Each iteration
  /// starts with the first page again.
  public struct Pages: AsyncSequence, Sendable {
    public typealias Element = Response
    public typealias Failure = any Error

    let connection: Connection
    let first: Result<Request, any Error>
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection, following: first, limit: limit) }

    /// Requests one page after the other.
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

      /// Requests the next page; nil after the last one, and after an error.
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
        // Always a GET: a body belongs to the first request only.
        following.becomeGet()
        following.url = link.url
        following.options.requestTarget = .origin
        // A response of another origin must not choose URLs that are requested with the connection's credentials.
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

/// The link to the next page of ``Connection/pages(_:path:query:headers:timeout:limit:edit:)`` cannot be followed.
public struct PagingError: FaradayError, ErrorWithResponse, CustomReflectable {
  /// Why the link cannot be followed.
  public enum Reason: Sendable, Hashable {
    /// There are more pages than the limit.
    case tooMany(limit: Int)
    /// The link leads to a page that was requested already.
    case loop
    /// The link is not an `http` or `https` URL.
    case invalidLink
  }

  /// Why the link cannot be followed.
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
      case .loop: "the link to the next page leads to a page that was requested already"
      case .invalidLink: "the link to the next page is not an http or https URL"
      }
    return naming("\(what)")
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
