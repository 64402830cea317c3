import Faraday
import Foundation

extension Target {
  /// What RFC 8259 calls JSON is read, and nothing else is but a byte order mark before it; what Foundation refuses of it are huge
  /// numbers; and what was read and written again is the same.
  static let json = Target("json") { input in
    let data = Data(input.bytes)
    let value = read(data)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let verdict = JSONGrammar.verdict(on: Array(input.bytes.starts(with: mark) ? input.bytes.dropFirst(3) : input.bytes[...]))
    expectEqual(value != nil, verdict != .none, "whether \(input.text.debugDescription) is JSON")
    if verdict == .json {
      let other = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      expect(other != nil, "\(input.text.debugDescription) is not read by Foundation")
    }
    guard let value else { return }
    let text = written(value)
    let again = read(text)
    expectEqual(again, value, "what was written and read again")
    expectEqual(again.map(written), text, "what was written again")
  }

  private static let decoding = Stack(
    [JSONDecoding()],
    adapter: Answering { request in
      Response(status: .ok, headers: [.contentType: "application/json"], body: request.body, url: request.url)
    })

  private static let encoding = Stack([JSONEncoding()], adapter: Answering { Response(status: .ok, body: $0.body, url: $0.url) })

  private static let url = URL(filePath: "/")

  static func read(_ data: Data) -> JSONValue? {
    let request = Request(url: url, body: .data(data))
    return try? immediately { try await decoding.send(request).json() }.get()
  }

  static func written(_ value: JSONValue) -> Data {
    let request = Request(url: url, body: .encodable(value))
    do { return try immediately { try await encoding.send(request) }.get().body.data ?? Data() } catch {
      fatalError("a value that was read cannot be written: \(error)")
    }
  }
}
