import Dispatch
import Faraday
import FaradayTesting
import Synchronization
import TestSupport
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.serialized) struct PerformTests {
  struct Thing: Codable, Equatable, Sendable {
    var name: String
    var parts: [Part] = []
    struct Part: Codable, Equatable, Sendable { var count: Int }
  }

  private func answer(_ body: String, status: Int = 200) throws -> MockServer {
    try MockServer { _ in .text(body, type: .json, status: HTTPResponse.Status(code: status)) }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RQ-54, RQ-56, RQ-57: a failed connection and a malformed response are transport errors`(tested: TestedAdapter)
    async throws
  {
    let connection = Connection(adapter: tested.adapter)
    let refused = try RefusedPort()
    let error = await #expect(throws: TransportError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: "http://127.0.0.1:\(refused.port)", receiving: .text))
    }
    #expect(error?.code == .connectionFailed)
    #expect(error?.partialResponse == nil)
    let silent = try MockServer { _ in .failure(.connectionClosed) }
    let nothing = await #expect(throws: TransportError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(.post, baseURL: silent.url, receiving: .text))
    }
    #expect(nothing?.partialResponse == nil)
    let wrong = try MockServer { _ in .garbage("SSH-2.0-OpenSSH_9.2\r\n\r\n") }
    await #expect(throws: TransportError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: wrong.url, receiving: .text))
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RQ-55: a decoding error has the response, the field, the type and the decoder's error`(tested: TestedAdapter)
    async throws
  {
    let server = try answer(#"{"name": "a", "parts": [{"count": 1}, {"count": "two"}]}"#)
    let connection = Connection(adapter: tested.adapter)
    let error = await #expect(throws: BodyDecodingError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: server.url, endpoint: "thing", receiving: .json(Thing.self)))
    }
    #expect(error?.response?.status == .ok)
    #expect(error?.path == "parts.1.count")
    #expect(error?.underlying is DecodingError)
    #expect(
      error?.description
        == "GET \(server.url)/thing: cannot decode Thing from the 200 response (application/json): `parts.1.count` is not of type Int"
    )
    struct Own: Error {}
    let own = await #expect(throws: BodyDecodingError.self) { () async throws in
      _ = try await connection.perform(
        TypedRequest(baseURL: server.url, receiving: ResponseDecoder<Int> { _ in throw Own() }))
    }
    #expect(own?.underlying is Own)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RQ-60: a rejected response is an error with the response, and a validator's error is thrown unchanged`(
    tested: TestedAdapter
  )
    async throws
  {
    let server = try answer("[]", status: 404)
    let connection = Connection(adapter: tested.adapter)
    let request = TypedRequest(baseURL: server.url, receiving: .json([Int].self))
    let unexpected = await #expect(throws: StatusError.self) { () async throws in _ = try await connection.perform(request) }
    #expect(unexpected?.status == .notFound)
    #expect(unexpected?.response.body.data == Data("[]".utf8))
    let refused = await #expect(throws: ResponseValidationError.self) { () async throws in
      _ = try await connection.perform(request.validating(ResponseValidator { _ in false }))
    }
    #expect(refused?.response.status == .notFound)
    struct Own: Error {}
    await #expect(throws: Own.self) { () async throws in
      _ = try await connection.perform(request.validating(ResponseValidator { _ in throw Own() }))
    }
    for validator in [ResponseValidator.any, .status([200, 404]), .status(.codes(400..<500)), ResponseValidator { _ in true }] {
      #expect(try await connection.perform(request.validating(validator)).value == [])
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RQ-53: success returns the resource and its response`(tested: TestedAdapter) async throws {
    let thing = Thing(name: "Ada", parts: [.init(count: 2)])
    let server = try answer(#"{"name": "Ada", "parts": [{"count": 2}]}"#, status: 201)
    let done = try await Connection(adapter: tested.adapter).perform(
      AnonymousRequestProvider(baseURL: server.url).post(.json(thing), to: "things").receiving(.json(Thing.self)))
    #expect(done.value == thing)
    #expect(done.status == .created)
    #expect(done.headers.contentType == .json)
    #expect(done.response.url.absoluteString == "\(server.url)/things")
    #expect(done.map(\.name).value == "Ada")
    #expect(server.recorded.map { $0.headers[.contentType] } == ["application/json"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RQ-52: a promise calls back on the given queue for every outcome`(tested: TestedAdapter)
    async throws
  {
    let key = DispatchSpecificKey<Int>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: 7)
    let server = try answer("[1]")
    let connection = Connection(adapter: tested.adapter)
    let refused = try RefusedPort()
    for base in [server.url, "http://127.0.0.1:\(refused.port)"] {
      for decoder in [ResponseDecoder.json([Int].self).erased, ResponseDecoder.json(Thing.self).erased] {
        let promise = connection.promise { try await $0.perform(TypedRequest(baseURL: base, receiving: decoder)) }
        let place = try await Promise<Int?> { resolver in
          promise.onComplete(on: .queue(queue)) { _ in resolver.fulfill(DispatchQueue.getSpecific(key: key)) }
        }.value
        #expect(place == 7)
      }
    }
  }

  @Test(arguments: TestedAdapter.allCases) @MainActor
  func `RQ-58: decoding runs off the caller's actor`(tested: TestedAdapter) async throws {
    let server = try answer("[1]")
    // The main queue has no thread of its own on Linux, so the thread proves nothing.
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    #expect(DispatchQueue.getSpecific(key: key) == true)
    let isOnMain = ResponseDecoder<Bool> { _ in DispatchQueue.getSpecific(key: key) == true }
    let done = try await Connection(adapter: tested.adapter).perform(TypedRequest(baseURL: server.url, receiving: isOnMain))
    #expect(!done.value)
  }

  @Test func `an error of a decoder inside a custom decoder is thrown unchanged`() async throws {
    let mock = MockAdapter()
    mock.stub { _ in
      true
    } respond: {
      Response(status: .ok, body: "[1]", url: $0.url)
    }
    let connection = try Connection("http://host/", adapter: mock)
    let large = ResponseDecoder<Int> { try await $0.body.collect(upTo: 1).count }
    await #expect(throws: BodyError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: "http://host", receiving: large))
    }
    let inner = ResponseDecoder<Int> { try await $0.decode([String].self).count }
    let error = await #expect(throws: BodyDecodingError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: "http://host", receiving: inner))
    }
    #expect(error?.type == "Array<String>" && error?.path == "0")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `errors of reading the body are thrown unchanged`(tested: TestedAdapter) async throws {
    struct Broken: Error {}
    let server = try answer("[1]")
    let connection = Connection(
      adapter: tested.adapter,
      middleware: [
        .closure { request, next in
          var response = try await next(request)
          response.body = .stream(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) })
          return response
        }
      ])
    await #expect(throws: Broken.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: server.url, receiving: .text))
    }
    await #expect(throws: Broken.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: server.url, receiving: .json([Int].self)))
    }
    await #expect(throws: Broken.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: server.url, receiving: .data))
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `fields of an authentication provider are not sent cross-origin, whatever their names`(tested: TestedAdapter) async throws
  {
    let key = try #require(HTTPField.Name("X-Own"))
    let other = try answer("[]")
    let server = try MockServer(.redirect(to: other.url + "/elsewhere"))
    let connection = Connection(adapter: tested.adapter, middleware: .standard)
    let request = TypedRequest(baseURL: server.url, receiving: .json([Int].self))
      .authorized(with: CredentialsProvider { headers in headers[key] = "hidden" })
    #expect(try await connection.perform(request).value == [])
    #expect(server.recorded.map { $0.headers[key] } == ["hidden"])
    #expect(other.recorded.map(\.line) == ["GET /elsewhere"])
    #expect(!other.recorded.contains { $0.headers.contains { $0.value.contains("hidden") } })
    #expect(try !request.request().curlCommand.contains("hidden"))
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RQ-59: a request in flight can be cancelled`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let arrived = Gate()
    let connection = Connection(adapter: tested.adapter)
    let request = TypedRequest(baseURL: server.url, endpoint: "stall/body").configured { options in
      options.onChunk = { _ in
        arrived.open()
        return .continue
      }
    }
    let promise = connection.promise { try await $0.perform(request) }
    #expect(await arrived.opened())
    promise.cancel()
    await #expect(throws: CancellationError.self) { try await promise.value.value }
    await until { server.openConnectionCount == 0 }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a promise and the request's own handler both get the upload's progress`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let (told, reported) = (Log<Int64>(), Log<TransferProgress>())
    let connection = Connection(adapter: tested.adapter)
    let request = TypedRequest(.put, baseURL: server.url, endpoint: "upload", receiving: .text)
      .sending(.data(Data(repeating: 1, count: 1 << 20))).configured { $0.onUploadProgress = { told.append($0.bytes) } }
    let promise = connection.promise { try await $0.perform(request, onProgress: $1) }
    promise.progress { reported.append($0) }
    #expect(try await promise.value.value.contains("1048576"))
    #expect(told.elements.last == 1 << 20)
    #expect(reported.elements.last?.fraction == 1)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an optional is nil for an empty body, Void ignores the body, and other types need one`(
    tested: TestedAdapter
  ) async throws {
    let empty = try answer("")
    let connection = Connection(adapter: tested.adapter)
    let request = TypedRequest(baseURL: empty.url)
    #expect(try await connection.perform(request.receiving(.json(Thing?.self))).value == nil)
    #expect(try await connection.perform(request.receiving(.text)).value == "")
    try await connection.perform(request).value
    let error = await #expect(throws: BodyDecodingError.self) { () async throws in
      _ = try await connection.perform(request.receiving(.json(Thing.self)))
    }
    #expect((error?.underlying as? BodyError)?.reason == .empty)
    let null = try answer("null")
    await #expect(throws: BodyDecodingError.self) { () async throws in
      _ = try await connection.perform(TypedRequest(baseURL: null.url, receiving: .json(Thing?.self)))
    }
    let garbage = try answer("garbage")
    try await connection.perform(TypedRequest(baseURL: garbage.url)).value
  }

  @Test(arguments: TestedAdapter.allCases)
  func `invalid bytes for an encoding are an error that names the encoding`(tested: TestedAdapter) async throws {
    let server = try MockServer { _ in .status(.ok, body: .data(Data([0xFF, 0xE9]))) }
    let connection = Connection(adapter: tested.adapter)
    let request = TypedRequest(baseURL: server.url, receiving: .text)
    let error = await #expect(throws: BodyDecodingError.self) { () async throws in _ = try await connection.perform(request) }
    #expect(error?.underlying as? BodyError == BodyError(.undecodableText(charset: "utf-8")))
    #expect(try await connection.perform(request.receiving(.text(encoding: .isoLatin1))).value == "ÿé")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a streamed response can be read by the caller`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let done = try await Connection(adapter: tested.adapter).perform(
      TypedRequest(baseURL: server.url, endpoint: "bytes/100000", receiving: .response).configured { $0.delivery = .streamed })
    var count = 0
    for try await piece in done.value.body { count += piece.count }
    #expect(count == 100_000)
  }
}

extension ResponseDecoder {
  /// A decoder that only records that it was called.
  fileprivate var erased: ResponseDecoder<Bool> {
    ResponseDecoder<Bool> { response in
      _ = try await self.decode(response)
      return true
    }
  }
}
