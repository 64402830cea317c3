import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct LoadingTests {
  private struct User: Codable, Equatable { var name = "Ada" }
  private struct Nested: Codable, Equatable {
    var user = User()
    var list = [1, 2]
  }

  /// The outcomes that the callbacks of one load got.
  private final class Called<Value: Sendable>: Sendable {
    let outcomes = Log<Result<Value, any Error>>()
    let gate = Gate()

    func take(_ outcome: Result<Value, any Error>) {
      outcomes.append(outcome)
      gate.open()
    }
  }

  // MARK: failures

  @Test(arguments: TestedAdapter.allCases)
  func `SW-14: JSON of another shape is an error that names the member and the type`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).echo().json(["name": 1])
    let error = await #expect(throws: BodyDecodingError.self) { try await resource.loadJSON(User.self) }
    #expect(error?.path == "name" && error?.type == "User" && error?.response?.status == .ok)
    #expect(
      error?.description.hasPrefix(
        "POST \(server.url)/echo: cannot decode User from the 200 response (application/json): `name` is ") == true)
    await #expect(throws: BodyDecodingError.self) { try await Example(server, tested).server.get("hello").loadJSON() }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-16: a 400 is a failure whose code is 400`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).server.get("status/400")
    let error = await #expect(throws: StatusError.self) { try await resource.loadJSON() }
    #expect(error?.status.code == 400 && error?.errorJSON == nil)
    #expect(error?.description == "GET \(server.url)/status/400: unexpected status 400")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the server's error body can be read as JSON`(tested: TestedAdapter) async throws {
    let body = #"{"error":{"code":17,"text":"no such user"}}"#
    let server = try MockServer(.text(body, type: .json, status: .notFound))
    let example = Example(server.url, ServiceNetwork(Connection(adapter: tested.adapter)))
    let error = await #expect(throws: StatusError.self) { try await example.server.get("users/1").loadJSON(User.self) }
    #expect(error?.errorJSON?["error"]?["code"]?.int == 17)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-17: a 204 decodes to nil, and is an error for a type that is not optional`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).server.get("status/204")
    #expect(try await resource.loadJSON() == nil)
    #expect(try await resource.loadJSON(User?.self) == nil)
    let error = await #expect(throws: BodyDecodingError.self) { try await resource.loadJSON(User.self) }
    #expect((error?.underlying as? BodyError)?.reason == .empty)
  }

  // MARK: values

  @Test(arguments: TestedAdapter.allCases)
  func `SW-13: JSON is decoded as a type`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    #expect(try await Example(server, tested).echo().json(Nested()).loadJSON(Nested.self) == Nested())
  }

  @Test(arguments: TestedAdapter.allCases)
  func `SW-15: JSON is decoded without a type`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let json = try await Example(server, tested).inspect().loadJSON()
    #expect(json?["method"]?.string == "GET" && json?["origin"] == nil)
    #expect(try await Example(server, tested).echo().json(["origin": "here"]).loadJSON()?["origin"]?.string == "here")
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the Accept of JSON is sent unless the resource has one`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    #expect(try await example.inspect().inspected().values("Accept") == ["application/json"])
    #expect(try await example.inspect().header("Accept", "text/json").inspected().values("Accept") == ["text/json"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a streamed body can be read by the caller`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let resource = Example(server, tested).server.get("bytes/1000").configured { $0.delivery = .streamed }
    let response = try await resource.load()
    #expect(response.body.isStreamed)
    #expect(try await response.body.collect().count == 1000)
  }

  // MARK: promises and callbacks

  @Test(arguments: TestedAdapter.allCases)
  func `a promise has the outcome of the asynchronous call`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let response: Promise<Response> = example.server.get("hello").promise { try await $0.load() }
    let json: Promise<JSONValue?> = example.inspect().promise { try await $0.loadJSON() }
    let user: Promise<User> = example.echo().json(User()).promise { try await $0.loadJSON(User.self) }
    let failure: Promise<Response> = example.server.get("status/500").promise { try await $0.load() }
    #expect(try await response.value.body.utf8Text() == "Hello, world!")
    #expect(try await json.value?["method"]?.string == "GET")
    #expect(try await user.map(\.name).value == "Ada")
    await #expect(throws: StatusError.self) { try await failure.value }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a failure calls one callback once`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let (any, json, typed, whole) = (Called<Response>(), Called<JSONValue?>(), Called<User>(), Called<Response>())
    let missing = example.server.get("status/404")
    await settled(
      missing.load {
        any.take(.success($0))
      } onFailure: {
        any.take(.failure($0))
      })
    await settled(
      missing.loadJSON {
        json.take(.success($0))
      } onFailure: {
        json.take(.failure($0))
      })
    await settled(
      example.echo().json(["name": 1]).loadJSON(User.self) {
        typed.take(.success($0))
      } onFailure: {
        typed.take(.failure($0))
      })
    await settled(missing.load { whole.take($0) })
    #expect(any.outcomes.elements.count == 1 && json.outcomes.elements.count == 1)
    #expect(typed.outcomes.elements.count == 1 && whole.outcomes.elements.count == 1)
    #expect(throws: StatusError.self) { try any.outcomes.elements.first?.get() }
    #expect(throws: StatusError.self) { try json.outcomes.elements.first?.get() }
    #expect(throws: BodyDecodingError.self) { try typed.outcomes.elements.first?.get() }
    #expect(throws: StatusError.self) { try whole.outcomes.elements.first?.get() }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `a success calls one callback once`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let (any, json, typed, whole) = (Called<Response>(), Called<JSONValue?>(), Called<User>(), Called<Response>())
    let echo = example.echo().json(User())
    await settled(
      echo.load {
        any.take(.success($0))
      } onFailure: {
        any.take(.failure($0))
      })
    await settled(
      echo.loadJSON {
        json.take(.success($0))
      } onFailure: {
        json.take(.failure($0))
      })
    await settled(
      echo.loadJSON(User.self) {
        typed.take(.success($0))
      } onFailure: {
        typed.take(.failure($0))
      })
    await settled(echo.load { whole.take($0) })
    #expect(try any.outcomes.elements.map { try $0.get().status } == [.ok])
    #expect(try json.outcomes.elements.map { try $0.get() } == [["name": "Ada"]])
    #expect(try typed.outcomes.elements.map { try $0.get() } == [User()])
    #expect(try whole.outcomes.elements.map { try $0.get().status } == [.ok])
  }

  @Test func `callbacks are called where the resource says`() async throws {
    let places = Log<String>()
    let context = CallbackContext { callback in
      places.append("context")
      callback()
    }
    let (response, either, value) = (Called<Response>(), Called<Response>(), Called<JSONValue?>())
    let resource = Example(MockAdapter()).server.get("a").deliverOn(context)
    resource.load { response.take($0) }
    resource.load {
      either.take(.success($0))
    } onFailure: {
      either.take(.failure($0))
    }
    resource.loadJSON {
      value.take(.success($0))
    } onFailure: {
      value.take(.failure($0))
    }
    #expect(await response.gate.opened())
    #expect(await either.gate.opened())
    #expect(await value.gate.opened())
    #expect(places.elements == ["context", "context", "context"])
  }

  /// Waits until the promise has its outcome, and so all callbacks that were added before.
  private func settled<Value>(_ promise: Promise<Value>) async {
    _ = try? await promise.value
  }
}
