import FaradayCoding
import FoundationEssentials
import Testing

/// The cases of JSONTestSuite, by their names there.
@Suite struct JSONSuiteTests {
  @Test(arguments: JSONSuiteRefused.cases)
  func `what is no JSON is an error`(name: String, text: String) {
    let data = JSONSuiteAccepted.bytes(text)
    let error = #expect(throws: MalformedJSON.self, "\(name)") { try JSONValue(data: data) }
    #expect(error.map { (0...data.count).contains($0.offset) } == true)
  }

  @Test(arguments: JSONSuiteAccepted.accepted)
  func `what is JSON is read, and is the same when it is written`(name: String, text: String, written: String?) throws {
    let value = try JSONValue(data: JSONSuiteAccepted.bytes(text))
    #expect(try value.data() == JSONSuiteAccepted.bytes(written ?? text), "\(name)")
    #expect(try JSONValue(data: value.data([.prettyPrinted, .sortedKeys])) == value, "\(name)")
  }

  @Test(arguments: JSONSuiteAccepted.refused)
  func `what is not UTF-8, and half of a surrogate pair, are errors`(name: String, text: String, reason: MalformedJSON.Reason) {
    let error = #expect(throws: MalformedJSON.self, "\(name)") { try JSONValue(data: JSONSuiteAccepted.bytes(text)) }
    #expect(error?.reason == reason, "\(name)")
  }

  @Test func `the cases are all there`() {
    #expect(JSONSuiteRefused.cases.count == 188)
    #expect(JSONSuiteAccepted.accepted.count == 95 + 12 && JSONSuiteAccepted.refused.count == 23)
  }
}
