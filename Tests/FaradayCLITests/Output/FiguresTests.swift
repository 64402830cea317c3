import Testing

@testable import FaradayCLI

@Suite struct FiguresTests {
  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func `invalid and too large numbers are dashes`(_ value: Double) {
    #expect(Figures.fixed(value, places: 6) == "-")
  }

  @Test(arguments: [-1, .nan, .infinity, 1e9])
  func `a very long time is dashes`(_ seconds: Double) {
    #expect(Figures.clock(seconds) == "--:--")
  }

  @Test(arguments: [
    (0.0, 6, "0.000000"), (1.5, 0, "2"), (0.0005, 3, "0.001"), (12.34, 1, "12.3"), (-1.25, 1, "-1.3"), (-0.001, 1, "0.0"),
    (0.999_999_6, 6, "1.000000"), (3, 2, "3.00"),
  ])
  func `decimals are rounded and padded`(_ value: Double, _ places: Int, _ text: String) {
    #expect(Figures.fixed(value, places: places) == text)
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"), (512 << 20, "512.0 MiB"),
      (5 << 30, "5.0 GiB"), (Int64.max, "8.0 EiB"), (-2048, "-2.0 KiB"),
    ] as [(Int64, String)])
  func `bytes have the largest unit with a value of at least one`(_ count: Int64, _ text: String) {
    #expect(Figures.bytes(count) == text)
  }

  @Test(arguments: [(0.0, "0:00"), (0.2, "0:01"), (7, "0:07"), (754, "12:34"), (3723, "1:02:03")])
  func `times have minutes and seconds, and hours if needed`(_ seconds: Double, _ text: String) {
    #expect(Figures.clock(seconds) == text)
  }

  @Test func `a table is as wide as its cells, without trailing spaces`() {
    let table = TextTable([["step", "bytes"], ["a long name", "1"], ["x", ""]])
    #expect(table.text == "step         bytes\na long name      1\nx\n")
    #expect(table.leftAligned == "step         bytes\na long name  1\nx\n")
  }

  @Test func `peak memory is parsed from its line`() {
    #expect(PeakMemory.bytes(inStatus: "Name:\tx\nVmHWM:\t   12 kB\n") == 12_288)
    #expect(PeakMemory.bytes(inStatus: "VmHWM:\n") == nil)
    #expect(PeakMemory.bytes(inStatus: "") == nil)
  }
}
