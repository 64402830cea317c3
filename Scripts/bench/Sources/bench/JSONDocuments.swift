import Faraday
import Foundation

/// The documents that JSON is read from, made alike in every run, and what each reader makes of them.
struct JSONDocument {
  let name: String
  let data: Data
  /// Reads it as a type.
  let decode: (Data) throws -> Void

  static func all(quick: Bool) -> [JSONDocument] {
    let scale = quick ? 10 : 1
    return [
      mixed(20_000, "page of records"), mixed(10_000_000 / scale, "records"), integers(2_000_000 / scale),
      decimals(2_000_000 / scale), text(4_000_000 / scale), deep,
    ]
  }

  struct Person: Codable {
    struct Address: Codable { let street, city: String, zip: Int }
    let id: Int
    let name, email: String
    let active: Bool
    let score: Double
    let tags: [String]
    let address: Address
    let bio: String
    let manager: Int?
  }

  /// What an API answers: objects of strings, numbers and more objects.
  private static func mixed(_ size: Int, _ name: String) -> JSONDocument {
    make(name, size, as: [Person].self) { index in
      """
      {"id":\(index),"name":"Person number \(index)","email":"person\(index)@example.com","active":\(index % 2 == 0),\
      "score":\(Double(index) / 7),"tags":["alpha","beta","gamma"],"address":{"street":"\(index) Höhe Straße","city":"Zürich",\
      "zip":\(8000 + index % 100)},"bio":"She was born in 1815 and has written a program since.\\nIt was for a machine.",\
      "manager":null}
      """
    }
  }

  private static func integers(_ size: Int) -> JSONDocument {
    make("integers", size, as: [Int].self) { "\($0 &* 2_654_435_761 % 100_000_000)" }
  }

  private static func decimals(_ size: Int) -> JSONDocument {
    make("decimals", size, as: [Double].self) { "\(Double($0) / 7)" }
  }

  private static func text(_ size: Int) -> JSONDocument {
    make("text", size, as: [String].self) { "\"" + String(repeating: "a line of plain text, ", count: 20) + "\($0)\"" }
  }

  /// 8 KB: arrays in arrays, 510 deep, eight times.
  private static var deep: JSONDocument {
    struct Nest: Decodable {
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { _ = try container.decode(Nest.self) }
      }
    }
    let nest = String(repeating: "[", count: 509) + String(repeating: "]", count: 509)
    let text = "[" + Array(repeating: nest, count: 8).joined(separator: ",") + "]"
    return JSONDocument(name: "510 deep", data: Data(text.utf8)) { _ = try JSONDecoder().decode(Nest.self, from: $0) }
  }

  private static func make<Value: Decodable>(
    _ name: String, _ size: Int, as type: Value.Type, _ element: (Int) -> String
  ) -> JSONDocument {
    var data = Data("[".utf8)
    var index = 0
    while data.count < size {
      if index > 0 { data += Data(",".utf8) }
      data += Data(element(index).utf8)
      index += 1
    }
    return JSONDocument(name: name, data: data + Data("]".utf8)) { _ = try JSONDecoder().decode(type, from: $0) }
  }
}
