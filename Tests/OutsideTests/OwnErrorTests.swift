import Faraday
import FaradayTesting
import Testing

/// A mock adapter of another package.
private struct Strict: Adapter {
  let capabilities: Capabilities = []

  func send(_ request: Request) async throws -> Response { throw MockError(unexpected: request, stubs: ["GET /users"]) }
}

/// A limit of another package.
private struct Closed: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response {
    throw RefusedRequestError(
      .other("closed until Monday"), key: "shop", retryAfter: .seconds(60), request: RequestSummary(request))
  }
}

@Suite struct OwnErrorTests {
  @Test func `another package's mock and limit throw the errors of this package, without secrets`() async throws {
    let mock = await #expect(throws: MockError.self) {
      try await Connection("https://host/", adapter: Strict()).get("a?token=hidden")
    }
    #expect(mock?.description == "no stub matches GET https://host/a?token=[secret]; the stubs are: GET /users")
    let refused = await #expect(throws: RefusedRequestError.self) {
      try await Connection("https://host/", adapter: Strict(), middleware: [Closed()]).get("a?token=hidden")
    }
    #expect(
      refused?.description
        == "GET https://host/a?token=[secret]: not sent: shop: closed until Monday; again in 60.0 seconds")
  }

  @Test func `a cancelled task throws an error that is not a FaradayError`() async throws {
    let connection = try Connection("https://host/", adapter: MockAdapter(isStrict: false))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await connection.get()
    }
    do {
      try await task.value
      Issue.record("not cancelled")
    } catch is CancellationError {
    } catch let error as any FaradayError where error.isCancelled {
      Issue.record(error)
    }
  }
}
