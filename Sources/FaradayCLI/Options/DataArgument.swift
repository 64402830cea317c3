import ArgumentParser
import Faraday
import Synchronization

/// One `-d`, `--data-binary` or `--data-raw`.
struct DataArgument: Sendable, Equatable {
  enum Kind: Sendable {
    /// `@file` is read and its line breaks are dropped.
    case ascii
    /// `@file` is read as it is.
    case binary
    /// `@` is a character like any other.
    case raw
  }

  let kind: Kind
  let text: String
  /// The parser keeps the arguments of each option apart; the body has them in the order in which they were given.
  let position: Int

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
    position = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private static let count = Atomic(0)

  func bytes() throws -> Data {
    guard kind != .raw, text.hasPrefix("@") else { return Data(text.utf8) }
    let contents = try InputFile(name: String(text.dropFirst())).contents()
    return kind == .binary ? contents : contents.filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
  }

  /// The body that all of them make, `&` between each and the next.
  static func joined(_ arguments: [DataArgument]) throws -> Data {
    var body = Data()
    for (index, argument) in arguments.sorted(by: { $0.position < $1.position }).enumerated() {
      if index > 0 { body.append(UInt8(ascii: "&")) }
      body.append(try argument.bytes())
    }
    return body
  }
}
