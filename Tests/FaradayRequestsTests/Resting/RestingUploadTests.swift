import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// ``RestingClient/perform(_:onProgress:)``: uploads, their progress, and retries.
@Suite struct RestingUploadTests {
  private let server: LocalServer

  init() throws { server = try LocalServer() }

  private func client(_ tested: TestedAdapter, _ interceptors: any Middleware...) throws -> RestingClient {
    try RestingClient(server.url, adapter: tested.adapter, interceptors: interceptors)
  }

  private func file(_ file: TemporaryFile) -> RestingRequest<FormFile, Uploaded> {
    RestingRequest(endpoint: Endpoint(.put, "/upload?hash=1", encoding: .file), body: FormFile(file.path))
  }

  private func portrait(_ file: TemporaryFile) -> Portrait { Portrait(file: FormFile(file.path, filename: "ada.jpg")) }

  private func form<Output: Decodable & Sendable>(
    _ file: TemporaryFile, to path: String = "/upload?hash=1"
  ) -> RestingRequest<Portrait, Output> {
    RestingRequest(endpoint: Endpoint(.post, path, encoding: .multipartFormData), body: portrait(file))
  }

  // MARK: Errors

  @Test func `a failed upload never reports the final progress`() async throws {
    let mock = MockAdapter(isStrict: false, capabilities: .all.subtracting(.uploadProgress))
    let client = try RestingClient("http://host", adapter: mock)
    let progress = Log<TransferProgress>()
    let request = try file(TemporaryFile(pattern(10)))
    await #expect(throws: BodyEncodingError.self) { try await client.perform(request) { progress.append($0) } }
    let there = try TemporaryFile(pattern(10))
    await #expect(throws: StatusError.self) { try await client.perform(file(there)) { progress.append($0) } }
    #expect(progress.elements.isEmpty && mock.recorded.count == 1)
  }

  @Test(arguments: TestedAdapter.allCases) func `a cancelled upload ends`(tested: TestedAdapter) async throws {
    // The server takes an hour and more for it.
    let large = try TemporaryFile(pattern(5_000_000))
    let slow = RestingRequest(
      endpoint: Endpoint<FormFile, Void>(.put, "/upload?rate=1000", encoding: .file), body: FormFile(large.path))
    let promise = try client(tested).promise { try await $0.perform(slow, onProgress: $1) }
    let begun = Gate()
    promise.progress { _ in begun.open() }
    #expect(await begun.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the error of an upload is the promise's outcome`(tested: TestedAdapter) async throws {
    let request = RestingRequest(endpoint: Endpoint<User, User>(.post, "/upload", encoding: .json), body: User(name: "Ada"))
    let promise = try client(tested).promise { try await $0.perform(request, onProgress: $1) }
    let error = await #expect(throws: BodyDecodingError.self) { try await promise.value }
    #expect(error?.path == "name" && error?.method == .post)
  }

  // MARK: forms and files

  @Test(arguments: TestedAdapter.allCases)
  func `RK-05: a multipart upload is received and reports its progress`(tested: TestedAdapter) async throws {
    let picture = try TemporaryFile(pattern(1_000_000))
    let progress = Log<TransferProgress>()
    let uploaded: Uploaded = try await client(tested).perform(form(picture)) { progress.append($0) }.value
    #expect(uploaded.bytes > 1_000_000 && uploaded.framing == "length")
    #expect(progress.elements.last == TransferProgress(bytes: uploaded.bytes, total: uploaded.bytes))
    let promised = Log<TransferProgress>()
    let again: RestingRequest<Portrait, Uploaded> = form(picture)
    let promise = try client(tested).promise { try await $0.perform(again, onProgress: $1) }
    promise.progress { promised.append($0) }
    let bytes = try await promise.map(\.value.bytes).value
    #expect(promised.elements.last == TransferProgress(bytes: bytes, total: bytes) && bytes > 1_000_000)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-06: uploads with an optional output or none report their progress`(tested: TestedAdapter) async throws {
    let picture = try TemporaryFile(pattern(100_000))
    let client = try client(tested)
    let wholes = Log<TransferProgress>()
    let noteWhole: ProgressHandler = { if $0.fraction == 1 { wholes.append($0) } }
    let wanted: RestingRequest<Portrait, Uploaded?> = form(picture)
    let bytes = try await client.perform(wanted, onProgress: noteWhole).value?.bytes
    #expect(wholes.elements.map(\.bytes) == [bytes])
    let none: RestingRequest<Portrait, Uploaded?> = form(picture, to: "/status/204")
    #expect(try await client.perform(none, onProgress: noteWhole).value == nil)
    let nothing = RestingRequest(
      endpoint: Endpoint<Portrait, Void>(.post, "/upload?hash=1", encoding: .multipartFormData), body: portrait(picture))
    let response: TypedResponse<Void> = try await client.perform(nothing, onProgress: noteWhole)
    #expect(response.status == .ok && wholes.elements.count == 3)
    let optional = client.promise { try await $0.perform(none, onProgress: $1) }
    #expect(try await optional.value.value == nil)
    let void = client.promise { try await $0.perform(nothing, onProgress: $1) }
    #expect(try await void.value.status == .ok)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a file is streamed from its path with its length`(tested: TestedAdapter) async throws {
    let whole = try TemporaryFile(pattern(3_000_000))
    let paths = Log<String?>()
    let looking = MiddlewareClosure { request, next in
      paths.append(request.body.file?.path)
      return try await next(request)
    }
    let progress = Log<TransferProgress>()
    let uploaded = try await client(tested, looking).perform(file(whole)) { progress.append($0) }.value
    #expect(uploaded.bytes == 3_000_000 && uploaded.framing == "length" && paths.elements == [whole.path])
    #expect(progress.elements.last == TransferProgress(bytes: 3_000_000, total: 3_000_000))
    #expect(FileManager.default.fileExists(atPath: whole.path))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor that sends again sends the whole body again`(tested: TestedAdapter) async throws {
    let answers = Log<Data>()
    let twice = MiddlewareClosure { request, next in
      #expect(request.body.isStreamed && request.body.length != nil)
      for _ in 0..<2 { answers.append(try await next(request).body.collect()) }
      return try await next(request)
    }
    let whole = try TemporaryFile(pattern(500_000))
    let client = try client(tested, twice)
    let alone = try await client.perform(file(whole)).value
    let inForm: Uploaded = try await client.perform(form(whole)).value
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
      let seen = try await Inspected(client.perform(request) { progress.append($0) }.response)
      #expect(seen.bodyText == body && seen.values("Content-Type") == type)
      #expect(seen.target == (encoding == .query ? "/inspect?name=Ada&age=36" : "/inspect"))
      #expect(progress.elements.last == TransferProgress(bytes: Int64(body.utf8.count), total: Int64(body.utf8.count)))
    }
  }

  // MARK: progress

  @Test(arguments: TestedAdapter.allCases)
  func `an empty upload reports 0 of 0 bytes`(tested: TestedAdapter) async throws {
    let progress = Log<TransferProgress>()
    let empty = try TemporaryFile(Data())
    #expect(try await client(tested).perform(file(empty)) { progress.append($0) }.value.bytes == 0)
    #expect(progress.elements == [TransferProgress(bytes: 0, total: 0)])
    let promised = Log<TransferProgress>()
    let nothing = RestingRequest(endpoint: Endpoint<Void, Void>(.post, "/echo", encoding: .query))
    let promise = try client(tested).promise { try await $0.perform(nothing, onProgress: $1) }
    promise.progress { promised.append($0) }
    _ = try await promise.value
    #expect(promised.elements == [TransferProgress(bytes: 0, total: 0)])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `progress starts from 0 with each attempt of an interceptor`(tested: TestedAdapter) async throws {
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
    _ = try await client(tested, twice).perform(file(sent)) { progress.append($0) }
    let attempts = progress.elements.split(separator: nil).map { $0.compactMap(\.self) }
    #expect(attempts.count == 2)
    for attempt in attempts {
      #expect(attempt.first != whole && attempt.last == whole)
      #expect(zip(attempt, attempt.dropFirst()).allSatisfy { $0.bytes < $1.bytes })
    }
  }

  @Test func `the final progress is reported even if the adapter reports no progress`() async throws {
    let mock = MockAdapter(isStrict: false, capabilities: .all.subtracting(.uploadProgress))
    try mock.stub(.put, path: "/upload", body: #"{"bytes": 10, "framing": "length"}"#)
    let client = try RestingClient("http://host", adapter: mock)
    let progress = Log<TransferProgress>()
    let ten = try TemporaryFile(pattern(10))
    _ = try await client.perform(file(ten)) { progress.append($0) }
    #expect(progress.elements == [TransferProgress(bytes: 10, total: 10)])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an interceptor's progress handler does not replace the caller's`(tested: TestedAdapter) async throws {
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
    _ = try await client(tested, curious).perform(file(whole)) { progress.append($0) }
    #expect(own.elements == progress.elements && own.elements.last?.bytes == 100_000)
  }
}
