import Foundation

/// The pages of documentation, and the files whose code they show.
enum Pages {
  /// The blocks of Swift in a page, named by its path in the repository.
  static func blocks(of page: String) throws -> [String] {
    let url = folder.appendingPathComponent("../../" + page).standardized
    let text = try String(contentsOf: url, encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// Whether a block stands, line after line, in one of these files, named by their paths from this target's folder.
  static func isCompiled(_ block: String, in files: [String]) throws -> Bool {
    let wanted = lines(block).filter { !$0.hasPrefix("import ") }
    return try files.contains { file in
      let there = try lines(of: file)
      return there.indices.contains { there[$0...].starts(with: wanted) }
    }
  }

  /// The lines of a file, without indentation, documentation and empty lines.
  static func lines(of file: String) throws -> [String] {
    lines(try String(contentsOf: folder.appendingPathComponent(file).standardized, encoding: .utf8))
  }

  private static func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty && !$0.hasPrefix("/// ")
    }
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
}
