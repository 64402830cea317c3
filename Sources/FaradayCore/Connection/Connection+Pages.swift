extension Connection {
  /// A paginated list as a sequence of responses: a GET, then one for each `Link` with `rel="next"` of the response before (RFC
  /// 8288).
  ///
  ///     for try await page in connection.pages("users", query: ["per_page": 100]) {
  ///       users += try await page.decode([User].self)
  ///     }
  ///
  /// A list whose pages do not link to each other, with a cursor in the body for instance, has a closure that makes the next
  /// request:
  ///
  ///     let events = connection.pages("events", next: { page, request in
  ///       guard let cursor = try await page.decode(Cursor.self).next else { return nil }
  ///       var request = request
  ///       request.query["cursor"] = cursor
  ///       return request
  ///     })
  ///
  /// Each page is requested when the iteration asks for it, or up to `prefetch` pages before, with the header fields and options
  /// of the first; a body that `edit` sets is sent with the first only. The sequence ends with a response that is not 2xx or has
  /// no such link. A cross-origin link is followed without credentials and default headers, and so is every later one, also back
  /// to the first origin (``Request/becomeCrossOrigin()``). Iterating throws what sending throws, and ``PagingError``.
  ///
  /// The arguments are those of `request`.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of pages, 1,000 by default; one more throws ``PagingError/Reason/tooMany(limit:)``.
  ///   - prefetch: the number of pages that are requested before the iteration asks for them, one after the other, while the
  ///     caller works on one. 0, none, by default; 1,000 at most. Cancelling the task, or releasing the iterator, cancels the
  ///     requests. A task for each page; at most so many pages wait in memory.
  ///   - next: makes the request for the page after a successful response, of the one that it answers; nil ends the sequence.
  ///     Instead of following links. A request for another origin goes without credentials, as a link does. It is called in the
  ///     task that requests the page.
  public func pages(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, limit: Int = 1000,
    prefetch: Int = 0, edit: (inout Request) throws -> Void = { _ in },
    next: (@Sendable (_ page: Response, _ request: Request) async throws -> Request?)? = nil
  ) -> Pages {
    let first = Result {
      try request(.get, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    }
    return Pages(connection: self, first: first, limit: limit, prefetch: max(0, prefetch), successor: next)
  }
}

extension Connection {
  /// The pages of a paginated list: what ``Connection/pages(_:path:query:headers:timeout:limit:prefetch:edit:next:)`` returns.
  /// Each iteration starts with the first page again.
  public struct Pages: AsyncSequence, Sendable {
    public typealias Element = Response
    public typealias Failure = any Error

    let connection: Connection
    let first: Result<Request, any Error>
    let limit: Int
    let prefetch: Int
    let successor: (@Sendable (Response, Request) async throws -> Request?)?

    public func makeAsyncIterator() -> Iterator {
      let walk = Walk(connection: connection, following: first, limit: limit, successor: successor)
      return prefetch == 0 ? Iterator(walk: walk) : Iterator(walk: walk, ahead: PagesAhead(walk, count: prefetch))
    }

    /// Requests one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
      private var walk: Walk
      /// Set if pages are requested in advance; it has a walk of its own.
      private let ahead: PagesAhead?

      init(walk: Walk, ahead: PagesAhead? = nil) {
        self.walk = walk
        self.ahead = ahead
      }

      /// Requests the next page, or takes it if it was requested in advance; nil after the last one, and after an error.
      public mutating func next() async throws -> Response? {
        guard let ahead else { return try await walk.next() }
        return try await ahead.next()
      }
    }

    /// The way from page to page.
    struct Walk: Sendable {
      let connection: Connection
      /// The request for the next page; nil if there is none.
      var following: Result<Request, any Error>?
      let limit: Int
      let successor: (@Sendable (Response, Request) async throws -> Request?)?
      private var visited: Set<String> = []
      private var count = 0

      init(
        connection: Connection, following: Result<Request, any Error>, limit: Int,
        successor: (@Sendable (Response, Request) async throws -> Request?)?
      ) {
        self.connection = connection
        self.following = following
        self.limit = limit
        self.successor = successor
      }

      /// Requests the next page; nil after the last one, and after an error.
      mutating func next() async throws -> Response? {
        guard let following else { return nil }
        self.following = nil
        let request = try following.get()
        visited.insert(request.url.absoluteString)
        count += 1
        let response = try await connection.run(request)
        guard response.status.kind == .successful else { return response }
        do {
          self.following = try await self.request(after: response, to: request).map { .success($0) }
        } catch {
          self.following = .failure(error)
        }
        return response
      }

      private func request(after response: Response, to request: Request) async throws -> Request? {
        if let successor {
          guard let following = try await successor(response, request) else { return nil }
          guard count < limit else { throw PagingError(.tooMany(limit: limit), request: request, response: response) }
          return leaving(request, response, for: following)
        }
        guard let link = response.links["next"] else { return nil }
        return leaving(request, response, for: try self.request(for: link, after: response, to: request))
      }

      private func request(for link: Response.Link, after response: Response, to request: Request) throws -> Request {
        guard let scheme = link.url.scheme?.lowercased(), scheme == "http" || scheme == "https", link.url.host()?.isEmpty == false
        else {
          throw PagingError(.invalidLink, request: request, response: response)
        }
        guard count < limit else { throw PagingError(.tooMany(limit: limit), request: request, response: response) }
        guard !visited.contains(link.url.absoluteString) else { throw PagingError(.loop, request: request, response: response) }
        var following = request
        // Always a GET: a body belongs to the first request only.
        following.becomeGet()
        following.url = link.url
        following.options.requestTarget = .origin
        return following
      }

      /// A response of another origin must not choose URLs that are requested with the connection's credentials.
      private func leaving(_ request: Request, _ response: Response, for following: Request) -> Request {
        var following = following
        guard response.isFromOrigin(of: request.url) else {
          following.becomeCrossOrigin()
          return following
        }
        if request.isCrossOrigin { following.markCrossOrigin() }
        switch Origin(following.url) {
        case Origin(request.url): break
        case Origin(response.url):
          // The client has changed `http` to `https`, and the link leads there.
          following.context = following.context ?? request.context
          let url = following.url
          following.url = request.url
          following.moveToSecureOrigin(url)
        default: following.becomeCrossOrigin()
        }
        return following
      }
    }
  }
}

/// The link to the next page of ``Connection/pages(_:path:query:headers:timeout:limit:prefetch:edit:next:)`` cannot be followed.
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
