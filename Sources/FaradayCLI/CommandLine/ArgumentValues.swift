import Faraday

/// The numbers of the command line, as curl reads them.
enum NumberArgument {
  /// A decimal number.
  static func integer(_ text: String, in range: ClosedRange<Int> = 0...Int.max) throws -> Int {
    guard text.wholeMatch(of: #/[-+]?[0-9]+/#) != nil else { throw OptionProblem.notANumber }
    guard let number = Int(text), number <= range.upperBound else { throw OptionProblem.tooLarge }
    guard number >= range.lowerBound else { throw OptionProblem.negative }
    return number
  }

  /// A number of seconds or milliseconds, up to a billion.
  static func count(_ text: String) throws -> Int { try integer(text, in: 0...1_000_000_000) }

  /// Parses decimal seconds, rounded up to milliseconds. Returns nil for zero, which means no limit.
  static func seconds(_ text: String) throws -> Duration? {
    if text.wholeMatch(of: #/-[0-9.]*/#) != nil { throw OptionProblem.negative }
    guard text.wholeMatch(of: #/[0-9.]+/#) != nil, let seconds = Double(text) else { throw OptionProblem.notANumber }
    guard seconds <= 1e9 else { throw OptionProblem.tooLarge }
    return seconds == 0 ? nil : .milliseconds(Int64((seconds * 1000).rounded(.up)))
  }

  /// Parses a number of bytes with a unit: B, K, M, G, T or P, each 1024 times the previous unit.
  static func size(_ text: String) throws -> Int64 {
    guard let match = text.wholeMatch(of: #/([0-9]+)([bkmgtpBKMGTP]?)/#) else { throw OptionProblem.badUse }
    let power = ["k": 1, "m": 2, "g": 3, "t": 4, "p": 5][match.2.lowercased()] ?? 0
    guard let number = Int64(match.1) else { throw OptionProblem.tooLarge }
    let (size, overflows) = number.multipliedReportingOverflow(by: Int64(1) << (10 * power))
    guard !overflows else { throw OptionProblem.tooLarge }
    return size
  }

  /// Parses `8000` or `8000-8100`. Returns nil, which means any port, if the first port is 0.
  static func ports(_ text: String) throws -> ClosedRange<UInt16>? {
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimming() }
    guard let first = UInt16(ends[0]), let last = ends.count == 1 ? first : UInt16(ends[1]), first <= last else {
      throw OptionProblem.badUse
    }
    return first == 0 ? nil : first...last
  }
}

/// Dates: HTTP dates, `22 Nov 2026`, `22 Nov 2026 12:00:00 GMT`, `2026-11-22`, `20261122 12:00:00`, and times with
/// a zone: `22 Nov 2026 12:00:00 +0100`.
enum DateArgument {
  private static let names = HTTPDate.months + ["mon", "tue", "wed", "thu", "fri", "sat", "sun", "gmt", "utc"]

  /// The seconds since 1970. Nil if the text is not a date, or has a named time zone other than GMT.
  static func seconds(_ text: String) -> Int? {
    // A server's text can be as long as its head.
    guard text.utf8.count < 100 else { return nil }
    guard let match = text.wholeMatch(of: #/(.*[0-9]:[0-9]+)\s*([-+])([0-9]{2}):?([0-9]{2})/#) else {
      return secondsOfUTC(text)
    }
    guard let hours = Int(match.3), let minutes = Int(match.4), hours < 24, minutes < 60 else { return nil }
    let offset = (hours * 60 + minutes) * 60
    return secondsOfUTC(String(match.1)).map { match.2 == "-" ? $0 + offset : $0 - offset }
  }

  private static func secondsOfUTC(_ text: String) -> Int? {
    var text = text
    if let match = text.wholeMatch(of: #/([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[ T]([0-9:]+)Z?)?/#) {
      guard let month = Int(match.2), (1...12).contains(month) else { return nil }
      text = "\(match.3) \(HTTPDate.months[month - 1]) \(match.1) \(match.4 ?? "")"
    }
    let words = text.lowercased().split { " ,-\t".contains($0) }
    let areKnown = words.allSatisfy { word in word.first?.isNumber == true || names.contains { word.hasPrefix($0) } }
    guard areKnown, !text.contains(#/\s[-+][0-9]/#) else { return nil }
    switch text.count(where: { $0 == ":" }) {
    case 0: text += " 00:00:00"
    case 1: text.replace(#/:[0-9]+/#) { $0.output + ":00" }
    default: break
    }
    return HTTPDate.parse(text).map { Int($0.timeIntervalSince1970) }
  }

  /// Formats an HTTP date: `Sun, 22 Nov 2026 12:00:00 GMT`.
  static func text(of seconds: Int) -> String {
    var (seconds, parts) = (time_t(seconds), tm())
    gmtime_r(&seconds, &parts)
    return formatted(parts, "%a, %d %b %Y %H:%M:%S GMT")
  }

  /// Formats a time as `strftime` does, in the C locale: the program sets no other.
  static func formatted(_ parts: tm, _ format: String) -> String {
    var parts = parts
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { strftime($0, text.count, format, &parts) } ?? 0
      }
    }
  }
}

/// The schemes that `--proto` and `--proto-redir` allow: `=https`, `-http`, `+all`, separated by commas.
struct ProtocolSet: Sendable, Equatable {
  private static let known: Set<String> = ["http", "https"]

  private(set) var allowed = known

  func allows(_ scheme: String?) -> Bool { scheme.map { allowed.contains($0.lowercased()) } ?? false }

  /// Applies the argument of an option to this set. Returns the unknown names, which allow no protocol.
  mutating func apply(_ text: String) -> [String] {
    let items = text.split(separator: ",").map { (sign: $0.first, name: $0.drop { "=+-".contains($0) }.lowercased()) }
    for (sign, name) in items {
      let names = name == "all" ? Self.known : Self.known.intersection([name])
      switch sign {
      case "=": allowed = names
      case "-": allowed.subtract(names)
      default: allowed.formUnion(names)
      }
    }
    return items.map(\.name).filter { $0 != "all" && !Self.known.contains($0) }
  }
}

/// The network options of a command line. An invalid one throws curl's error.
enum NetworkArguments {
  /// `--resolve`: `[+]host:port:address[,address]…`; `-host:port` removes an earlier one.
  static func resolve(_ text: String, in network: inout Network) throws {
    if text.hasPrefix("-") {
      network.hostOverrides.removeAll { "-\($0.host):\($0.port ?? 0)".lowercased() == text.lowercased() }
    } else {
      network.hostOverrides.append(try hostOverride(text))
    }
  }

  /// Parses `[+]host:port:address[,address]…`.
  static func hostOverride(_ text: String) throws -> HostOverride {
    let match = text.wholeMatch(of: #/\+?(?:\[([^\]]+)\]|([^:]+)):([0-9]+):(.+)/#)
    let addresses = match?.4.split(separator: ",").map { $0.filter { $0 != "[" && $0 != "]" } } ?? []
    guard let match, let host = match.1 ?? match.2, let port = UInt16(match.3), !addresses.isEmpty,
      addresses.allSatisfy({ IPAddress($0) != nil })
    else { throw CommandFailure(49, "Couldn't parse CURLOPT_RESOLVE entry '\(text)'") }
    return HostOverride(String(host), port: Int(port), addresses: addresses)
  }

  /// Parses `host1:port1:host2[:port2]`. Each part may be empty. Returns nil if neither host2 nor port2 is given.
  static func connectTo(_ text: String) throws -> ConnectTo? {
    let match = text.wholeMatch(of: #/(?:\[([^\]]*)\]|([^:]*)):([^:]*):(?:\[([^\]]*)\]|([^:]*))(?::(.*))?/#)
    guard let match else { return nil }
    let (host, toHost) = (match.1 ?? match.2 ?? "", match.4 ?? match.5 ?? "")
    let (port, toPort) = (match.3, match.6 ?? "")
    guard !toHost.isEmpty || !toPort.isEmpty else { return nil }
    guard port.isEmpty || UInt16(port) != nil else {
      throw CommandFailure(49, "Couldn't parse CURLOPT_CONNECT_TO entry '\(text)'")
    }
    guard toPort.isEmpty || UInt16(toPort) != nil else {
      throw CommandFailure(49, "No valid port number in connect to host string (\(toPort))")
    }
    return ConnectTo(
      host: host.isEmpty ? nil : String(host), port: Int(port), toHost: toHost.isEmpty ? nil : String(toHost),
      toPort: Int(toPort))
  }
}

/// The bytes of the command's arguments. `CommandLine.arguments` replaces bytes that are not UTF-8.
enum ArgumentBytes {
  /// Whether an argument has bytes that are not UTF-8.
  static func areBytes(_ text: String) -> Bool {
    text.unicodeScalars.contains("\u{FFFD}") && candidates(text).contains { String(validating: $0, as: UTF8.self) == nil }
  }

  /// Throws if an argument has bytes that are not UTF-8.
  static func requireUTF8(_ texts: [String]) throws {
    guard !texts.contains(where: areBytes) else { throw UsageFailure("an argument is not UTF-8") }
  }

  /// Returns the bytes of an argument, or of the part of an argument behind an option's letters.
  ///
  /// Not for texts of configuration files.
  static func of(_ text: String) -> [UInt8] {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return Array(text.utf8) }
    return candidates(text).first ?? Array(text.utf8)
  }

  /// Whether arguments with different bytes have the same text, so that it is unknown whose text it is.
  static func areAmbiguous(_ text: String) -> Bool { Set(candidates(text)).count > 1 }

  /// The bytes of all arguments, and parts of arguments behind letters of options, that have this text.
  private static func candidates(_ text: String) -> [[UInt8]] {
    let arguments = (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
    }
    func isText(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
      String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(text.utf8)
    }
    let whole = arguments.filter { isText($0[...]) }.map { Array($0) }
    let maximumLetters = 64
    let parts = arguments.filter { $0.first == UInt8(ascii: "-") }.flatMap { argument in
      argument.indices.dropFirst(2).prefix(maximumLetters).filter { isText(argument[$0...]) }.map { Array(argument[$0...]) }
    }
    return whole + parts
  }
}
