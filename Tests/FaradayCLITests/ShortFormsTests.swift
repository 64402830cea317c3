import Testing

@testable import FaradayCLI

@Suite struct ShortFormsTests {
  @Test func `a value that is missing stays missing`() {
    #expect(ShortForms.expanded(["-sX"]) == ["-s", "-X"])
    #expect(ShortForms.expanded(["--data"]) == ["--data"])
    #expect(ShortForms.expanded([]) == [])
  }

  @Test func `a value that looks like options is left alone`() {
    #expect(ShortForms.expanded(["-d", "-sSf", "-s"]) == ["-d", "-sSf", "-s"])
    #expect(ShortForms.expanded(["--data-raw", "-sSf"]) == ["--data-raw", "-sSf"])
    #expect(ShortForms.expanded(["-fd", "-sSf"]) == ["-f", "-d", "-sSf"])
  }

  @Test func `nothing after two dashes is taken apart`() {
    #expect(ShortForms.expanded(["-sS", "--", "-sS"]) == ["-s", "-S", "--", "-sS"])
  }

  @Test func `grouped flags come apart`() {
    #expect(ShortForms.expanded(["-sSf", "http://h"]) == ["-s", "-S", "-f", "http://h"])
  }

  @Test(arguments: [
    ("-XPOST", ["-X", "POST"]), ("-HName:v", ["-H", "Name:v"]), ("-ofile", ["-o", "file"]), ("-d@file", ["-d", "@file"]),
    ("-da=b", ["-d", "a=b"]), ("-sSXPOST", ["-s", "-S", "-X", "POST"]), ("-T-", ["-T", "-"]), ("-m0.5", ["-m", "0.5"]),
  ])
  func `a joined value comes off its option`(_ argument: String, _ apart: [String]) {
    #expect(ShortForms.expanded([argument]) == apart)
  }

  @Test func `a single dash is a value, and long options stay as they are`() {
    #expect(ShortForms.expanded(["-", "--http1.1", "--data", "x"]) == ["-", "--http1.1", "--data", "x"])
  }

  @Test func `the options of another subcommand are its own`() {
    #expect(FaradayCommand.expanded(["serve", "--port", "1"]) == ["serve", "--port", "1"])
    #expect(FaradayCommand.expanded(["fetch", "-sS"]) == ["fetch", "-s", "-S"])
  }

  @Test func `every option that takes a value is in the lists`() throws {
    for option in ShortForms.taking { #expect(throws: (any Error).self) { try Fetch.reading(["-\(option)"]) } }
    for option in ShortForms.takingLong { #expect(throws: (any Error).self) { try Fetch.reading(["h", option]) } }
    let help = Fetch.help
    for line in help.split(separator: "\n") where line.contains("--") && line.contains("<") && !line.contains("USAGE") {
      for word in line.split(whereSeparator: { ", ".contains($0) }).prefix(while: { !$0.hasPrefix("<") }) {
        let name = String(word)
        #expect(ShortForms.takingLong.contains(name) || name.last.map(ShortForms.taking.contains) == true, "\(name)")
      }
    }
  }
}
