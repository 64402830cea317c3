import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct PagesAheadTests {
  private let mock = MockAdapter()

  private func connection() throws -> Connection {
    try Connection("https://api.test/v2/", headers: ["Authorization": "Bearer hidden"], adapter: mock)
  }

  /// Answers `list?page=N` with a link to the page after it, up to the last one.
  private func stub(last: Int, failing: Int? = nil) {
    mock.stub { request in
      let page = Int(request.query["page"] ?? "1") ?? 1
      if page == failing { throw TransportError(.connectionClosed, building: request, "") }
      let headers: HTTPFields = page < last ? [.link: "<list?page=\(page + 1)>; rel=\"next\""] : [:]
      return Response(status: .ok, headers: headers, body: .text("\(page)"), url: request.url)
    }
  }

  private func numbers(_ pages: Connection.Pages) async throws -> [Int] {
    var numbers: [Int] = []
    for try await page in pages { numbers.append(Int(try await page.body.utf8Text()) ?? 0) }
    return numbers
  }

  @Test(arguments: [0, 1, 3, 100, Int.max, -1])
  func `pages are in order for any number requested in advance, and can be iterated again`(count: Int) async throws {
    stub(last: 7)
    let pages = try connection().pages("list", query: ["page": 1], prefetch: count)
    #expect(try await numbers(pages) == [1, 2, 3, 4, 5, 6, 7])
    #expect(try await numbers(pages) == [1, 2, 3, 4, 5, 6, 7] && mock.recorded.count == 14)
  }

  @Test func `at most the given number of pages is requested in advance`() async throws {
    stub(last: 100)
    var iterator = try connection().pages("list", prefetch: 2).makeAsyncIterator()
    #expect(mock.recorded.isEmpty)
    for number in 1...5 {
      _ = try await iterator.next()
      await until { mock.recorded.count >= number + 2 }
    }
    #expect(mock.recorded.count == 7)
  }

  @Test func `an error follows the pages before it and ends the sequence`() async throws {
    stub(last: 9, failing: 3)
    var iterator = try connection().pages("list", prefetch: 5).makeAsyncIterator()
    for number in 1...2 { #expect(try await iterator.next()?.body.utf8Text() == "\(number)") }
    await #expect(throws: TransportError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    stub(last: 9)
    let error = await #expect(throws: PagingError.self) {
      for try await _ in try connection().pages("list", limit: 2, prefetch: 5) {}
    }
    #expect(error?.reason == .tooMany(limit: 2))
  }

  @Test(arguments: [true, false])
  func `cancelling or dropping the iterator cancels the requests in advance`(drops: Bool) async throws {
    let (isCancelled, isAsked) = (Gate(), Gate())
    mock.stub { request in
      guard request.query["page"] == "2" else {
        return Response(status: .ok, headers: [.link: "<list?page=2>; rel=\"next\""], url: request.url)
      }
      isAsked.open()
      do { try await Task.sleep(for: .seconds(3600)) } catch { isCancelled.open() }
      throw CancellationError()
    }
    let connection = try connection()
    let task = Task {
      var iterator = connection.pages("list", prefetch: 1).makeAsyncIterator()
      _ = try await iterator.next()
      await isAsked.opened()
      if !drops { _ = try await iterator.next() }
    }
    #expect(await isAsked.opened())
    if !drops { task.cancel() }
    if drops { try await task.value } else { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(await isCancelled.opened())
  }

  // MARK: cursors

  @Test func `a cursor makes the next request, also with the same URL, until it is nil`() async throws {
    mock.stub { request in
      let cursor = Int(request.headers["X-Cursor"] ?? "0") ?? 0
      return Response(status: .ok, body: .text("\(cursor)"), url: request.url)
    }
    for prefetch in [0, 2] {
      let pages = try connection().pages(
        "list", prefetch: prefetch, edit: { try $0.headers.set(name: "X-Trace", value: "7") },
        next: { page, request in
          let cursor = Int(try await page.body.utf8Text()) ?? 0
          guard cursor < 3 else { return nil }
          var request = request
          try request.headers.set(name: "X-Cursor", value: "\(cursor + 1)")
          return request
        })
      #expect(try await numbers(pages) == [0, 1, 2, 3])
    }
    #expect(mock.recorded.count == 8 && mock.recorded.allSatisfy { $0.request.headers["X-Trace"] == "7" })
    let endless = try connection().pages("list", limit: 5, next: { _, request in request })
    #expect(await #expect(throws: PagingError.self) { try await numbers(endless) }?.reason == .tooMany(limit: 5))
    struct Mine: Error {}
    var failing = try connection().pages("list", next: { _, _ in throw Mine() }).makeAsyncIterator()
    #expect(try await failing.next() != nil)
    await #expect(throws: Mine.self) { try await failing.next() }
    #expect(try await failing.next() == nil)
  }

  @Test func `a page that says so is the last one, with links, with cursors and in advance`() async throws {
    mock.stub { request in
      let number = Int(request.url.lastPathComponent) ?? 0
      return Response(
        status: .ok, headers: [.link: "<\(number + 1)>; rel=\"next\""], body: .text("\(number)"), url: request.url)
    }
    let isLast: @Sendable (Response) async throws -> Bool = { try await $0.text() == "2" }
    for prefetch in [0, 2] {
      let before = mock.recorded.count
      #expect(try await numbers(try connection().pages("0", prefetch: prefetch, until: isLast)) == [0, 1, 2])
      let cursors = try connection().pages(
        "0", prefetch: prefetch, until: isLast,
        next: { page, request in
          var request = request
          request.url = try #require(page.links["next"]?.url)
          return request
        })
      #expect(try await numbers(cursors) == [0, 1, 2])
      #expect(mock.recorded.count == before + 6)
    }
    struct Mine: Error {}
    var failing = try connection().pages("0", until: { _ in throw Mine() }).makeAsyncIterator()
    #expect(try await failing.next() != nil)
    await #expect(throws: Mine.self) { try await failing.next() }
    #expect(try await failing.next() == nil)
  }

  @Test func `a cross-origin cursor gets no credentials, and neither do later pages`() async throws {
    mock.stub { Response(status: .ok, url: $0.url) }
    let hosts = ["https://evil.test/x", "https://api.test/v2/back"]
    let pages = try connection().pages(
      "list", headers: ["X-Api-Key": "hidden"],
      next: { page, request in
        var request = request
        let next = request.url.host() == "evil.test" ? hosts[1] : hosts[0]
        guard page.url.absoluteString != hosts[1], let url = URL(string: next) else { return nil }
        request.url = url
        return request
      })
    for try await _ in pages {}
    let sent = mock.recorded.map(\.request)
    #expect(sent.map { $0.url.host() } == ["api.test", "evil.test", "api.test"])
    #expect(sent.map { $0.headers[.authorization] != nil } == [true, false, false])
    #expect(sent.map { $0.headers["X-Api-Key"] } == ["hidden", nil, nil])
    // A request that is recreated for the first origin stays cross-origin.
    mock.stub { Response(status: .ok, url: $0.url) }
    let anew = try connection().pages(
      "https://evil.test/x",
      next: { page, _ in
        page.url.host() == "evil.test" ? try Request("https://api.test/v2/back") : nil
      })
    for try await _ in anew {}
    #expect(mock.recorded.last?.request.headers[.authorization] == nil && mock.recorded.last?.request.isCrossOrigin == true)
  }
}
