import Testing

@testable import FaradayCLI

@Suite struct ProgressLineTests {
  private func line(_ bytes: Int64, of total: Int64?, rate: Double = 1_048_576) -> ProgressLine {
    ProgressLine(direction: .download, bytes: bytes, total: total, rate: rate, elapsed: 3)
  }

  @Test(arguments: [-5, 0, 1, 5, 10, 20, 40, 60, 79, 200])
  func `a line is never wider than its limit`(_ width: Int) {
    for total in [nil, 0, 1 << 40] as [Int64?] {
      for bytes in [0, 1, 1 << 40, Int64.max] {
        #expect(line(bytes, of: total, rate: .infinity).text(width: width).count <= max(0, width))
      }
    }
  }

  @Test func `more bytes than expected are 100 percent`() {
    #expect(line(200, of: 100).text(width: 79).hasPrefix("down 100% ["))
    #expect(line(-1, of: 100).fraction == 0)
  }

  @Test func `without a rate the remaining time is unknown`() {
    #expect(line(1, of: 100, rate: 0).text(width: 79).hasSuffix("--:-- left"))
  }

  @Test func `an unknown total shows only bytes and rate`() {
    #expect(line(3 << 20, of: nil).text(width: 79) == "down 3.0 MiB  1.0 MiB/s")
  }

  @Test func `a known total shows percent, bar, bytes, rate and remaining time`() {
    let text = line(1 << 20, of: 4 << 20).text(width: 61)
    #expect(text == "down  25% [===>         ]     1.0 MiB   1.0 MiB/s   0:03 left")
    #expect(text.count == 61)
  }

  @Test func `a narrow terminal loses the bar first`() {
    #expect(line(1 << 20, of: 4 << 20).text(width: 45) == "down  25%  1.0 MiB  1.0 MiB/s  0:03 left")
    #expect(line(1 << 20, of: 4 << 20).text(width: 20) == "down  25%  1.0 MiB")
  }

  @Test func `the last line shows the duration`() {
    let text = line(100, of: 100).text(width: 79)
    #expect(text.hasSuffix("0:03"))
    #expect(!text.contains(">"))
    #expect(line(0, of: 0).fraction == 1)
  }
}
