import Foundation

/// The pages of documentation, and the files whose code they show.
enum Pages {
  /// The README and the articles, named by their paths in the repository.
  static let all: [String] = {
    let files = FileManager.default
    let modules = (try? files.contentsOfDirectory(atPath: root.appendingPathComponent("Sources").path)) ?? []
    let catalogs = modules.sorted().map { "Sources/\($0)/\($0).docc" }
    return ["README.md"]
      + catalogs.flatMap { catalog in
        let names = (try? files.contentsOfDirectory(atPath: root.appendingPathComponent(catalog).path)) ?? []
        return names.sorted().filter { $0.hasSuffix(".md") }.map { "\(catalog)/\($0)" }
      }
  }()

  /// The files that the blocks stand in, named by their paths in the repository. All of them are compiled by a test.
  private static let code =
    [
      "ReadmeExamples", "ReadmeFaces", "ArticleExamples", "ChatExampleTests", "Examples+Authentication", "Examples+Caching",
      "Examples+ChatAPIs", "Examples+Downloads", "Examples+EventStreams", "Examples+Resilience", "Examples+WebSockets",
      "OverCurl", "EchoAdapter", "EchoConformanceTests",
    ].map { "Tests/FaradayTests/\($0).swift" }
    + [
      "Tests/Examples/Notes/Tests/NotesTests.swift", "Tests/OutsideTests/PushingAdapter.swift",
      "Tests/FaradayObservabilityTests/ObservabilityExamples.swift",
      "Tests/FaradayHostingTests/HostingExamples.swift",
      "Sources/FaradayCore/Transport/Adapter.swift",
    ]

  /// The blocks of Swift in a page.
  static func blocks(of page: String) throws -> [String] {
    try text(of: page).components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// Whether a block stands, line after line, in one of the files.
  static func isCompiled(_ block: String) throws -> Bool {
    let wanted = lines(block).filter { !$0.hasPrefix("import ") }
    return try code.contains { file in
      let there = lines(try text(of: file))
      return there.indices.contains { there[$0...].starts(with: wanted) }
    }
  }

  /// The lines of a file of this target, without indentation, documentation and empty lines.
  static func lines(of file: String) throws -> [String] { lines(try text(of: "Tests/FaradayTests/" + file)) }

  /// The files and folders of the repository that a page names in a code span or a link.
  static func paths(in page: String) throws -> [String] {
    let pattern = /[`(]((?:Sources|Tests|Scripts|Modules|\.github)\/[^ `)…*<{#]+)/
    return try text(of: page).matches(of: pattern).map { String($0.1) }
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty && !$0.hasPrefix("/// ")
    }
  }

  static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
}
