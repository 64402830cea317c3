import Faraday
import FaradayTesting
import Testing

/// Redaction of JSON in strings of JSON.
@Suite struct NestedJSONTests {
  private func shown(_ body: String) async throws -> String {
    let log = CapturedLog()
    let mock = MockAdapter()
    try mock.stub(.get, path: "/", body: .text(body))
    _ = try await Connection("http://host/", adapter: mock, middleware: [.logger(log.logger(), .full(bodyLimit: 1 << 20))]).get()
    return try #require(log.messages.last?.split(separator: "\n<\n< ", maxSplits: 1).last.map(String.init))
  }

  /// The text as a string of JSON, so many times.
  private func quoted(_ text: String, times: Int) throws -> String {
    try (0..<times).reduce(text) { text, _ in try JSONValue.array([.string(text)]).text() }
  }

  @Test(arguments: [
    (#"{"a":"{\"password\":\"x\",\"b\" : 1}"}"#, #"{"a":"{\"password\":\"[secret]\",\"b\" : 1}"}"#),
    (#"["\n[{\"token\": [1]}]", 2]"#, #"["\n[{\"token\": \"[secret]\"}]", 2]"#),
    (#"["\u007b\u0022\u00e9\u0022:1,\u0022key\u0022:2}"]"#, #"["{\"é\":1,\"key\":\"[secret]\"}"]"#),
    (#"["{\"a\":\"[{\\\"otp\\\":1}]\"}"]"#, #"["{\"a\":\"[{\\\"otp\\\":\\\"[secret]\\\"}]\"}"]"#),
    // As it was written, if there is no secret in it, or it is no JSON.
    (#"{"a":"{\"b\":\u0031}", "\u007b\"b\":1}": 2}"#, #"{"a":"{\"b\":\u0031}", "\u007b\"b\":1}": "[secret]"}"#),
    (
      #"["say \"password\": x", "\"token\":1", "{}", "", "\\", "{\q\"key\":1}"]"#,
      #"["say \"password\": x", "\"token\":1", "{}", "", "\\", "{\q\"key\":1}"]"#
    ),
    (#"["{\"token\":1"#, #"["{\"token\":\"[secret]\"""#),
    (#"["{\"token\":1,\"a\":\"\u00"#, #"["{\"token\":\"[secret]\",\"a\":\"""#),
  ])
  func `secrets in JSON inside a JSON string are redacted, and everything else is shown`(body: String, shown: String) async throws
  {
    #expect(try await self.shown(body) == shown)
  }

  @Test func `nested JSON strings are searched four levels deep, and deeper ones are redacted`() async throws {
    for times in 1...6 {
      let shown = try await shown(quoted(#"{"b":1,"token":"hunter2"}"#, times: times))
      if times <= 4 {
        #expect(try shown == quoted(#"{"b":1,"token":"[secret]"}"#, times: times))
      } else {
        #expect(try shown == quoted("[secret]", times: 5))
      }
    }
  }
}
