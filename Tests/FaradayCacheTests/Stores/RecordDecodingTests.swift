import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayCache

/// Records with a correct length and checksum and invalid contents, such as records of another version.
@Suite struct RecordDecodingTests {
  private func record(_ payload: Data) -> Data {
    Data("FCACHE1\n".utf8) + number(payload.count) + number(payload.withUnsafeBytes { XXHash64.hash($0) }) + payload
  }

  private func number(_ value: some BinaryInteger) -> Data { withUnsafeBytes(of: UInt64(value).littleEndian) { Data($0) } }
  private func text(_ value: String) -> Data { number(value.utf8.count) + Data(value.utf8) }

  private func response(
    code: UInt64 = 200, fields: Int = 1, name: String = "a", extra: Data = Data(), bodyLength: UInt64 = 2
  ) -> Data {
    let head = number(1 as UInt64) + number(code) + text("OK") + number(1) + number(1) + number(0) + number(0) + number(fields)
    let names = (0..<fields).reduce(into: Data()) { data, _ in data += text(name) + text("1") }
    return head + names + number(bodyLength) + Data("ok".utf8) + extra
  }

  private func index(varies: Int, names: Int, extra: Data = Data()) -> Data {
    let vary = number(names) + (0..<names).reduce(into: Data()) { data, _ in data += text("a") }
    return number(0 as UInt64) + text("generation") + number(varies)
      + (0..<varies).reduce(into: Data()) { data, _ in data += vary }
      + extra
  }

  @Test func `a well-formed record is decoded`() throws {
    let read = try #require(try CacheRecord(decoding: record(response())).response)
    #expect(read.status.code == 200 && read.body == Data("ok".utf8) && read.headers.count == 1 && read.version == .http1_1)
    #expect(try CacheRecord(decoding: record(index(varies: 2, names: 3))).index?.varies.count == 2)
    #expect(try CacheRecord(decoding: record(index(varies: 1024, names: 0))).index?.varies.count == 1024)
  }

  @Test func `numbers out of range are rejected`() {
    let wrong = [
      response(code: 199), response(code: 1000), response(code: .max), response(name: "a b"), response(fields: 65_535),
      response(extra: Data([0])), response(bodyLength: 1), response(bodyLength: 3), response(bodyLength: .max),
      index(varies: 1025, names: 0), index(varies: 1, names: 1025), index(varies: 1, names: 1, extra: Data([0])), number(2),
      Data(),
    ]
    for payload in wrong {
      #expect(throws: StoreError(.invalidRecord)) { try CacheRecord(decoding: record(payload)) }
    }
  }

  @Test func `a record that is truncated at any byte is rejected`() {
    for whole in [response(), index(varies: 2, names: 2)] {
      for end in whole.indices {
        #expect(throws: StoreError(.invalidRecord)) { try CacheRecord(decoding: record(whole.prefix(end))) }
      }
    }
  }
}
