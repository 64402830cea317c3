@_spi(Adapters) public import FaradayCore

extension Connection {
  /// A paginated list as a sequence of responses: a GET, then a GET for the `Link` with `rel="next"` of each response (RFC
  /// 8288).
  ///
  ///     for try await page in connection.pages("users", query: ["per_page": 100]) {
  ///       users += try await page.decode([User].self)
  ///     }
  ///
  /// For a list whose pages do not link to each other, for instance with a cursor in the body, a closure creates the next
  /// request:
  ///
  ///     let events = connection.pages("events", next: { page, request in
  ///       guard let cursor = try await page.decode(Cursor.self).next else { return nil }
  ///       var request = request
  ///       request.query["cursor"] = cursor
  ///       return request
  ///     })
  ///
  /// Each page is requested on demand, or up to `prefetch` pages in advance, with the header fields and options of the first
  /// request. A body that `edit` sets is sent with the first request only. The sequence ends with a response that is not 2xx or
  /// has no `next` link. A cross-origin link is followed without credentials and default headers, and so is every later link,
  /// also back to the first origin (`becomeCrossOrigin()`). Iterating throws the errors of sending, and
  /// ``FaradayStreams/PagingError``.
  ///
  /// The arguments are those of `request`.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of pages, 1,000 by default; a further page throws
  ///     ``FaradayStreams/PagingError/Reason/tooMany(limit:)``.
  ///   - prefetch: the number of pages that are requested in advance, one after the other, while the caller processes a page. 0
  ///     by default; 1,000 at most. Cancelling the task, or releasing the iterator, cancels the requests. It takes a task for
  ///     each page, and memory for this many pages.
  ///   - last: returns whether a successful page is the last one: then no further page is requested. It is called in the task
  ///     that requests the page.
  ///   - next: creates the next request from a successful response and its request, instead of following links; nil ends the
  ///     sequence. A request to another origin is sent without credentials, as for links. It is called in the task that
  ///     requests the page.
  public func pages(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, limit: Int = 1000,
    prefetch: Int = 0, edit: (inout Request) throws -> Void = { _ in },
    until last: (@Sendable (_ page: Response) async throws -> Bool)? = nil,
    next: (@Sendable (_ page: Response, _ request: Request) async throws -> Request?)? = nil
  ) -> Pages {
    let first = Result {
      try request(.get, path, variables: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    }
    let rules = Pages.Rules(limit: limit, isLast: last, successor: next)
    return Pages(connection: self, first: first, prefetch: max(0, prefetch), rules: rules)
  }
}

extension Connection {
  /// The pages of a paginated list: the result of
  /// ``FaradayCore/Connection/pages(_:variables:query:headers:timeout:limit:prefetch:edit:until:next:)``. Each iteration starts
  /// with the first page again.
  public struct Pages: AsyncSequence, Sendable {
    public typealias Element = Response
    public typealias Failure = any Error

    let connection: Connection
    let first: Result<Request, any Error>
    let prefetch: Int
    let rules: Rules

    /// The rules for the next page, and for the end.
    struct Rules: Sendable {
      let limit: Int
      let isLast: (@Sendable (Response) async throws -> Bool)?
      let successor: (@Sendable (Response, Request) async throws -> Request?)?
    }

    public func makeAsyncIterator() -> Iterator {
      let walk = Walk(connection: connection, following: first, rules: rules)
      return prefetch == 0 ? Iterator(walk: walk) : Iterator(walk: walk, ahead: PagesAhead(walk, count: prefetch))
    }

    /// Requests one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
      private var walk: Walk
      /// The pages that are requested in advance, with a separate walk; nil without prefetching.
      private let ahead: PagesAhead?

      init(walk: Walk, ahead: PagesAhead? = nil) {
        self.walk = walk
        self.ahead = ahead
      }

      /// Returns the next page, requested now or in advance; nil after the last page, and after an error.
      public mutating func next() async throws -> Response? {
        guard let ahead else { return try await walk.next() }
        return try await ahead.next()
      }
    }

    /// A walk from page to page.
    struct Walk: Sendable {
      let connection: Connection
      /// The request for the next page; nil if there is none.
      var following: Result<Request, any Error>?
      private let rules: Rules
      private var visited: Set<String> = []
      private var count = 0

      init(connection: Connection, following: Result<Request, any Error>, rules: Rules) {
        self.connection = connection
        self.following = following
        self.rules = rules
      }

      /// Requests the next page; nil after the last page, and after an error.
      mutating func next() async throws -> Response? {
        guard let following else { return nil }
        self.following = nil
        let request = try following.get()
        visited.insert(request.url.absoluteString)
        count += 1
        let response = try await connection.send(request)
        guard response.status.kind == .successful else { return response }
        do {
          self.following = try await self.request(after: response, to: request).map { .success($0) }
        } catch {
          self.following = .failure(error)
        }
        return response
      }

      private func request(after response: Response, to request: Request) async throws -> Request? {
        if let isLast = rules.isLast, try await isLast(response) { return nil }
        if let successor = rules.successor {
          guard let following = try await successor(response, request) else { return nil }
          try checkCount(after: response, to: request)
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
        try checkCount(after: response, to: request)
        guard !visited.contains(link.url.absoluteString) else { throw PagingError(.loop, request: request, response: response) }
        var following = request
        // Always a GET: the body belongs to the first request only.
        following.becomeGet()
        following.url = link.url
        following.options.requestTarget = .origin
        return following
      }

      private func checkCount(after response: Response, to request: Request) throws {
        guard count < rules.limit else {
          throw PagingError(.tooMany(limit: rules.limit), request: request, response: response)
        }
      }

      /// A cross-origin response must not choose URLs that are requested with the connection's credentials.
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
          // The client has changed `http` to `https`, and the link leads to the `https` origin.
          following.joinConnection(of: request)
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

/// The error of a link to the next page of
/// ``FaradayCore/Connection/pages(_:variables:query:headers:timeout:limit:prefetch:edit:until:next:)`` that cannot be followed.
public struct PagingError: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The reason why the link cannot be followed.
  public enum Reason: Sendable, Hashable {
    /// There are more pages than the limit.
    case tooMany(limit: Int)
    /// The link leads to a page that was requested before.
    case loop
    /// The link is not an `http` or `https` URL.
    case invalidLink
  }

  /// The reason why the link cannot be followed.
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
