import Faraday
import FaradayResting
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// ``RestingClient/upload(_:onProgress:)``: what arrives, what is told, and what may be sent again.
@Suite struct RestingUploadTests {
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func client(_ tested: TestedAdapter, _ interceptors: any Middleware...) throws -> RestingClient {
    try RestingClient(server.url, adapter: tested.adapter, interceptors: interceptors)
  }

  private func file(_ file: TemporaryFile) -> RestingRequest<FormFile, Uploaded> {
    RestingRequest(endpoint: Endpoint(.put, "/upload?hash=1", encoding: .file), body: FormFile(file.path))
  }

  private func form<Output>(_ file: TemporaryFile, to path: String = "/upload?hash=1") -> RestingRequest<Portrait, Output> {
    RestingRequest(
      endpoint: Endpoint(.post, path, encoding: .multipartFormData),
      body: Portrait(file: FormFile(file.path, filename: "ada.jpg")))
  }

  // MARK: what goes wrong

  @Test func `an upload that failed was never told to be whole`() async throws {
    let mock = MockAdapter(isStrict: false, capabilities: .all.subtracting(.uploadProgress))
    let client = try RestingClient("http://host", adapter: mock)
    let progress = Log<TransferProgress>()
    let request = try file(TemporaryFile(pattern(10)))
    await #expect(throws: UnencodableBody.self) { try await client.upload(request) { progress.append($0) } }
    let there = try TemporaryFile(pattern(10))
    await #expect(throws: UnexpectedStatus.self) { try await client.upload(file(there)) { progress.append($0) } }
    #expect(progress.elements.isEmpty && mock.recorded.count == 1)
  }

  @Test(arguments: TestedAdapter.allCases) func `a cancelled upload ends`(tested: TestedAdapter) async throws {
    // The server takes an hour and more for it.
    let large = try TemporaryFile(pattern(5_000_000))
    let slow = RestingRequest(
      endpoint: Endpoint<FormFile, Nothing>(.put, "/upload?rate=1000", encoding: .file), body: FormFile(large.path))
    let promise: ProgressablePromise<TypedResponse<Void>> = try client(tested).promise.upload(slow)
    let begun = Gate()
    promise.progress { _ in begun.open() }
    #expect(await begun.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an error of an upload is the promise's too`(tested: TestedAdapter) async throws {
    let request = RestingRequest(endpoint: Endpoint<User, User>(.post, "/upload", encoding: .json), body: User(name: "Ada"))
    let promise: ProgressablePromise<TypedResponse<User>> = try client(tested).promise.upload(request)
    let error = await #expect(throws: UndecodableBody.self) { try await promise.value }
    #expect(error?.path == "name" && error?.method == .post)
  }

  // MARK: forms and files

  @Test(arguments: TestedAdapter.allCases)
  func `RK-05: a form arrives, and says how far it is`(tested: TestedAdapter) async throws {
    let picture = try TemporaryFile(pattern(1_000_000))
    let progress = Log<TransferProgress>()
    let uploaded: Uploaded = try await client(tested).upload(form(picture)) { progress.append($0) }.value
    #expect(uploaded.bytes > 1_000_000 && uploaded.framing == "length")
    #expect(progress.elements.last == TransferProgress(bytes: uploaded.bytes, total: uploaded.bytes))
    let promised = Log<TransferProgress>()
    let promise: ProgressablePromise<TypedResponse<Uploaded>> = try client(tested).promise.upload(form(picture))
    promise.progress { promised.append($0) }
    let bytes = try await promise.map(\.value.bytes).value
    #expect(promised.elements.last == TransferProgress(bytes: bytes, total: bytes) && bytes > 1_000_000)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-06: so does one whose output is optional or nothing`(tested: TestedAdapter) async throws {
    let picture = try TemporaryFile(pattern(100_000))
    let client = try client(tested)
    let wholes = Log<TransferProgress>()
    let noteWhole: ProgressHandler = { if $0.fraction == 1 { wholes.append($0) } }
    let wanted: RestingRequest<Portrait, Uploaded?> = form(picture)
    let bytes = try await client.upload(wanted, onProgress: noteWhole).value?.bytes
    #expect(wholes.elements.map(\.bytes) == [bytes])
    let none: RestingRequest<Portrait, Uploaded?> = form(picture, to: "/status/204")
    #expect(try await client.upload(none, onProgress: noteWhole).value == nil)
    let nothing: RestingRequest<Portrait, Nothing> = form(picture)
    let response: TypedResponse<Void> = try await client.upload(nothing, onProgress: noteWhole)
    #expect(response.status == .ok && wholes.elements.count == 3)
    let optional: ProgressablePromise<TypedResponse<Uploaded?>> = client.promise.upload(none)
    #expect(try await optional.value.value == nil)
    let void: ProgressablePromise<TypedResponse<Void>> = client.promise.upload(nothing)
    #expect(try await void.value.status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a file is sent from where it is, with its length`(tested: TestedAdapter) async throws {
    let whole = try TemporaryFile(pattern(3_000_000))
    let paths = Log<String?>()
    let looking = MiddlewareClosure { request, next in
      paths.append(request.body.file?.path)
      return try await next(request)
    }
    let progress = Log<TransferProgress>()
    let uploaded = try await client(tested, looking).upload(file(whole)) { progress.append($0) }.value
    #expect(uploaded.bytes == 3_000_000 && uploaded.framing == "length" && paths.elements == [whole.path])
    #expect(progress.elements.last == TransferProgress(bytes: 3_000_000, total: 3_000_000))
    #expect(FileManager.default.fileExists(atPath: whole.path))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor that sends again sends all of it again`(tested: TestedAdapter) async throws {
    let answers = Log<Data>()
    let twice = MiddlewareClosure { request, next in
      #expect(request.body.isStreamed && request.body.length != nil)
      for _ in 0..<2 { answers.append(try await next(request).body.collect()) }
      return try await next(request)
    }
    let whole = try TemporaryFile(pattern(500_000))
    let client = try client(tested, twice)
    let alone = try await client.upload(file(whole)).value
    let inForm: Uploaded = try await client.upload(form(whole)).value
    let uploaded = try answers.elements.map { try JSONDecoder().decode(Uploaded.self, from: $0) }
    #expect(uploaded == [alone, alone, inForm, inForm] && alone.bytes == 500_000 && inForm.bytes > 500_000)
  }

  // MARK: other encodings

  @Test(arguments: TestedAdapter.allCases)
  func `JSON, forms and queries are uploaded too`(tested: TestedAdapter) async throws {
    let client = try client(tested)
    for (encoding, body, type) in [
      (RequestEncoding.json, #"{"age":36,"name":"Ada"}"#, ["application/json"]),
      (.formURLEncoded, "name=Ada&age=36", ["application/x-www-form-urlencoded"]), (.query, "", []),
    ] {
      let progress = Log<TransferProgress>()
      let request = RestingRequest(
        endpoint: Endpoint<User, JSONValue>(.post, "/inspect", encoding: encoding), body: User(name: "Ada"))
      let seen = try await Inspected(client.upload(request) { progress.append($0) }.response)
      #expect(seen.bodyText == body && seen.values("Content-Type") == type)
      #expect(seen.target == (encoding == .query ? "/inspect?name=Ada&age=36" : "/inspect"))
      #expect(progress.elements.last == TransferProgress(bytes: Int64(body.utf8.count), total: Int64(body.utf8.count)))
    }
  }

  // MARK: progress

  @Test(arguments: TestedAdapter.allCases)
  func `an upload of no bytes is whole`(tested: TestedAdapter) async throws {
    let progress = Log<TransferProgress>()
    let empty = try TemporaryFile(Data())
    #expect(try await client(tested).upload(file(empty)) { progress.append($0) }.value.bytes == 0)
    #expect(progress.elements == [TransferProgress(bytes: 0, total: 0)])
    let promised = Log<TransferProgress>()
    let nothing = RestingRequest(endpoint: Endpoint<Nothing, Nothing>(.post, "/echo", encoding: .query))
    let promise: ProgressablePromise<TypedResponse<Void>> = try client(tested).promise.upload(nothing)
    promise.progress { promised.append($0) }
    _ = try await promise.value
    #expect(promised.elements == [TransferProgress(bytes: 0, total: 0)])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `each attempt of an interceptor that sends twice is told from 0 again`(tested: TestedAdapter) async throws {
    let whole = TransferProgress(bytes: 3_000_000, total: 3_000_000)
    // Nil is where an attempt begins.
    let progress = Log<TransferProgress?>()
    let twice = MiddlewareClosure { request, next in
      progress.append(nil)
      _ = try await next(request)
      progress.append(nil)
      return try await next(request)
    }
    let sent = try TemporaryFile(pattern(3_000_000))
    _ = try await client(tested, twice).upload(file(sent)) { progress.append($0) }
    let attempts = progress.elements.split(separator: nil).map { $0.compactMap(\.self) }
    #expect(attempts.count == 2)
    for attempt in attempts {
      #expect(attempt.first != whole && attempt.last == whole)
      #expect(zip(attempt, attempt.dropFirst()).allSatisfy { $0.bytes < $1.bytes })
    }
  }

  @Test func `an adapter that tells of no progress does not keep it from being whole`() async throws {
    let mock = MockAdapter(isStrict: false, capabilities: .all.subtracting(.uploadProgress))
    try mock.stub(.put, path: "/upload", body: #"{"bytes": 10, "framing": "length"}"#)
    let client = try RestingClient("http://host", adapter: mock)
    let progress = Log<TransferProgress>()
    let ten = try TemporaryFile(pattern(10))
    _ = try await client.upload(file(ten)) { progress.append($0) }
    #expect(progress.elements == [TransferProgress(bytes: 10, total: 10)])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor that wants to know how far it is does not take that from the caller`(tested: TestedAdapter) async throws {
    let own = Log<TransferProgress>()
    let curious = MiddlewareClosure { request, next in
      var request = request
      let told = request.options.onUploadProgress
      request.options.onUploadProgress = {
        own.append($0)
        told?($0)
      }
      return try await next(request)
    }
    let progress = Log<TransferProgress>()
    let whole = try TemporaryFile(pattern(100_000))
    _ = try await client(tested, curious).upload(file(whole)) { progress.append($0) }
    #expect(own.elements == progress.elements && own.elements.last?.bytes == 100_000)
  }
}
