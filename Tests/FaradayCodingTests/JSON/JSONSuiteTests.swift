import FaradayCoding
import FoundationEssentials
import Testing

/// The cases of JSONTestSuite, by their names there.
@Suite struct JSONSuiteTests {
  @Test(arguments: JSONSuiteRefused.cases)
  func `the suite's invalid documents are errors`(name: String, text: String) {
    let data = JSONSuiteAccepted.bytes(text)
    let error = #expect(throws: JSONError.self, "\(name)") { try JSONValue(data: data) }
    #expect(error.map { (0...data.count).contains($0.offset) } == true)
  }

  @Test(arguments: JSONSuiteAccepted.accepted)
  func `the suite's valid documents are parsed, and unchanged by writing`(name: String, text: String, written: String?) throws {
    let value = try JSONValue(data: JSONSuiteAccepted.bytes(text))
    #expect(try value.data() == JSONSuiteAccepted.bytes(written ?? text), "\(name)")
    #expect(try JSONValue(data: value.data([.prettyPrinted, .sortedKeys])) == value, "\(name)")
  }

  @Test(arguments: JSONSuiteAccepted.refused)
  func `invalid UTF-8 and unpaired surrogates are errors`(name: String, text: String, reason: JSONError.Reason) {
    let error = #expect(throws: JSONError.self, "\(name)") { try JSONValue(data: JSONSuiteAccepted.bytes(text)) }
    #expect(error?.reason == reason, "\(name)")
  }

  @Test func `the suite is complete`() {
    #expect(JSONSuiteRefused.cases.count == 188)
    #expect(JSONSuiteAccepted.accepted.count == 95 + 12 && JSONSuiteAccepted.refused.count == 23)
  }
}
