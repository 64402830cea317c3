import Faraday
import FaradayCurl

/// A configuration file (`-K`, `.curlrc`): options, one on a line, with or without dashes, the value after a space, `=` or `:`, in
/// quotes if it has spaces. Lines that begin with `#` are comments.
enum ConfigFile {
  /// How deep files may name others.
  private static let maximumDepth = 16

  /// Applies the options of a file; `-` is standard input.
  static func read(_ name: String, into state: inout CommandState) throws {
    guard state.depth < maximumDepth else {
      throw CommandFailure(ExitStatus.readError, "\(name): configuration files are nested too deep")
    }
    let contents: Data
    do {
      contents = try InputFile(name: name).contents()
    } catch {
      throw UsageFailure("cannot read config from '\(name)'", ExitStatus.readError)
    }
    apply(String(decoding: contents, as: UTF8.self), of: name, to: &state)
  }

  /// Applies the default file, if there is one.
  static func readDefault(into state: inout CommandState) {
    for path in defaultPaths {
      guard let contents = try? InputFile(name: path).contents() else { continue }
      return apply(String(decoding: contents, as: UTF8.self), of: path, to: &state)
    }
  }

  /// Where curl looks for its file.
  private static var defaultPaths: [String] {
    let home = Environment.variable("HOME")
    return [
      Environment.variable("CURL_HOME").map { $0 + "/.curlrc" },
      Environment.variable("XDG_CONFIG_HOME").map { $0 + "/curlrc" },
      home.map { $0 + "/.curlrc" },
      home.map { $0 + "/.config/curlrc" },
    ].compactMap(\.self)
  }

  /// Applies the options of a text. A line that is wrong is a warning, as with curl.
  static func apply(_ text: String, of name: String, to state: inout CommandState) {
    var parser = CommandLineParser(state)
    parser.enterFile()
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (number, line) in lines.enumerated() {
      guard let (option, value) = words(of: line) else { continue }
      do {
        try parser.read(line: option, value: value)
      } catch {
        let reason = (error as? UsageFailure)?.message ?? (error as? CommandFailure)?.message ?? "\(error)"
        parser.warn("\(name == "-" ? "<stdin>" : name):\(number + 1): warning: \(reason)")
      }
    }
    parser.leaveFile()
    state = parser.state
  }

  /// The option of a line, and its value; nil for a comment or an empty line.
  static func words(of line: Substring) -> (option: String, value: String?)? {
    let isSpace = { (character: Character) in character.isWhitespace }
    var rest = line.drop(while: isSpace)
    guard let first = rest.first, first != "#" else { return nil }
    // Options with dashes are ended by white space only: `--x=y` is no option of curl's.
    let isDashed = first == "-"
    let option = rest.prefix { !isSpace($0) && (isDashed || ($0 != "=" && $0 != ":")) }
    rest = rest.dropFirst(option.count).drop { isSpace($0) || $0 == "=" || $0 == ":" }
    guard let opening = rest.first else { return (String(option), nil) }
    guard opening == "\"" else { return (String(option), String(rest.prefix { !isSpace($0) })) }
    return (String(option), unquoted(rest.dropFirst()))
  }

  private static func unquoted(_ text: Substring) -> String {
    var value = ""
    var rest = text
    while let character = rest.popFirst(), character != "\"" {
      guard character == "\\", let next = rest.popFirst() else {
        value.append(character)
        continue
      }
      value.append(["t": "\t", "n": "\n", "r": "\r", "v": "\u{B}"][next] ?? next)
    }
    return value
  }
}

extension CommandLineParser {
  fileprivate mutating func enterFile() { state.depth += 1 }
  fileprivate mutating func leaveFile() { state.depth -= 1 }
  fileprivate mutating func warn(_ text: String) { state.warnings.append(text) }

  /// Reads an option of a file, which may lack its dashes.
  fileprivate mutating func read(line option: String, value: String?) throws {
    // `:` is the letter of --next, which a file has no way to say otherwise.
    _ = try read(option: option.hasPrefix("-") ? option : "--" + option, next: value)
  }
}
