import Faraday
import FaradayCurl

/// An option of libcurl by its name, which this command sets as curl does.
struct CurlSetting: Sendable, Equatable {
  enum Value: Sendable, Equatable {
    case number(Int)
    case text(String)
    /// A header field that is not to be written.
    case omission(String)
    /// The heads of answers to CONNECT are not reported.
    case noConnectHeads
  }

  let name: String
  let value: Value

  init(_ name: String, _ number: Int) { (self.name, value) = (name, .number(number)) }
  init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }

  /// Leaves out a header field that libcurl writes itself.
  init(omitting field: String) { (name, value) = ("HTTPHEADER", .omission(field)) }

  static let noConnectHeads = CurlSetting("SUPPRESS_CONNECT_HEADERS", .noConnectHeads)

  private init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }

  /// Sets those of a request before its transfer starts.
  static let customize: @Sendable (borrowing UnsafeTransfer, Request) throws -> Void = { transfer, request in
    for setting in request.options[Key.self] {
      switch setting.value {
      case .number(let number): try transfer.set(setting.name, number)
      case .text(let text): try transfer.set(setting.name, text)
      case .noConnectHeads: try transfer.suppressConnectHeads()
      case .omission(let field): try transfer.omit(field: field)
      }
    }
  }

  /// The settings of a request.
  enum Key: OptionKey { static let defaultValue: [CurlSetting] = [] }
}
