/// A part of Faraday that reads what others wrote, and what must hold of it whatever they wrote.
struct Target: Sendable {
  let name: String
  let run: @Sendable (Input) -> Void

  init(_ name: String, _ run: @escaping @Sendable (Input) -> Void) {
    self.name = name
    self.run = run
  }

  static let all = [
    chunks, codings, cookies, dates, events, hal, head, json, lines, link, media, multipart, paths, query, redaction, redirects,
    retryAfter, uris, frames, inflation,
  ]

  /// The one that `--target=` names.
  static let chosen: Target? = {
    let option = "--target="
    let name = CommandLine.arguments.last { $0.hasPrefix(option) }?.dropFirst(option.count)
    return all.first { $0.name == name.map(String.init) }
  }()
}

/// What the fuzzer has made up.
struct Input {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// What stands between line feeds: for targets that need more than one text, and so that a person can write and read them.
  var lines: [ArraySlice<UInt8>] { bytes.split(separator: 0x0A, omittingEmptySubsequences: false) }
}

extension [ArraySlice<UInt8>] {
  /// The line of that number from 0, as text; empty if there is none.
  func text(_ number: Int) -> String { indices.contains(number) ? String(decoding: self[number], as: UTF8.self) : "" }
}

extension String {
  /// Without spaces and tabs at its ends.
  var withoutBlanks: String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    return String(decoding: utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
  }
}

/// Ends the process, which is a finding, unless it holds.
func expect(_ holds: @autoclosure () -> Bool, _ what: @autoclosure () -> String) {
  guard !holds() else { return }
  fatalError(what())
}

func expectEqual<Value: Equatable>(_ left: Value, _ right: Value, _ what: @autoclosure () -> String) {
  expect(left == right, "\(what()): \(left) is not \(right)")
}
