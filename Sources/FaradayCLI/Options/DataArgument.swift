import ArgumentParser
import Faraday
import Synchronization

/// The argument of one `-d`, `--data-binary` or `--data-raw`.
struct DataArgument: Sendable, Equatable {
  enum Kind: Sendable {
    /// `@file` is read and its line breaks are removed.
    case ascii
    /// `@file` is read as it is.
    case binary
    /// `@` has no special meaning.
    case raw
  }

  let kind: Kind
  let text: String
  /// The order on the command line: the parser groups arguments by option, and the body keeps their order.
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

  /// The body: all arguments joined with `&`.
  static func joined(_ arguments: [DataArgument]) throws -> Data {
    var body = Data()
    for (index, argument) in arguments.sorted(by: { $0.position < $1.position }).enumerated() {
      if index > 0 { body.append(UInt8(ascii: "&")) }
      body.append(try argument.bytes())
    }
    return body
  }
}
