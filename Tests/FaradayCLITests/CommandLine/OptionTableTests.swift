import Faraday
import FaradayTesting
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct OptionTableTests {
  @Test func `names and letters are unique`() {
    let names = OptionTable.all.map(\.name)
    #expect(Set(names).count == names.count)
    let letters = OptionTable.all.compactMap(\.letter)
    #expect(Set(letters).count == letters.count)
  }

  @Test func `an unsupported option has a hint to use instead`() {
    for option in OptionTable.all where !option.isSupported { #expect(option.help.count > 8, "\(option.name)") }
  }

  @Test func `the help lists each supported option once`() {
    let help = OptionTable.help
    for option in OptionTable.all {
      let lines = help.split(separator: "\n").filter { $0.dropFirst(5).prefix { $0 != " " } == "--\(option.name)" }
      #expect(lines.count == (option.isSupported ? 1 : 0), "\(option.name)")
    }
  }

  @Test(arguments: TransportOption.all.compactMap(\.curl?.name))
  func `every curl option with a transport option is supported`(names: String) throws {
    for name in names.split(separator: ", ") {
      let name = name.dropFirst(2)
      let positive = name.hasPrefix("no-") ? name.dropFirst(3) : name
      let option = try OptionTable.option(named: String(positive))
      #expect(option.isSupported && option.name == positive && (name == positive || option.isNegatable), "--\(name)")
    }
  }

  @Test func `a switch of the transport list sets its option and can be negated`() throws {
    func options(_ arguments: String...) throws -> Options {
      let edits = try Fetch.reading(arguments + ["h"], readsDefault: false).operation.edits
      return edits.values.reduce(into: Options()) { options, edit in edit(&options) }
    }
    #expect(!OptionTable.switches.isEmpty)
    for option in TransportOption.all {
      guard case .flag(let name, let help) = option.curl else { continue }
      #expect(try option.isSet(in: options(name)), "\(name)")
      #expect(try !option.isSet(in: options(name, "--no-" + name.dropFirst(2))), "\(name)")
      #expect(OptionTable.help.contains(help))
    }
  }

  /// The options of curl 7.88.1, from `curl --help all`.
  @Test func `every curl option is accepted, or refused with a reason`() async throws {
    let path = URL(fileURLWithPath: #filePath).appendingPathComponent("../../curl-7.88.1-help.txt").standardized
    let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").dropFirst()
    let known = rows.compactMap { row -> (letter: Character?, name: String, takesValue: Bool)? in
      guard let dashes = row.range(of: "--") else { return nil }
      let name = row[dashes.upperBound...].prefix { $0 != " " }
      let after = row[dashes.upperBound...].dropFirst(name.count + 1)
      let letter = row.dropFirst().first == "-" ? row.dropFirst(2).first : nil
      return (letter, String(name), after.hasPrefix("<") || after.hasPrefix("["))
    }
    #expect(known.count == 250)
    var taken = 0
    for row in known {
      // curl lists these under the names of their opposites.
      let name = row.name.hasPrefix("no-") ? String(row.name.dropFirst(3)) : row.name
      let option = try #require(OptionTable.all.first { $0.name == name }, "\(name) has no row")
      #expect(option.letter == row.letter, "\(name)")
      switch option.action {
      case .flag: #expect(!row.takesValue || name == "help", "\(name)")
      case .value: #expect(row.takesValue, "\(name)")
      case .unsupported: continue
      }
      taken += 1
    }
    let ofOthers = OptionTable.all.count { $0.isCurls } - known.count
    print("curl 7.88.1 has \(known.count) options; faraday takes \(taken), and refuses \(known.count - taken) with a reason.")
    #expect(taken == 164)
    #expect(ofOthers == 0)
  }
}
