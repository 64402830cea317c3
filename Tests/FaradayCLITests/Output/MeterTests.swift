import Foundation
import Testing

@testable import FaradayCLI

@Suite struct MeterTests {
  let folder: TemporaryFolder
  let file: FileHandle

  init() throws {
    folder = try TemporaryFolder()
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.write("", to: "terminal")))
  }

  private func meter(shown: Bool = true, showsTotal: Bool = true) -> Meter {
    Meter(on: Descriptor(number: file.fileDescriptor), shown: shown, showsTotal: showsTotal)
  }

  /// The lines on the terminal: each drawing removes the line that is there.
  private var lines: [String] {
    let text = String(decoding: folder.read("terminal") ?? Data(), as: UTF8.self)
    return text.components(separatedBy: "\n").map { $0.components(separatedBy: "\r\u{1B}[K").last ?? "" }.filter { !$0.isEmpty }
  }

  @Test func `each transfer has a line, and the total is the last line`() {
    let meter = meter()
    meter.update(.download, 10, of: 100, in: 0)
    meter.update(.download, 20, of: 100, in: 1)
    meter.end(0)
    #expect(lines.count == 1 && lines[0].hasPrefix("1 done, 1 running, 30 B, "))
    meter.end(1)
    meter.finish()
    #expect(lines.count == 1 && lines[0].hasPrefix("2 done, 0 running, 30 B, "))
  }

  @Test func `late progress does not restart a transfer`() {
    let meter = meter()
    meter.update(.download, 10, of: 100, in: 0)
    meter.end(0)
    meter.update(.download, 10, of: 100, in: 0)
    meter.update(.download, 1, of: nil, in: 1)
    meter.end(1)
    #expect(lines.last?.hasPrefix("2 done, 0 running, 11 B, ") == true)
  }

  @Test func `a message stands before the line that is drawn later`() throws {
    let meter = meter()
    meter.update(.download, 10, of: 100, in: 0)
    meter.clear()
    try file.write(contentsOf: Data("a message\n".utf8))
    meter.end(0)
    #expect(lines.map { $0.prefix { $0 != " " } } == ["a", "1"])
  }

  @Test func `a single transfer has a line without name and total, and another one for its response`() {
    let meter = ProgressMeter(meter: meter(showsTotal: false))
    meter.update(.upload, 5, of: 10)
    meter.update(.download, 1, of: 4)
    meter.finish()
    meter.update(.download, 4, of: 4)
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("up    50% [") && lines[1].hasPrefix("down  25% ["))
  }

  @Test func `without a terminal nothing is drawn`() {
    let meter = meter(shown: false)
    meter.update(.download, 10, of: 100, in: 0)
    meter.end(0)
    #expect(lines.isEmpty)
  }
}
