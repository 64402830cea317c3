import Foundation

/// The names in the code spans of a page, and whether what they name exists.
///
/// A name exists if it is an identifier in the code of Sources, Package.swift or Tests/TestSupport, a string literal there that has no
/// other words (the name of a field, an option, a product), a file or folder of the repository, a word of a script, or a foreign name.
enum PageNames {
  /// Names of other projects and standards, and names of examples, by the reason why they do not exist here.
  static let foreign: [(reason: String, names: [String])] = [
    ("packages and images of Debian and Docker", ["zlib1g", "libcurl4t64", "bookworm-slim", "debootstrap"]),
    (
      "fields of HTTP",
      ["Content-Location", "If-Range", "Proxy-Authorization", "RateLimit-Remaining", "traceparent"]
    ),
    ("media types, which the code has in parts", ["application/hal+json"]),
    ("an alert of TLS", ["close_notify"]),
    ("functions of libcurl that are not called", ["curl_global_trace", "curl_easy_reset", "curl_easy_upkeep"]),
    ("a program that measures", ["perf"]),
    ("types of other clients", ["CachedResponseHandler", "URLProtocol", "URLCache"]),
    ("names of secrets that a server could use", ["X-Api-Key", "new_password"]),
    (
      "paths, files and texts of examples",
      ["HTTP_TIMEOUT_TOTAL", "/srv/image.iso.part", "image.iso.part.json", "/v2/users", "projects", "DONE"]
    ),
    ("names that stand for any other", ["Type+Facet.swift", "Foo.swift", "FooTests.swift", "EchoAdapter"]),
    ("Swift Testing", ["enabled"]),
  ]

  /// The names in the code spans of a page that do not exist, each with its span.
  static func unknown(in page: String) throws -> [String] {
    try spans(of: page).flatMap { span in unknown(inSpan: span).map { "`\(span)`: \($0)" } }
  }

  static func unknown(inSpan span: String) -> [String] { names(in: span).filter { !known.contains($0) } }

  /// The foreign names that are in no span of these pages.
  static func unusedForeign(in pages: [String]) throws -> [String] {
    let used = Set(try pages.flatMap { try spans(of: $0).flatMap(names(in:)) })
    return foreign.flatMap(\.names).filter { !used.contains($0) }
  }

  /// The code spans of a page, also those in its drawings. Without blocks of code, the links to symbols, which the documentation's
  /// compiler checks, and the columns of other projects' names in the article "Migrating".
  private static func spans(of page: String) throws -> [String] {
    let parts = try Pages.text(of: page).components(separatedBy: "\n```")
    var text = ""
    for (index, part) in parts.enumerated() where index.isMultiple(of: 2) || part.hasPrefix("\n") { text += part }
    if page.hasSuffix("Migrating.md") {
      text = text.replacing(/\n\|[^|]*\|/, with: "\n")
    }
    text.replace(/``[^`]*``/, with: "")
    return text.matches(of: /`([^`]+)`/).map { String($0.1).replacing("\n", with: " ") }
  }

  /// The words of a span, without what is quoted, numbers, and URLs. A path and an option are one word.
  private static func names(in span: String) -> [String] {
    if known.contains(span) || foreignNames.contains(span) { return [span] }
    let unquoted = span.replacing(/"[^"]*"/, with: " ").replacing(/https?:\/\/[^ ]*/, with: " ")
    return unquoted.matches(of: /[A-Za-z_][A-Za-z0-9_]*(?:[.\/+-][A-Za-z0-9_]+)*/).flatMap { match in
      let word = String(match.0)
      // The properties of a subcommand are its options.
      let property = word.split(separator: "-").enumerated().map { $0 == 0 ? String($1) : $1.capitalized }.joined()
      return known.contains(word) ? [word] : known.contains(property) ? [property] : word.split(separator: ".").map(String.init)
    }
  }

  private static let foreignNames = Set(foreign.flatMap(\.names))

  private static let known: Set<String> = {
    var known = foreignNames
    let supporting = ["Tests/TestServers/", "Tests/TestSupport/", "Tests/Watchdog/"]
    let folders = ["Sources", "Tests", "Scripts", "Modules", ".github", "Package.swift", "README.md"]
    for path in folders.flatMap(files(below:)) {
      // The path, the ends of the path, and the folders that it lies in.
      let parts = path.split(separator: "/")
      for end in parts.indices {
        for start in 0...end { known.insert(parts[start...end].joined(separator: "/")) }
      }
      let text = (try? Pages.text(of: path)) ?? ""
      if path.hasPrefix("Scripts/") || path.hasSuffix(".c") {
        for word in text.utf8.split(whereSeparator: { !isOfIdentifier($0) && $0 != UInt8(ascii: "-") }) {
          known.insert(String(decoding: word, as: UTF8.self))
        }
      } else if path.hasSuffix(".swift"), !path.hasPrefix("Tests/") || supporting.contains(where: path.hasPrefix) {
        known.formUnion(Set(wordsOf: text))
      }
    }
    return known
  }()

  private static func files(below folder: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: Pages.root.appendingPathComponent(folder).path)
    let names = (found?.compactMap { $0 as? String } ?? []).filter { !$0.contains(".build/") }
    return [folder] + names.map { "\(folder)/\($0)" }
  }
}

extension Set<String> {
  /// The identifiers of a Swift file, and its string literals without spaces. Comments are left out.
  fileprivate init(wordsOf code: String) {
    self = []
    let bytes = Array(code.utf8)
    var (start, end) = (0, 0)
    func advance(while condition: (UInt8) -> Bool) { while end < bytes.count, condition(bytes[end]) { end += 1 } }
    while end < bytes.count {
      start = end
      switch bytes[end] {
      case UInt8(ascii: "/") where bytes[end...].starts(with: "//".utf8): advance { $0 != UInt8(ascii: "\n") }
      case UInt8(ascii: "\""):
        end += 1
        advance { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\n") }
        let literal = bytes[(start + 1)..<end]
        if !literal.contains(UInt8(ascii: " ")) { insert(String(decoding: literal, as: UTF8.self)) }
        end += 1
      case let byte where isOfIdentifier(byte):
        advance(while: isOfIdentifier)
        insert(String(decoding: bytes[start..<end], as: UTF8.self))
      default: end += 1
      }
    }
  }
}

private func isOfIdentifier(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: byte == UInt8(ascii: "_")
  }
}
